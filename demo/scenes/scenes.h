// The table of scenes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace augur::demo {

class Scene;
struct SceneSetup;

inline constexpr std::uint32_t kFewestSimulations = 1;
inline constexpr std::uint32_t kMostSimulations = 4096;

struct SceneInfo {
    const char* name;     ///< what --scene takes
    const char* title;    ///< what the overlay shows
    const char* summary;  ///< one line
    const char* model;    ///< its own model, by name
    std::uint32_t default_agents;
    std::uint32_t min_agents;
    std::uint32_t max_agents;
    std::uint32_t default_simulations;
    std::unique_ptr<Scene> (*make)(const SceneSetup& setup);
};

/// Every scene, in the order in which the overlay offers them.
std::span<const SceneInfo> scenes();

/// The scene called `name`, or null.
const SceneInfo* find_scene(std::string_view name);

}  // namespace augur::demo
