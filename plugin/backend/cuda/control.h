// What host and device tell each other about a frame: one block each way in pinned memory that both see, and the
// device's own copy.
#ifndef AUGUR_BACKEND_CUDA_CONTROL_H
#define AUGUR_BACKEND_CUDA_CONTROL_H

#include "core/allotment.h"
#include "core/choose.h"
#include "core/fetch.h"
#include "core/search_parts.h"
#include "core/settings.h"
#include "core/turn_length.h"

namespace augur::cuda {

// Stages that the device times, in order; each ends where the next begins.
enum DeviceStage : std::uint32_t { kBegin, kFetch, kGrid, kGather, kCarry, kSearch, kFinalise, kDone, kDeviceStages };

// Written by the host before the launch.
struct alignas(16) FrameOrder {
    core::FrameKey key;
    core::AllotmentOrder allotment;
    std::uint64_t deadline;    // of the search, device time; 0: none
    std::uint64_t drop_after;  // actions that are not there by then are not written, device time; 0: they always are
    std::uint64_t sequence;    // echoed in FrameReport
    std::uint32_t source_count;
    std::uint32_t watched;  // 1: measure the parts of the search
    core::SinkView sink;
    core::SourceView urgency;
    core::SourceView observation;  // learned games: rows of numbers
    core::SourceView sources[core::kMaxSources];
};

// Written by the device when the actions are in place; sequence last.
struct alignas(16) FrameReport {
    std::uint64_t times[kDeviceStages];  // device time
    std::uint64_t decision_hash;
    std::uint64_t simulations;
    core::PartTimes parts;  // of the search
    std::uint32_t flag_counts[16];
    std::uint32_t agents_flagged;
    std::uint32_t trees_carried;
    std::uint32_t trees_warmed;
    std::uint32_t trees_reset;
    std::uint32_t actions_dropped;  // 1: they came too late
    std::uint64_t nodes_carried;
    core::AllotmentReport allotted;
    std::uint64_t sequence;
};

// In device memory.
struct FrameState {
    FrameOrder order;
    FrameReport report;
    std::uint32_t stop;             // 1: end at the next boundary
    std::uint32_t finished_blocks;  // of the last kernel
    std::uint32_t active_agents;    // wave form
    std::uint32_t listed[2];        // wave form: of them in each of the lists
    std::uint32_t wave_blocks;      // wave form: blocks of the backup kernel that are done
    std::uint32_t trees_taken;      // fused form: beyond those that its blocks began with
    std::uint32_t rows;             // guided wave form: leaves that wait for the network
    std::uint64_t waiting_since;    // guided wave form: when the last of them was found, device time
    core::TurnLength turn;          // wave form; stays from frame to frame
};

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_CONTROL_H
