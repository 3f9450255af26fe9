#include "app/options.h"

#include <CLI/CLI.hpp>
#include <charconv>

#include "scenes/scenes.h"

namespace augur::demo {
namespace {

constexpr int kMistake = 2;
constexpr int kLargestSide = 16384;

/// Reads "1920x1080". Both sides 0 is a minimised window, which is allowed.
bool read_size(const std::string& text, Extent& size) {
    const char* end = text.data() + text.size();
    const auto [after_width, width_error] = std::from_chars(text.data(), end, size.width);
    if (width_error != std::errc{} || after_width == end || *after_width != 'x') return false;
    const auto [after_height, height_error] = std::from_chars(after_width + 1, end, size.height);
    return height_error == std::errc{} && after_height == end && size.width >= 0 && size.height >= 0 &&
           size.width <= kLargestSide && size.height <= kLargestSide;
}

std::string range_text(const char* name, std::uint64_t value, std::uint64_t low, std::uint64_t high) {
    return std::string(name) + " is " + std::to_string(value) + ", allowed " + std::to_string(low) + ".." +
           std::to_string(high);
}

/// What the types alone do not catch: names that do not exist and numbers that a scene does not take.
std::string find_mistake(const Options& options) {
    const SceneInfo* scene = find_scene(options.scene);
    if (scene == nullptr) {
        std::string names;
        for (const SceneInfo& info : scenes())
            names += (names.empty() ? "" : ", ") + std::string(info.name);
        return "--scene is \"" + options.scene + "\", allowed " + names;
    }
    if (options.agents && (*options.agents < scene->min_agents || *options.agents > scene->max_agents)) {
        return range_text("--agents", *options.agents, scene->min_agents, scene->max_agents) + " in scene " +
               scene->name;
    }
    return {};
}

}  // namespace

ParsedOptions parse_options(int argc, const char* const* argv) {
    ParsedOptions parsed;
    Options& options = parsed.options;
    CLI::App app("Augur's demo: thousands of game agents that plan every frame.", "augur_demo");
    std::string backend = "auto";
    std::string size = "1920x1080";

    app.add_flag("--headless", options.headless, "draw without a display, through EGL");
    app.add_option("--scene", options.scene, "which scene to show")->capture_default_str();
    app.add_option("--agents", options.agents, "how many agents plan");
    app.add_option("--frames", options.frames, "stop after this many frames")->check(CLI::Range(1ULL, 1000000000ULL));
    app.add_option("--backend", backend, "who searches: auto, cpu or cuda")
        ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
        ->capture_default_str();
    app.add_option("--simulations", options.simulations, "simulations per agent and frame")
        ->check(CLI::Range(kFewestSimulations, kMostSimulations));
    auto* budget = app.add_option("--budget-us", options.budget_us, "time budget per frame in microseconds, 0 for none")
                       ->check(CLI::Range(0ULL, 1000000ULL));
    app.add_option("--seed", options.seed, "seed of the world and of the search")->capture_default_str();
    app.add_option("--size", size, "picture size in pixels, such as 1920x1080")->capture_default_str();
    app.add_option("--screenshot", options.screenshot, "write the last frame to this PNG file");
    app.add_option("--trace", options.trace, "write the timeline to this Chrome/Perfetto JSON file");
    app.add_option("--report", options.report, "write the figures of the run to this JSON file");
    app.add_flag("--list-scenes", options.list_scenes, "list the scenes and stop");
    app.set_help_flag("--help", "print this text and stop");

    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        parsed.text = app.help();
        return parsed;
    } catch (const CLI::ParseError& error) {
        parsed.exit_code = kMistake;
        parsed.text = std::string("augur_demo: ") + error.what() + "\nTry --help for the list of arguments.\n";
        return parsed;
    }
    if (options.list_scenes) {
        for (const SceneInfo& info : scenes()) {
            parsed.text += std::string(info.name) + "  " + info.summary + " (agents " +
                           std::to_string(info.min_agents) + ".." + std::to_string(info.max_agents) + ", default " +
                           std::to_string(info.default_agents) + ")\n";
        }
        return parsed;
    }
    std::string mistake = find_mistake(options);
    if (mistake.empty() && !read_size(size, options.size)) {
        mistake = "--size is \"" + size + "\", allowed WIDTHxHEIGHT, each 0.." + std::to_string(kLargestSide);
    }
    if (!mistake.empty()) {
        parsed.exit_code = kMistake;
        parsed.text = "augur_demo: " + mistake + "\nTry --help for the list of arguments.\n";
        return parsed;
    }
    options.budget_given = budget->count() > 0;
    options.backend = backend == "cpu"    ? BackendChoice::kCpu
                      : backend == "cuda" ? BackendChoice::kCuda
                                          : BackendChoice::kAuto;
    parsed.run = true;
    return parsed;
}

}  // namespace augur::demo
