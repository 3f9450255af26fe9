#include "app/options.h"

#include <CLI/CLI.hpp>
#include <array>
#include <charconv>
#include <cstdio>
#include <tuple>

#include "app/assets.h"
#include "app/model_load.h"
#include "draw/render_load.h"
#include "scenes/scenes.h"

namespace augur::demo {
namespace {

constexpr int kLargestSide = 16384;
constexpr std::int64_t kMostFrames = 1000000000;
constexpr std::int64_t kLongestBudgetUs = 1000000;
constexpr double kShortestAbSeconds = 0.05;
constexpr double kLongestAbSeconds = 60.0;

/// Reads "1920x1080". Both sides 0 is a minimised window, which is allowed.
bool read_size(const std::string& text, Extent& size) {
    const char* end = text.data() + text.size();
    const auto [after_width, width_error] = std::from_chars(text.data(), end, size.width);
    if (width_error != std::errc{} || after_width == end || *after_width != 'x') return false;
    const auto [after_height, height_error] = std::from_chars(after_width + 1, end, size.height);
    return height_error == std::errc{} && after_height == end && size.width >= 0 && size.height >= 0 &&
           size.width <= kLargestSide && size.height <= kLargestSide;
}

std::string short_text(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%g", value);
    return text.data();
}

std::string range_text(const char* name, std::int64_t value, std::int64_t low, std::int64_t high) {
    return std::string(name) + " is " + std::to_string(value) + ", allowed " + std::to_string(low) + ".." +
           std::to_string(high);
}

/// A number from the command line that has a range.
struct Ranged {
    const CLI::Option* option;
    const char* name;
    std::int64_t value;
    std::int64_t low;
    std::int64_t high;
};

}  // namespace

ParsedOptions parse_options(int argc, const char* const* argv) {
    ParsedOptions parsed;
    Options& options = parsed.options;
    CLI::App app("Augur's demo: thousands of game agents that plan every frame.", "augur_demo");
    std::string backend = "auto";
    std::string selection = "puct";
    std::string size = "1920x1080";
    // Read as signed numbers first, so that a negative one is refused with its range and not as "not a number".
    std::int64_t agents = 0;
    std::int64_t frames = 0;
    std::int64_t simulations = 0;
    std::int64_t budget_us = 0;
    std::int64_t model_load = 0;
    double render_load = 0.0;
    double ab_seconds = 0.0;

    app.add_flag("--headless", options.headless, "draw without a display, through EGL");
    app.add_option("--scene", options.scene, "which scene to show")->capture_default_str();
    auto* agents_given = app.add_option("--agents", agents, "how many agents plan");
    auto* frames_given = app.add_option("--frames", frames, "stop after this many frames (headless: 120)");
    app.add_option("--backend", backend, "who searches: auto, cpu or cuda")
        ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
        ->capture_default_str();
    auto* model_given =
        app.add_option(
               "--model", options.model,
               "network that guides the search: none, default (the scene's own), the name of one in assets/models, "
               "or an ONNX file")
            ->capture_default_str();
    auto* selection_given =
        app.add_option("--selection", selection, "how the search selects: puct, uct, or gumbel (with a model)")
            ->check(CLI::IsMember({"puct", "uct", "gumbel"}))
            ->capture_default_str();
    auto* simulations_given = app.add_option("--simulations", simulations, "simulations per agent and frame");
    auto* budget_given =
        app.add_option("--budget-us", budget_us, "time budget per frame in microseconds; 0, the default: none");
    auto* profile_given = app.add_option(
        "--profile", options.profile, "take the search's settings from this profile (JSON); arguments come after it");
    auto* save_given =
        app.add_option("--save-profile", options.save_profile, "write the settings in use at the end to this profile");
    auto* render_given =
        app.add_option("--render-load", render_load, "extra shading each frame, in milliseconds of it measured alone");
    auto* load_given = app.add_option("--model-load", model_load,
                                      "rows that go through the model each frame, beside the search (the scene's own "
                                      "model where --model is none)");
    auto* ab_given =
        app.add_option("--ab", ab_seconds, "turn the AI on and off every so many seconds and compare whole frames");
    app.add_option("--seed", options.seed, "seed of the world and of the search")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
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
    } catch (const CLI::ConversionError& error) {
        parsed.exit_code = kMistake;
        parsed.text = std::string("augur_demo: this is not a number that can be used: ") + error.what() +
                      "\nTry --help for the list of arguments.\n";
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
                           std::to_string(info.default_agents) + "; model " + info.model + ")\n";
        }
        return parsed;
    }
    std::string mistake;
    const SceneInfo* scene = find_scene(options.scene);
    if (scene == nullptr) {
        std::string names;
        for (const SceneInfo& info : scenes())
            names += (names.empty() ? "" : ", ") + std::string(info.name);
        mistake = "--scene is \"" + options.scene + "\", allowed " + names;
    } else {
        for (const Ranged& ranged :
             {Ranged{agents_given, "--agents", agents, scene->min_agents, scene->max_agents},
              Ranged{frames_given, "--frames", frames, 1, kMostFrames},
              Ranged{simulations_given, "--simulations", simulations, kFewestSimulations, kMostSimulations},
              Ranged{budget_given, "--budget-us", budget_us, 0, kLongestBudgetUs},
              Ranged{load_given, "--model-load", model_load, 0, kMostLoadRows}}) {
            if (ranged.option->count() > 0 && (ranged.value < ranged.low || ranged.value > ranged.high)) {
                mistake = range_text(ranged.name, ranged.value, ranged.low, ranged.high);
            }
        }
    }
    // Written so that what is not a number is refused too.
    if (mistake.empty() && render_given->count() > 0 && !(render_load >= 0.0 && render_load <= kMostRenderLoadMs)) {
        mistake = "--render-load is " + short_text(render_load) + ", allowed 0.." + short_text(kMostRenderLoadMs);
    }
    if (mistake.empty() && ab_given->count() > 0 &&
        !(ab_seconds >= kShortestAbSeconds && ab_seconds <= kLongestAbSeconds)) {
        mistake = "--ab is " + short_text(ab_seconds) + ", allowed " + short_text(kShortestAbSeconds) + ".." +
                  short_text(kLongestAbSeconds);
    }
    for (const auto& [given, name, value] : {std::tuple{profile_given, "--profile", &options.profile},
                                             std::tuple{save_given, "--save-profile", &options.save_profile}}) {
        if (mistake.empty() && given->count() > 0 && value->empty())
            mistake = std::string(name) + " is \"\", allowed the path of a file";
    }
    if (mistake.empty() && !read_size(size, options.size)) {
        mistake = "--size is \"" + size + "\", allowed WIDTHxHEIGHT, each 0.." + std::to_string(kLargestSide);
    }
    if (mistake.empty() && options.model.empty()) {
        mistake = "--model is \"\", allowed none, default, a name (" + shipped_models() + ") or a path";
    }
    if (mistake.empty() && selection == "gumbel" && options.model == "none" &&
        (model_given->count() > 0 || profile_given->count() == 0)) {
        mistake = "--selection is gumbel and --model is none: Gumbel selection needs a model";
    }
    if (!mistake.empty()) {
        parsed.exit_code = kMistake;
        parsed.text = "augur_demo: " + mistake + "\nTry --help for the list of arguments.\n";
        return parsed;
    }
    if (agents_given->count() > 0) options.agents = static_cast<std::uint32_t>(agents);
    if (frames_given->count() > 0) options.frames = static_cast<std::uint64_t>(frames);
    if (simulations_given->count() > 0) options.simulations = static_cast<std::uint32_t>(simulations);
    if (budget_given->count() > 0) options.budget_us = static_cast<std::uint32_t>(budget_us);
    options.model_given = model_given->count() > 0;
    options.model_load_rows = static_cast<std::uint32_t>(model_load);
    options.render_load_ms = static_cast<float>(render_load);
    options.ab_seconds = ab_seconds;
    options.backend = backend == "cpu"    ? BackendChoice::kCpu
                      : backend == "cuda" ? BackendChoice::kCuda
                                          : BackendChoice::kAuto;
    if (selection_given->count() > 0) {
        options.selection = selection == "gumbel" ? AUGUR_SELECTION_GUMBEL
                            : selection == "uct"  ? AUGUR_SELECTION_UCT
                                                  : AUGUR_SELECTION_PUCT;
    }
    parsed.run = true;
    return parsed;
}

}  // namespace augur::demo
