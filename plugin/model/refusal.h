// How the importer says no: an exception inside plugin/model, caught in load_onnx and nowhere else.
#ifndef AUGUR_MODEL_REFUSAL_H
#define AUGUR_MODEL_REFUSAL_H

#include <augur/base.h>

#include <stdexcept>
#include <string>
#include <string_view>

#if defined(__GNUC__)
#define AUGUR_MODEL_PRINTF(format_index, first_argument) __attribute__((format(printf, format_index, first_argument)))
#else
#define AUGUR_MODEL_PRINTF(format_index, first_argument)
#endif

namespace augur::model {

class Refusal : public std::runtime_error {
  public:
    Refusal(augur_result code, const std::string& text) : std::runtime_error(text), code_(code) {}
    augur_result code() const { return code_; }

  private:
    augur_result code_;
};

[[noreturn]] void refuse(augur_result code, const char* format, ...) AUGUR_MODEL_PRINTF(2, 3);

// The text of a format, cut at 1,023 bytes.
std::string text_of(const char* format, ...) AUGUR_MODEL_PRINTF(1, 2);

// A name from the file made safe for a message, in quotes: at most 63 bytes of it, unprintable ones as '?'.
std::string shown(std::string_view name);

}  // namespace augur::model

#endif  // AUGUR_MODEL_REFUSAL_H
