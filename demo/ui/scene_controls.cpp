// The tab with the scene's own switches.
#include "ui/overlay.h"
#include "ui/theme.h"

namespace augur::demo {

void scene_controls(const OverlayFacts& facts, OverlayWishes&) {
    theme::heading("SHOWN");
    facts.scene.controls();
    theme::gap(6.0f);
    theme::heading("TIMELINE");
    theme::hint(
        "The wheel scrolls back. A triangle marks a frame that stands out; a click pins a frame and shows its stages.");
}

}  // namespace augur::demo
