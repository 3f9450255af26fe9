// The tab that makes the machine busy, and tells what the AI costs then.
#include <algorithm>
#include <iterator>

#include "ui/overlay.h"
#include "ui/theme.h"

namespace augur::demo {
namespace {

std::string pair_of(const Percentiles& found) {
    return theme::milliseconds(found.p50) + ", " + theme::milliseconds(found.p99) + " ms";
}

// How searches and evaluations share the GPU; what this machine cannot do is answered by what it can.
void sharing_choice(const OverlayFacts& facts, OverlayWishes& wishes) {
    static const char* const kFirst[] = {"Auto", "Plain", "Priority"};
    static const char* const kSecond[] = {"Part", "Adaptive", "Turns"};
    static const char* const kNames[] = {"auto", "plain", "by priority", "a part each", "a part by need", "in turns"};
    const auto chosen = static_cast<int>(wishes.search.gpu_sharing);
    int first = chosen < 3 ? chosen : -1;
    int second = chosen - 3;
    theme::gap(0.0f);
    if (theme::segmented("sharing", &first, kFirst, 3)) {
        wishes.search.gpu_sharing = static_cast<std::uint32_t>(first);
        wishes.apply_search = true;
    }
    if (theme::segmented("more sharing", &second, kSecond, 3)) {
        wishes.search.gpu_sharing = static_cast<std::uint32_t>(second + 3);
        wishes.apply_search = true;
    }
    theme::gap(0.0f);
    theme::slider_float("Phase weight of the search", &wishes.search.phase_weight, 0.1f, 10.0f, "%.1f");
    theme::slider_float("Depth weight of the search", &wishes.search.depth_weight, 0.1f, 10.0f, "%.1f");
    const std::uint32_t used = facts.session.capabilities().gpu_sharing;
    theme::row("The GPU is shared", used < std::size(kNames) ? kNames[used] : "in another way");
}

}  // namespace

void load_controls(const OverlayFacts& facts, OverlayWishes& wishes) {
    theme::heading("RENDERING");
    theme::slider_float("Shading added to each frame", &wishes.render_load_ms, 0.0f, kMostRenderLoadMs,
                        wishes.render_load_ms > 0.0f ? "%.1f ms" : "none");
    theme::hint(
        "Haze over the world: so many milliseconds of it when nothing else runs. Beside the search it takes longer.");
    theme::gap(8.0f);

    theme::heading("REWARD MODEL");
    theme::slider_int("Rows through the model each frame", &wishes.model_load_rows, 0, static_cast<int>(kMostLoadRows),
                      wishes.model_load_rows > 0 ? "%.0f" : "none", true);
    wishes.apply_load = wishes.apply_load || ImGui::IsItemDeactivatedAfterEdit();
    if (facts.model_load.is_open()) {
        theme::row("Batch, p50 and p99", pair_of(facts.model_load.batch_ms().percentiles()), theme::kModel);
        theme::row("of it in the queue", pair_of(facts.model_load.queued_ms().percentiles()));
    } else {
        theme::hint("A batch of the scene's network beside the search, as a game's own reward model would be.");
    }
    theme::toggle("Search and model share the budget", &wishes.share_budget);
    if (facts.session.capabilities().backend == AUGUR_BACKEND_CUDA) sharing_choice(facts, wishes);
    theme::gap(8.0f);

    theme::heading("A/B");
    theme::toggle("AI on and off in turns", &wishes.compare);
    theme::slider_float("Length of a turn", &wishes.compare_seconds, 0.5f, 10.0f, "%.1f s");
    theme::hint(
        "Whole frames are compared, by the clock on the wall, without waiting for the screen: what overlaps is not "
        "counted "
        "twice, and what one slows down in the other is counted.");
    theme::gap(8.0f);

    theme::heading("WHOLE FRAMES");
    theme::row("Frame, p50 and p99", pair_of(facts.frame_ms.percentiles()));
    theme::row("Until a search begins", pair_of(facts.session.wait_ms().percentiles()));
    theme::row("Held up by collecting", pair_of(facts.session.collect_ms().percentiles()));
    theme::row("Frames that stood out", std::to_string(facts.history.spikes()));
}

}  // namespace augur::demo
