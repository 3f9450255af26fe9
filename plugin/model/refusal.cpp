#include "model/refusal.h"

#include <cstdarg>
#include <cstdio>

namespace augur::model {
namespace {

constexpr std::size_t kLongestText = 1024;
constexpr std::size_t kLongestName = 63;

}  // namespace

void refuse(augur_result code, const char* format, ...) {
    char text[kLongestText];
    std::va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    throw Refusal(code, text);
}

std::string text_of(const char* format, ...) {
    char text[kLongestText];
    std::va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return text;
}

std::string shown(std::string_view name) {
    std::string text = "'";
    for (const char c : name.substr(0, kLongestName))
        text += c >= ' ' && c <= '~' ? c : '?';
    return text + (name.size() > kLongestName ? "...'" : "'");
}

}  // namespace augur::model
