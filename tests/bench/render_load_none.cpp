#include "render_load.h"

namespace augur::bench {

std::unique_ptr<RenderLoad> make_render_load(double, std::string& why_not) {
    why_not = "built without EGL";
    return nullptr;
}

}  // namespace augur::bench
