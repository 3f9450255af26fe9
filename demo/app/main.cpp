// Augur's demo: an ordinary host of the SDK.
#include <cstdio>
#include <exception>

#include "app/app.h"
#include "app/options.h"

int main(int argc, char** argv) {
    try {
        const augur::demo::ParsedOptions parsed = augur::demo::parse_options(argc, argv);
        if (!parsed.run) {
            std::fputs(parsed.text.c_str(), parsed.exit_code == 0 ? stdout : stderr);
            return parsed.exit_code;
        }
        augur::demo::App app(parsed.options);
        return app.run();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "augur_demo: %s\n", error.what());
        return 1;
    }
}
