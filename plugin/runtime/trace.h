// A timeline as a file for Chrome's tracing page or Perfetto.
// Format: "Trace Event Format" (Google, 2016), complete events ("ph": "X"), times in microseconds.
#ifndef AUGUR_RUNTIME_TRACE_H
#define AUGUR_RUNTIME_TRACE_H

#include "runtime/timeline.h"

namespace augur {

// AUGUR_OK or AUGUR_ERROR_IO. planner_name: plain text shown as the name of the process.
augur_result write_trace(const char* path, const Timeline& timeline, const char* planner_name);

}  // namespace augur

#endif  // AUGUR_RUNTIME_TRACE_H
