// The command line of the demo.
#pragma once

#include <augur/augur.h>

#include <cstdint>
#include <optional>
#include <string>

#include "app/surface.h"

namespace augur::demo {

/// Exit code after a mistake on the command line.
inline constexpr int kMistake = 2;

enum class BackendChoice { kAuto, kCpu, kCuda };

struct Options {
    bool headless = false;
    bool list_scenes = false;
    std::string scene = "skirmish";
    BackendChoice backend = BackendChoice::kAuto;
    std::optional<std::uint32_t> agents;       ///< the scene's own default otherwise
    std::optional<std::uint64_t> frames;       ///< unlimited in a window, 120 headless
    std::optional<std::uint32_t> simulations;  ///< the scene's own default otherwise
    std::optional<std::uint32_t> budget_us;    ///< 0, the default, is no time limit: the simulations alone count
    std::string model = "none";                ///< none, default (the scene's own), a shipped model's name, a path
    bool model_given = false;                  ///< on the command line
    std::optional<std::uint32_t> selection;    ///< augur_selection; PUCT otherwise
    std::string profile;                       ///< file to take the settings from; what is given by name comes after it
    std::string save_profile;                  ///< file for the settings at the end
    float render_load_ms = 0.0f;               ///< extra shading per frame
    std::uint32_t model_load_rows = 0;         ///< rows through the model per frame, beside the search
    double ab_seconds = 0.0;                   ///< the AI is on and off in turns of this length; 0: always on
    std::uint64_t seed = 1;
    Extent size = {1920, 1080};
    std::string screenshot;
    std::string trace;
    std::string report;
};

struct ParsedOptions {
    Options options;
    bool run = false;   ///< false: `text` is all there is to do
    int exit_code = 0;  ///< 0 after --help and --list-scenes, 2 after a mistake
    std::string text;   ///< for standard output when exit_code is 0, for standard error otherwise
};

/// Reads the command line. Never prints and never exits.
ParsedOptions parse_options(int argc, const char* const* argv);

}  // namespace augur::demo
