// Messages of one context to the host's logger.
#ifndef AUGUR_RUNTIME_LOG_H
#define AUGUR_RUNTIME_LOG_H

#include <array>
#include <atomic>

#include "backend/backend.h"

namespace augur {

// Any thread. Takes no lock and allocates nothing. The same message again within a second is counted, not repeated; the
// count goes out with the next one.
class ContextLog final : public Log {
  public:
    static constexpr std::uint64_t kQuietNs = 1000000000;

    explicit ContextLog(const augur_logger& logger) : logger_(logger) {}

    void write(augur_severity severity, augur_result code, const char* text) override;

    // As write, with a clock the caller gives. Tests use it.
    void write_at(augur_severity severity, augur_result code, const char* text, std::uint64_t now_ns);

  private:
    // One message seen lately. Two messages of equal place push each other out, which only means less is held back.
    struct Seen {
        std::atomic<std::uint64_t> key{0};
        std::atomic<std::uint64_t> since_ns{0};
        std::atomic<std::uint32_t> held_back{0};
    };

    augur_logger logger_;
    std::array<Seen, 32> seen_;
};

}  // namespace augur

#endif  // AUGUR_RUNTIME_LOG_H
