// The text of a failure: written once where it is found, read back by augur_last_message and by the context's logger.
#ifndef AUGUR_RUNTIME_MESSAGE_H
#define AUGUR_RUNTIME_MESSAGE_H

#include <augur/base.h>

#include <string>

#if defined(__GNUC__)
#define AUGUR_PRINTF(format_index, first_argument) __attribute__((format(printf, format_index, first_argument)))
#else
#define AUGUR_PRINTF(format_index, first_argument)
#endif

namespace augur {

// Keeps "<text>" as the calling thread's last message and returns code. Never allocates, never fails; cut at 1,023
// bytes. Text given by the host goes through quoted() and is never the format.
augur_result fail(augur_result code, const char* format, ...) AUGUR_PRINTF(2, 3);

// Puts "<prefix>: " in front of the calling thread's last message.
void prefix_last_message(const char* prefix);

// Of the calling thread; "" when nothing failed yet.
const char* last_message();

// Text of the host made safe for a message: at most 63 bytes, unprintable ones as '?', "(null)" for null.
std::string quoted(const char* text);

}  // namespace augur

#endif  // AUGUR_RUNTIME_MESSAGE_H
