#include "scenes/scenes.h"

#include "scenes/connect_four.h"
#include "scenes/skirmish.h"

namespace augur::demo {
namespace {

template <class SceneType>
std::unique_ptr<Scene> make(const SceneSetup& setup) {
    return std::make_unique<SceneType>(setup);
}

// name, title, summary, model, agents (default, least, most), simulations, maker
constexpr SceneInfo kScenes[] = {
    {"skirmish", "Skirmish", "two armies, every unit planned every frame", "skirmish", 4096, 2, 65536, 32,
     make<SkirmishScene>},
    {"connect_four", "Connect Four", "play against one large tree; more agents play more boards", "connect_four", 1, 1,
     49, 1024, make<ConnectFourScene>},
};

}  // namespace

std::span<const SceneInfo> scenes() {
    return kScenes;
}

const SceneInfo* find_scene(std::string_view name) {
    for (const SceneInfo& info : kScenes) {
        if (name == info.name) return &info;
    }
    return nullptr;
}

}  // namespace augur::demo
