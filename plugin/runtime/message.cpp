#include "runtime/message.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace augur {

namespace {

constexpr std::size_t kMessageBytes = 1024;
// Without a destructor: usable from static destructors and from threads that are ending.
thread_local constinit char message[kMessageBytes] = "";

}  // namespace

augur_result fail(augur_result code, const char* format, ...) {
    // The arguments may be, or be cut from, the message that is replaced.
    char text[kMessageBytes];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    std::memcpy(message, text, sizeof message);
    return code;
}

void prefix_last_message(const char* prefix) {
    char text[kMessageBytes];
    std::memcpy(text, message, sizeof text);
    fail(AUGUR_OK, "%s: %s", prefix, text);
}

const char* last_message() {
    return message;
}

std::string quoted(const char* text) {
    if (text == nullptr) return "(null)";
    std::string safe = "\"";
    constexpr std::size_t kMost = 63;
    std::size_t length = 0;
    for (; length < kMost && text[length] != '\0'; ++length) {
        const char c = text[length];
        safe += c >= ' ' && c <= '~' && c != '"' ? c : '?';
    }
    safe += length == kMost && text[length] != '\0' ? "...\"" : "\"";
    return safe;
}

}  // namespace augur
