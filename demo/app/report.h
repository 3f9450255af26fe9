// The figures of a run as a JSON file.
#pragma once

#include <string>

#include "app/ab_test.h"
#include "app/frame_history.h"
#include "app/model_load.h"
#include "app/planner_session.h"
#include "draw/render_load.h"
#include "scenes/scene.h"

namespace augur::demo {

struct ReportFacts {
    const char* scene;
    const PlannerSession& session;
    const Samples& frame_ms;
    const GlInfo& gl;
    const char* surface;
    std::uint32_t agents;
    std::uint64_t frames;
    std::uint64_t ticks;
    Extent picture;
    const std::string& profile;  ///< file that the settings came from; empty: none
    const FrameHistory& history;
    const AbTest& ab;
    const RenderLoad& render_load;
    const ModelLoad& model_load;
    const Thoughts& thoughts;
};

/// Writes the report. Returns false and a sentence in `error` when the file cannot be written.
bool write_report(const std::string& path, const ReportFacts& facts, std::string& error);

}  // namespace augur::demo
