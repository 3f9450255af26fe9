// A logger that keeps what it is told.
#ifndef AUGUR_TESTS_SUPPORT_CAPTURED_LOG_H
#define AUGUR_TESTS_SUPPORT_CAPTURED_LOG_H

#include <augur/context.h>

#include <mutex>
#include <string>
#include <vector>

namespace augur::test {

class CapturedLog {
  public:
    struct Message {
        augur_severity severity;
        augur_result code;
        std::string text;
    };

    augur_logger logger() {
        return {[](void* user, augur_severity severity, augur_result code, const char* text) {
                    auto* self = static_cast<CapturedLog*>(user);
                    const std::lock_guard lock(self->mutex_);
                    self->messages_.push_back({severity, code, text});
                },
                this};
    }
    std::vector<Message> messages() const {
        const std::lock_guard lock(mutex_);
        return messages_;
    }
    std::size_t count(augur_severity severity) const {
        std::size_t n = 0;
        for (const Message& message : messages())
            n += message.severity == severity ? 1 : 0;
        return n;
    }

  private:
    mutable std::mutex mutex_;
    std::vector<Message> messages_;
};

}  // namespace augur::test

#endif  // AUGUR_TESTS_SUPPORT_CAPTURED_LOG_H
