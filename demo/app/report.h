// The figures of a run as a JSON file.
#pragma once

#include <string>

#include "app/planner_session.h"

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
};

/// Writes the report. Returns false and a sentence in `error` when the file cannot be written.
bool write_report(const std::string& path, const ReportFacts& facts, std::string& error);

}  // namespace augur::demo
