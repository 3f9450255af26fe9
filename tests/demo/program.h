// Running the demo's program and reading what it says.
#pragma once

#include <string>
#include <vector>

namespace augur::test {

struct DemoRun {
    int exit_code = -1;  // -1: it did not exit by itself (a signal)
    std::string output;
    std::string errors;
};

// Runs augur_demo with these arguments. environment: NAME=VALUE, or NAME alone to remove it.
DemoRun run_demo(const std::vector<std::string>& arguments, const std::vector<std::string>& environment = {});

// True where a window can be opened on a display of its own (xvfb-run is installed).
bool can_open_windows();

// Runs augur_demo in a window on a display of its own, 1280x720.
DemoRun run_demo_in_window(const std::vector<std::string>& arguments);

// A path in a folder of this test run, unique to the running test.
std::string scratch_file(const std::string& name);

std::string read_file(const std::string& path);

}  // namespace augur::test
