// A C++17 host that was built with its own C++ library: strings and exceptions of its own live beside those in
// libaugur.
#include <augur/augur.h>

#include <cstdio>
#include <stdexcept>
#include <string>

int main() {
    std::string messages;
    augur_context_desc desc = augur_context_desc_default();
    desc.backend = 77;  // no such backend
    desc.logger.user = &messages;
    desc.logger.log = [](void* user, augur_severity, augur_result, const char* text) {
        static_cast<std::string*>(user)->append(text).append("\n");
    };
    augur_context_id context{};
    const augur_result result = augur_context_create(&desc, &context);
    try {
        if (result == AUGUR_ERROR_INVALID_ARGUMENT) throw std::runtime_error(augur_last_message());
        std::printf("expected AUGUR_ERROR_INVALID_ARGUMENT, got %s\n", augur_result_name(result));
        return 1;
    } catch (const std::runtime_error& error) {
        std::printf("consumer.cpp: refused as it should be: %s\n", error.what());
        return std::string(error.what()).find("backend") == std::string::npos;
    }
}
