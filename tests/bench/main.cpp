// augur_bench: what a host gets from Augur on this machine, beside what it is held to and what others give.
//
// An ordinary host: it uses the public interface alone. The cases are the table in cases.cpp.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fstream>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "output.h"
#include "runner.h"

namespace {

using namespace augur::bench;
namespace sdk = augur::sdk;

constexpr int kFailed = 1;
constexpr int kMistake = 2;
constexpr std::uint32_t kMostQuickAgents = 4096;

struct Options {
    bool list = false;
    bool quick = false;
    std::string filter;
    std::string json;
    std::string backend = "both";
    std::size_t repeats = 0;  // 0: by time
};

int refuse(const std::string& text) {
    std::fprintf(stderr, "augur_bench: %s\nTry --help for the list of arguments.\n", text.c_str());
    return kMistake;
}

std::vector<const Case*> chosen_cases(const Options& options) {
    const std::regex pattern(options.filter);
    std::vector<const Case*> cases;
    for (const Case& c : all_cases()) {
        if (options.quick && c.agents > kMostQuickAgents) continue;
        if (std::regex_search(c.name, pattern)) cases.push_back(&c);
    }
    return cases;
}

// Throws sdk::Error where a backend was asked for by name and is not there.
std::vector<augur_backend> chosen_backends(const std::string& choice, Machines& machines) {
    if (choice == "cpu") return {AUGUR_BACKEND_CPU};
    if (choice == "auto") {
        const sdk::Context context = sdk::unwrap(sdk::Context::create());
        return {static_cast<augur_backend>(sdk::unwrap(context.capabilities()).backend)};
    }
    if (choice == "cuda") {
        machines.get({AUGUR_BACKEND_CUDA});
        return {AUGUR_BACKEND_CUDA};
    }
    try {
        machines.get({AUGUR_BACKEND_CUDA});
        return {AUGUR_BACKEND_CPU, AUGUR_BACKEND_CUDA};
    } catch (const sdk::Error& error) {
        std::printf("CPU only: %s\n", error.what());
        return {AUGUR_BACKEND_CPU};
    }
}

// As it can be pasted into a shell.
std::string quoted(const std::string& argument) {
    static const std::regex plain("[A-Za-z0-9_./:=,+-]+");
    if (std::regex_match(argument, plain)) return argument;
    std::string text = "'";
    text.append(argument).append("'");
    return text;
}

Effort effort_of(const Options& options) {
    Effort effort;
    if (options.quick)
        effort = {.warm_frames = 2, .warm_seconds = 0.02, .frames = 20, .least_frames = 3, .seconds = 0.1};
    if (options.repeats > 0) effort.frames = effort.least_frames = options.repeats;
    return effort;
}

RunInfo info_of(int count, char** arguments, bool quick, const std::vector<augur_backend>& backends,
                Machines& machines) {
    RunInfo info;
    info.quick = quick;
    for (int i = 0; i < count; ++i)
        info.command += (i > 0 ? " " : "") + quoted(arguments[i]);
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    char date[32];
    std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    info.date = date;
    const std::uint32_t version = augur_version();
    info.library = std::to_string(version >> 22) + "." + std::to_string((version >> 12) & 0x3ff) + "." +
                   std::to_string(version & 0xfff);
    info.cpu = machines.get({AUGUR_BACKEND_CPU}).capabilities.device_name;
    info.cores = std::thread::hardware_concurrency();
    for (const augur_backend backend : backends) {
        if (backend != AUGUR_BACKEND_CUDA) continue;
        const augur_capabilities& found = machines.get({backend}).capabilities;
        info.gpu = found.device_name;
        info.cuda_driver = found.cuda_driver;
        info.cuda_runtime = found.cuda_runtime;
        std::ifstream("/sys/module/nvidia/version") >> info.gpu_driver;
        if (info.gpu_driver.empty()) info.gpu_driver = "unknown";
    }
    return info;
}

int run(const Options& options, int count, char** arguments, std::ofstream& json) {
    Machines machines;
    const std::vector<augur_backend> backends = chosen_backends(options.backend, machines);
    const RunInfo info = info_of(count, arguments, options.quick, backends, machines);
    const Effort effort = effort_of(options);
    print_head(info);
    std::vector<Row> rows;
    bool failed = false;
    for (const Case* c : chosen_cases(options)) {
        for (const augur_backend backend : backends) {
            if (c->where != Where::both && (c->where == Where::cuda) != (backend == AUGUR_BACKEND_CUDA)) continue;
            rows.push_back(run_case(*c, backend, effort, machines));
            print_row(rows.back());
            failed |= !rows.back().failed.empty();
        }
    }
    print_end(rows);
    failed |= !different_answers(rows).empty();
    if (json.is_open()) {
        json << to_json(info, rows);
        json.close();
        if (!json) {
            std::fprintf(stderr, "augur_bench: writing %s failed\n", options.json.c_str());
            return kFailed;
        }
    }
    return failed ? kFailed : 0;
}

}  // namespace

int main(int count, char** arguments) {
    Options options;
    CLI::App app("Measures Augur on this machine, beside what it is held to and what others give.", "augur_bench");
    app.add_flag("--list", options.list, "list the cases and stop");
    app.add_option("--filter", options.filter, "run the cases whose name matches this regular expression (anywhere)");
    app.add_option("--json", options.json, "write everything that was measured to this file");
    app.add_option("--backend", options.backend,
                   "who searches: auto, cpu, cuda, or both: the CPU, and the GPU where there is one")
        ->check(CLI::IsMember({"auto", "cpu", "cuda", "both"}))
        ->capture_default_str();
    app.add_option("--repeats", options.repeats, "measure exactly so many frames a case [default: up to 400, by time]")
        ->check(CLI::Range(std::size_t{1}, std::size_t{1000000}));
    app.add_flag("--quick", options.quick, "few frames, and no case of more than 4,096 agents: a look, not a figure");
    app.set_help_flag("--help", "print this text and stop");
    try {
        app.parse(count, arguments);
        if (options.list) {
            for (const Case* c : chosen_cases(options))
                std::printf("%s\n", c->name);
            return 0;
        }
        if (chosen_cases(options).empty()) return refuse("--filter matches no case; --list names them");
        std::ofstream json;
        if (!options.json.empty()) {
            json.open(options.json);
            if (!json) return refuse("--json: " + options.json + " cannot be written");
        }
        return run(options, count, arguments, json);
    } catch (const CLI::CallForHelp&) {
        std::printf("%s", app.help().c_str());
        return 0;
    } catch (const CLI::ParseError& error) {
        return refuse(error.what());
    } catch (const std::regex_error& error) {
        return refuse("--filter is no regular expression: " + std::string(error.what()));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "augur_bench: %s\n", error.what());
        return kFailed;
    }
}
