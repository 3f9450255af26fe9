#include "demo/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace augur::test {

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

std::string scratch_file(const std::string& name) {
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / "augur_demo_tests" /
        (std::to_string(getpid()) + "." + test->test_suite_name() + "." + test->name());
    std::filesystem::create_directories(folder);
    return (folder / name).string();
}

namespace {

DemoRun run_program(const std::vector<std::string>& command, const std::vector<std::string>& environment) {
    const std::string output = scratch_file("stdout.txt");
    const std::string errors = scratch_file("stderr.txt");
    const pid_t child = fork();
    if (child == 0) {
        const int out = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
        const int err = open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
        dup2(out, STDOUT_FILENO);
        dup2(err, STDERR_FILENO);
        for (const std::string& entry : environment) {
            const std::size_t equals = entry.find('=');
            if (equals == std::string::npos) {
                unsetenv(entry.c_str());
            } else {
                setenv(entry.substr(0, equals).c_str(), entry.substr(equals + 1).c_str(), 1);
            }
        }
        std::vector<char*> argv;
        for (const std::string& word : command)
            argv.push_back(const_cast<char*>(word.c_str()));
        argv.push_back(nullptr);
        execvp(argv[0], argv.data());
        _exit(127);
    }
    DemoRun run;
    int status = 0;
    if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)) run.exit_code = WEXITSTATUS(status);
    run.output = read_file(output);
    run.errors = read_file(errors);
    return run;
}

}  // namespace

DemoRun run_demo(const std::vector<std::string>& arguments, const std::vector<std::string>& environment) {
    std::vector<std::string> command = {AUGUR_DEMO_PROGRAM};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return run_program(command, environment);
}

bool can_open_windows() {
    return run_program({"xvfb-run", "--help"}, {}).exit_code == 0 &&
           run_program({"xauth", "version"}, {}).exit_code == 0;
}

DemoRun run_demo_in_window(const std::vector<std::string>& arguments) {
    std::vector<std::string> command = {"xvfb-run", "-a", "-s", "-screen 0 1280x720x24", AUGUR_DEMO_PROGRAM};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return run_program(command, {"WAYLAND_DISPLAY"});
}

}  // namespace augur::test
