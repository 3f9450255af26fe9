// The colours of stages and parts, the same in every panel.
#pragma once

#include <array>

#include "app/frame_history.h"
#include "ui/theme.h"

namespace augur::demo {

/// Stages that make up a plan, in their order; the call that collects it goes beside them.
inline constexpr std::array<std::uint32_t, 13> kPlanStages = {
    AUGUR_STAGE_SUBMIT,  AUGUR_STAGE_WAIT,     AUGUR_STAGE_FETCH,  AUGUR_STAGE_GRID,   AUGUR_STAGE_GATHER,
    AUGUR_STAGE_CARRY,   AUGUR_STAGE_SEARCH,   AUGUR_STAGE_SELECT, AUGUR_STAGE_EXPAND, AUGUR_STAGE_EVALUATE,
    AUGUR_STAGE_BACK_UP, AUGUR_STAGE_FINALISE, AUGUR_STAGE_COPY,
};
/// Parts of the search, drawn over it.
inline constexpr std::array<std::uint32_t, 4> kSearchParts = {AUGUR_STAGE_SELECT, AUGUR_STAGE_EXPAND,
                                                              AUGUR_STAGE_EVALUATE, AUGUR_STAGE_BACK_UP};

/// Muted for what surrounds the search, the accent for the search itself.
inline constexpr std::array<ImU32, AUGUR_STAGE_COUNT> kStageColors = {
    IM_COL32(126, 134, 150, 255),  // submit
    IM_COL32(146, 104, 116, 255),  // wait: others were there first
    IM_COL32(92, 122, 196, 255),   // fetch
    IM_COL32(96, 148, 206, 255),   // grid
    IM_COL32(128, 172, 212, 255),  // gather
    IM_COL32(120, 214, 200, 255),  // search
    IM_COL32(86, 178, 226, 255),   // evaluate: rollouts; see stage_color
    IM_COL32(238, 206, 120, 255),  // finalise
    IM_COL32(222, 132, 112, 255),  // copy
    IM_COL32(146, 104, 116, 255),  // collect: the game stood still
    IM_COL32(170, 200, 110, 255),  // carry
    IM_COL32(120, 214, 200, 255),  // select
    IM_COL32(176, 236, 180, 255),  // expand
    IM_COL32(70, 152, 160, 255),   // back up
};

/// What the AI costs the game's thread in its colours, the rest in quiet ones.
inline constexpr std::array<ImU32, kPartCount> kPartColors = {
    IM_COL32(196, 226, 140, 255),  // request
    IM_COL32(92, 122, 196, 255),   // drawing
    IM_COL32(120, 214, 200, 255),  // wait for plan
    theme::kModel,                 // model load
    IM_COL32(110, 120, 140, 255),  // overlay
    IM_COL32(62, 70, 86, 255),     // rest
};

/// Evaluation by a model has the model's colour.
inline ImU32 stage_color(std::uint32_t stage, bool guided) {
    return stage == AUGUR_STAGE_EVALUATE && guided ? theme::kModel : kStageColors[stage];
}

/// The name in a legend.
inline const char* stage_label(std::uint32_t stage, bool guided) {
    return stage == AUGUR_STAGE_EVALUATE ? (guided ? "model" : "rollouts") : augur_stage_name(stage);
}

inline double stage_ms(const augur_timeline_frame& frame, std::uint32_t stage) {
    const augur_stage_span& span = frame.stages[stage];
    return span.end_ns > span.begin_ns ? static_cast<double>(span.end_ns - span.begin_ns) * 1e-6 : 0.0;
}

}  // namespace augur::demo
