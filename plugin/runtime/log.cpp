#include "runtime/log.h"

#include <cstdio>

#include "runtime/callback.h"
#include "runtime/system.h"

namespace augur {

namespace {

std::uint64_t key_of(augur_severity severity, augur_result code, const char* text) {
    std::uint64_t key = 0xcbf29ce484222325ull ^ (static_cast<std::uint64_t>(severity) << 32) ^
                        static_cast<std::uint32_t>(code);  // FNV-1a
    for (const char* c = text; *c != '\0'; ++c)
        key = (key ^ static_cast<unsigned char>(*c)) * 0x100000001b3ull;
    return key != 0 ? key : 1;
}

}  // namespace

void ContextLog::write(augur_severity severity, augur_result code, const char* text) {
    write_at(severity, code, text, system::now_ns());
}

void ContextLog::write_at(augur_severity severity, augur_result code, const char* text, std::uint64_t now_ns) {
    if (logger_.log == nullptr) return;
    const std::uint64_t key = key_of(severity, code, text);
    Seen& seen = seen_[key % seen_.size()];
    std::uint32_t held_back = 0;
    if (seen.key.load(std::memory_order_relaxed) == key) {
        if (now_ns - seen.since_ns.load(std::memory_order_relaxed) < kQuietNs) {
            seen.held_back.fetch_add(1, std::memory_order_relaxed);
            return;
        }
        held_back = seen.held_back.exchange(0, std::memory_order_relaxed);
    } else {
        seen.key.store(key, std::memory_order_relaxed);
        seen.held_back.store(0, std::memory_order_relaxed);
    }
    seen.since_ns.store(now_ns, std::memory_order_relaxed);

    char longer[1152];
    if (held_back > 0) {
        std::snprintf(longer, sizeof longer, "%s (and %u times more since the last such message)", text, held_back);
        text = longer;
    }
    call_host([&] { logger_.log(logger_.user, severity, code, text); });
}

}  // namespace augur
