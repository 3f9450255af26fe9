// The search that a network guides, in two forms with the same results: fused, one kernel that holds its trees, their
// network and all (small networks of dense layers); and waves, where the network's own kernels stand between descent
// and backup (any network).
#ifndef AUGUR_BACKEND_CUDA_GUIDED_KERNELS_CUH
#define AUGUR_BACKEND_CUDA_GUIDED_KERNELS_CUH

#include <optional>
#include <type_traits>

#include "backend/cuda/fused_network.cuh"
#include "backend/cuda/group_backup.cuh"
#include "backend/cuda/guided_tree.cuh"
#include "backend/cuda/search_kernels.cuh"
#include "backend/cuda/seat.h"
#include "backend/cuda/usual_network.cuh"
#include "core/latent_leaf.h"

namespace augur::cuda {

// Lanes that share a guided tree.
inline constexpr int kGuidedLanes = 8;

// What a batch in device memory says of a row.
template <class R>
__device__ __forceinline__ core::Advice advice_of(const DeviceArrays<R>& arrays, const SeatView& seat,
                                                  std::uint32_t row) {
    const std::uint32_t outputs = core::value_outputs(seat.value_kind);
    std::uint32_t actions = R::kActions;
    if constexpr (core::Latent<R>) actions = arrays.learned.action_count;
    return {seat.logits != nullptr ? seat.logits + static_cast<std::size_t>(row) * actions : nullptr,
            seat.values != nullptr ? seat.values + static_cast<std::size_t>(row) * outputs : nullptr, seat.value_kind,
            seat.value_scale};
}

// Puts a node that is not the root into a row of the batch: its features, or the ply that leads to it.
template <class R, class T, class Lanes>
__device__ __forceinline__ void ask_network(const DeviceArrays<R>& arrays, const SeatView& seat, std::uint32_t row,
                                            std::uint32_t agent, const T& tree, std::uint32_t node, Lanes lanes) {
    const std::size_t at = row;
    if constexpr (core::Latent<R>) {
        const LearnedView& learned = arrays.learned;
        const core::NodeHeader<R>& header = tree.header(node);
        core::write_ply(learned.ply_states + at * learned.ply_state_stride,
                        learned.ply_actions + at * learned.ply_action_stride,
                        learned.latent(agent, header.parent, arrays.pool.node_capacity), learned.state_count,
                        learned.action_count, header.action[0], lanes);
    } else {
        core::write_features<R>(seat.features + at * R::kFeatures, tree.state(node), lanes);
    }
}

// Takes what the batch says of a node's row; all lanes of a warp call it, and those of a group get the same answer, the
// leader's flags counting. advised: there is a row. False where there is none, or nothing to go on from.
template <class R, class T, class Lanes>
__device__ __forceinline__ bool hear_network(const DeviceArrays<R>& arrays, const SeatView& seat, std::uint32_t row,
                                             std::uint32_t agent, const T& tree, std::uint32_t node,
                                             std::uint32_t& flags, Lanes lanes, bool advised) {
    const std::uint32_t heard_row = advised ? row : 0, heard_node = advised ? node : 0;
    bool sound = advised;
    if constexpr (core::Latent<R>) {
        const LearnedView& learned = arrays.learned;
        sound = core::hear_state<R>(tree, heard_node, learned.heard(heard_row),
                                    learned.latent(agent, heard_node, arrays.pool.node_capacity), learned.state_count,
                                    flags, lanes, advised);
    }
    core::take_advice<R>(tree, heard_node, advice_of<R>(arrays, seat, heard_row), flags, lanes, sound);
    return sound;
}

// How a fused kernel's block divides its shared memory.
struct FusedShape {
    std::uint32_t hot_nodes;       // of each tree
    std::uint32_t tree_slots;      // trees that have a place, at most those of a block
    std::uint32_t weights_shared;  // 1: weights and constants lie in shared memory; not of the usual network
};

// Static shared memory of a fused block, and what the driver keeps.
inline constexpr std::size_t kFusedStaticBytes = 2048;

struct FusedFit {
    std::uint32_t trees;  // of a block, 16 or 32; of the usual network 16
    bool usual;           // the network runs as the usual one
    bool whole;           // every node of a tree has a place in shared memory; of the usual network only
    FusedShape shape;
    std::size_t bytes;  // of dynamic shared memory
};

// The GPU that a fused kernel is to run on.
struct FusedDevice {
    std::uint32_t multiprocessors;
    std::size_t multiprocessor_bytes;  // shared memory of one
    std::size_t block_bytes;           // dynamic shared memory that a block may have
};

// Shared memory of a fused block of fit.trees trees.
template <class R>
std::size_t fused_bytes(const FusedNetwork& network, const FusedFit& fit) {
    const std::size_t trees = fit.shape.tree_slots * hot_guided_bytes<R>(fit.shape.hot_nodes);
    if (fit.usual) return trees + UsualLayout<R::kFeatures>::bytes(network.usual.blocks());
    const std::size_t weights = fit.shape.weights_shared != 0
                                    ? network.weight_words * std::size_t{16} + network.constant_words * std::size_t{4}
                                    : 0;
    return trees + weights + static_cast<std::size_t>(fit.trees) * network.row_bytes;
}

// What a fused block looks like; of nodes it holds what goes in. The usual network: 16 trees, and two blocks to a
// multiprocessor where there are trees for them, one of which searches while the other waits. Others, while every
// multiprocessor has its trees at once: up to 32 of them, the weights in shared memory if that leaves room for the
// nodes that are visited most. With more trees than that small blocks are better, several to a multiprocessor, which
// take turns at what they wait for; weights and later nodes are then left to the cache (measured:
// docs/benchmarks/h200.md). Nothing: no room.
template <class R>
std::optional<FusedFit> fit_fused(const FusedNetwork& network, std::uint32_t agents, std::uint32_t node_capacity,
                                  const FusedDevice& device) {
    constexpr std::uint32_t kFewHotNodes = 16, kHotNodesOfMany = 12;
    const auto fit_in = [&](std::uint32_t trees, bool usual, std::uint32_t weights_shared, std::uint32_t hot_nodes,
                            std::size_t room) {
        FusedFit fit = {trees, usual, false, {hot_nodes, kit::minimum(trees, agents), weights_shared}, 0};
        while (fit.shape.hot_nodes > 0 && fused_bytes<R>(network, fit) > room)
            fit.shape.hot_nodes -= fit.shape.hot_nodes > 256 ? fit.shape.hot_nodes / 16 : 1;
        fit.bytes = fused_bytes<R>(network, fit);
        fit.whole = usual && fit.shape.hot_nodes >= node_capacity;
        return fit;
    };
    const std::size_t limit = device.block_bytes;
    const bool fills = agents > 16 * device.multiprocessors, many = agents > 32 * device.multiprocessors;
    if (UsualLayout<R::kFeatures>::kPossible && network.usual.columns != 0) {
        const std::size_t half = device.multiprocessor_bytes / 2 - kFusedStaticBytes;
        const std::size_t room = fills ? kit::minimum(limit, half) : limit;
        const FusedFit fit = fit_in(kUsualRows, true, 0, node_capacity, room);
        if (fit.bytes <= room && fit.shape.hot_nodes >= kit::minimum(node_capacity, kHotNodesOfMany)) return fit;
    }
    for (std::uint32_t weights_shared = many ? 0 : 2; weights_shared-- > 0;) {
        const FusedFit fit = fit_in(fills ? 32 : 16, false, weights_shared, node_capacity, limit);
        if (fit.bytes <= limit && fit.shape.hot_nodes >= kit::minimum(node_capacity, kFewHotNodes)) return fit;
    }
    const FusedFit fit =
        fit_in(16, false, 0, many ? kit::minimum(node_capacity, kHotNodesOfMany) : node_capacity, limit);
    return fit.bytes <= limit ? std::optional(fit) : std::nullopt;
}

// A state as a fused network's input.
template <class R, class Lanes>
__device__ __forceinline__ void write_fused_features(unsigned char* row, const typename R::State& state, bool is_int8,
                                                     float inverse_scale, Lanes lanes) {
    // Small states go into registers; two neighbouring features to a lane. Rows have room for an even number.
    constexpr bool kSmall = sizeof(typename R::State) <= 32;
    std::conditional_t<kSmall, typename R::State, const typename R::State&> seen = state;
    AUGUR_UNROLL
    for (int i = 0; i < R::kFeatures; i += 2 * Lanes::kWidth) {
        const int first = i + 2 * lanes.index();
        if (first >= R::kFeatures) break;
        const float a = R::feature(seen, first);
        const float b = first + 1 < R::kFeatures ? R::feature(seen, first + 1) : 0.0f;
        if (is_int8)
            reinterpret_cast<char2*>(row)[first / 2] =
                make_char2(core::quantise(a, inverse_scale), core::quantise(b, inverse_scale));
        else
            reinterpret_cast<__half2*>(row)[first / 2] = __floats2half2_rn(a, b);
    }
}

// A block's network, ready in shared memory, and the row of it for this thread's tree. Any network:
template <class R, int kTrees>
struct FusedRows {
    const FusedNetwork& network;
    FusedBlock block;
    std::uint32_t row;
    core::ValueKind value_kind;
    float value_scale;

    // All threads of the block; a barrier must follow. memory: goes on behind what is taken of it.
    __device__ __forceinline__ static FusedRows make(const FusedNetwork& network, const SeatView& seat,
                                                     const FusedShape& shape, unsigned char*& memory) {
        FusedBlock block = {network.layers, seat.weights, seat.constants, nullptr};
        if (shape.weights_shared != 0) {
            auto* weights = reinterpret_cast<uint4*>(memory);
            for (std::uint32_t i = threadIdx.x; i < network.weight_words; i += blockDim.x)
                weights[i] = seat.weights[i];
            memory += network.weight_words * sizeof(uint4);
            auto* constants = reinterpret_cast<std::uint32_t*>(memory);
            copy_words(constants, seat.constants, network.constant_words, threadIdx.x, blockDim.x);
            memory += network.constant_words * sizeof(std::uint32_t);
            block.weights = weights;
            block.constants = constants;
        }
        block.tensors = memory;
        memory += kTrees * network.row_bytes;
        // Columns past a row's end are multiplied by zeros: they must be numbers.
        for (std::uint32_t i = threadIdx.x; i < kTrees * network.row_bytes / 16; i += blockDim.x)
            reinterpret_cast<uint4*>(block.tensors)[i] = uint4{0, 0, 0, 0};
        return {network, block, threadIdx.x / kGuidedLanes, seat.value_kind, seat.value_scale};
    }

    __device__ __forceinline__ unsigned char* at(std::uint32_t offset, std::uint32_t stride) const {
        return block.tensors + offset * kTrees + row * stride;
    }
    template <class Lanes>
    __device__ __forceinline__ void write(const typename R::State& state, Lanes lanes) const {
        write_fused_features<R>(at(network.feature_offset, network.feature_stride), state, network.is_int8 != 0,
                                network.inverse_scale, lanes);
    }
    // All threads of the block, behind a barrier after they have written their rows.
    __device__ __forceinline__ void run() const { run_fused<kTrees>(block, network.layer_count, network.is_int8 != 0); }
    __device__ __forceinline__ bool has_value() const { return network.value_stride != 0; }
    __device__ __forceinline__ core::Advice advice() const {
        const auto head = [&](std::uint32_t offset, std::uint32_t stride) {
            return stride != 0 ? reinterpret_cast<const float*>(at(offset, stride)) : nullptr;
        };
        return {head(network.logits_offset, network.logits_stride), head(network.value_offset, network.value_stride),
                value_kind, value_scale};
    }
};

// The usual network:
template <class R>
struct UsualRows {
    UsualNetwork<R::kFeatures> network;
    std::uint32_t row;
    core::ValueKind value_kind;
    float value_scale;

    __device__ __forceinline__ static UsualRows make(const FusedNetwork& network, const SeatView& seat,
                                                     const FusedShape&, unsigned char*& memory) {
        UsualRows rows;
        rows.network.prepare(network, seat.weights, seat.constants, memory);
        memory += UsualLayout<R::kFeatures>::bytes(network.usual.blocks());
        rows.row = threadIdx.x / kGuidedLanes;
        rows.value_kind = seat.value_kind;
        rows.value_scale = seat.value_scale;
        return rows;
    }
    template <class Lanes>
    __device__ __forceinline__ void write(const typename R::State& state, Lanes lanes) const {
        write_fused_features<R>(network.features(row), state, false, 0.0f, lanes);
    }
    __device__ __forceinline__ void run() const { network.run(); }
    __device__ __forceinline__ bool has_value() const { return network.heads().columns > network.heads().value_column; }
    __device__ __forceinline__ core::Advice advice() const {
        const float* outputs = network.outputs(row);
        return {network.heads().value_column != 0 ? outputs : nullptr,
                has_value() ? outputs + network.heads().value_column : nullptr, value_kind, value_scale};
    }
};

// A simulation that has come to its leaf, or a root that waits for the network.
struct FusedLeaf {
    core::Leaf leaf;
    bool reached, fresh, wants;
};

// The first half of a step of a tree: the way down, and what the network is to look at. go: this group's tree takes
// part.
template <class R, class T, class Rows, class Lanes>
__device__ __forceinline__ FusedLeaf fused_descend(const T& tree, core::AgentWork& work, const core::Settings& settings,
                                                   const core::FrameKey& key, std::uint32_t agent, const Rows& rows,
                                                   Lanes lanes, bool at_root, bool go) {
    const std::uint32_t before = work.nodes;
    FusedLeaf out;
    out.leaf = core::descend<R>(tree, work, settings, key.random, agent, work.simulations, lanes, go && !at_root);
    out.reached = go && !at_root && !out.leaf.full;
    out.fresh = work.nodes > before;
    out.wants = at_root ? go : out.reached && core::leaf_wants_network<R>(tree, out.leaf, out.fresh);
    if (out.wants) rows.write(tree.state(out.leaf.node), lanes);
    return out;
}

// The second half, once the network has looked at all rows: what it said, and the way up.
template <class R, class T, class Rows, class Lanes>
__device__ __forceinline__ void fused_back_up(const T& tree, const FusedLeaf& at, core::AgentWork& work,
                                              const core::Settings& settings, const core::FrameKey& key,
                                              std::uint32_t agent, const Rows& rows, Lanes lanes, bool at_root,
                                              bool go) {
    core::take_advice<R>(tree, at.leaf.node, rows.advice(), work.flags, lanes, at.wants);
    lanes.sync();
    if (at_root) {
        if (go && settings.selection == core::Selection::gumbel)
            core::write_root_scores<R>(tree, settings, key.random, agent, lanes);
        return;
    }
    // Without a value head one lane plays the leaf out for all.
    const bool has_value = rows.has_value();
    core::Return<R> result{};
    if (at.reached && (has_value || lanes.leader()))
        result = core::guided_return<R>(tree, at.leaf, at.fresh, has_value, settings, key.random, agent,
                                        work.simulations, work.flags);
    if (!has_value) result.value[0] = lanes.from_leader(result.value[0]);
    if (at.reached) back_up_together<R>(tree, at.leaf.node, result, settings, work.flags, lanes);
    lanes.sync();
    if (!go) return;
    if (at.leaf.full) {
        work.flags |= core::kFlagPoolExhausted;
        work.active = 0;
    } else {
        ++work.simulations;
        if (!core::wants_more<R>(tree, work, settings)) work.active = 0;
    }
}

// Fused form: a block holds kTrees trees, eight lanes each, and loops until all have their simulations or time is up.
// Trees meet only for the network; each warp then goes on by itself to its next leaves. Where there are more trees than
// blocks hold, a block takes the next ones then; with a deadline it gives them a few simulations in turn, as the
// resident form does.
template <class R, int kTrees, bool kUsual, bool kWhole>
__global__ void __launch_bounds__(kTrees* kGuidedLanes, kTrees == 32 ? 1
                                                        : kUsual     ? 2
                                                                     : 3)
    fused_kernel(DeviceArrays<R> arrays, core::Settings settings, SeatView seat, FusedShape shape) {
    using Rows = std::conditional_t<kUsual, UsualRows<R>, FusedRows<R, kTrees>>;
    extern __shared__ __align__(16) unsigned char fused_memory[];
    __shared__ FusedNetwork network;
    __shared__ int stop, late;
    mark_stage(arrays, kSearch);
    const GroupLanes<kGuidedLanes> lanes = GroupLanes<kGuidedLanes>::make();
    const core::FrameKey key = arrays.frame->order.key;
    const std::uint32_t sets = (key.agent_count + kTrees - 1) / kTrees;
    if (blockIdx.x >= sets) return;
    unsigned char* memory = fused_memory;
    copy_words(&network, seat.fused, 1, threadIdx.x, blockDim.x);
    if (threadIdx.x == 0) stop = 0;
    __syncthreads();
    const Rows rows = Rows::make(network, seat, shape, memory);
    const std::uint32_t slot = threadIdx.x / kGuidedLanes;
    // Groups without a place of their own have no tree.
    memory += kit::minimum(slot, shape.tree_slots - 1) * hot_guided_bytes<R>(shape.hot_nodes);

    StopWatch watch = StopWatch::make(arrays);
    const bool in_turns = watch.deadline != 0 && sets > gridDim.x;
    const std::uint32_t quantum = in_turns ? core::kEarlyStopPeriod : key.simulations;
    std::int64_t evaluate_clocks = 0;
    const std::int64_t began_clocks = clock64();
    const std::uint64_t began_ns = device_time_ns();
    for (std::uint32_t target = quantum;; target += quantum) {
        int open = 0;
        for (std::uint32_t set = blockIdx.x; set < sets; set += gridDim.x) {
            const bool valid = set * kTrees + slot < key.agent_count;
            const std::uint32_t agent = valid ? set * kTrees + slot : 0;
            core::AgentWork work = arrays.work[agent];
            const bool advise = target == quantum && valid && core::root_wants_network(work);
            const bool mine = valid && work.active;
            if (threadIdx.x == 0) late = watch.time_is_up(arrays) ? 1 : 0;
            if (!__syncthreads_or(mine || advise)) continue;
            auto tree = place_hot_guided<R, kWhole>(arrays.guided_tree(agent, work.active, settings.selection), memory,
                                                    shape.hot_nodes);
            // Nothing in shared memory may be taken for a tree; and where only that is looked at, a group that has
            // nothing to search goes through the motions with a root that is one.
            const bool taken = mine || advise;
            if (!kWhole && (in_turns || !taken)) tree.count = 0;
            const std::uint32_t nodes_in = taken ? work.nodes : kWhole && slot < shape.tree_slots ? 1 : 0;
            move_nodes<true>(tree, nodes_in, static_cast<std::uint32_t>(lanes.index()), kGuidedLanes);
            lanes.sync();
            const bool begins = late == 0 || (target == quantum && key.simulations == 0);
            for (bool at_root = target == quantum; begins; at_root = false) {
                const bool go = at_root ? advise : mine && work.active && work.simulations < target;
                StopWatch::Glance glance{};
                if (threadIdx.x == 0) glance = watch.look(arrays);
                const FusedLeaf leaf = fused_descend<R>(tree, work, settings, key, agent, rows, lanes, at_root, go);
                if (threadIdx.x == 0 && watch.time_is_up(arrays, glance)) stop = 1;
                evaluate_clocks -= clock64();
                const int going = __syncthreads_or(go);
                if (!going && !at_root) break;
                const int last = stop;
                rows.run();
                evaluate_clocks += clock64();
                fused_back_up<R>(tree, leaf, work, settings, key, agent, rows, lanes, at_root, go);
                if (last && !(at_root && key.simulations == 0)) break;
            }
            if (valid) {
                move_nodes<false>(tree, taken ? work.nodes : 0, static_cast<std::uint32_t>(lanes.index()),
                                  kGuidedLanes);
                if (lanes.leader() && taken) arrays.work[agent] = work;
                open |= mine && work.active ? 1 : 0;
            }
            __syncthreads();
            if (late != 0 && threadIdx.x == 0) stop = 1;
        }
        const int going_on = __syncthreads_or(open);
        const bool stopped = stop != 0;
        __syncthreads();  // before thread 0 may write it again
        if (!going_on || stopped || target >= key.simulations) break;
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        const double share = static_cast<double>(evaluate_clocks) / static_cast<double>(clock64() - began_clocks + 1);
        arrays.frame->report.evaluate_ns =
            static_cast<std::uint64_t>(share * static_cast<double>(device_time_ns() - began_ns));
    }
}

// A place in the batch for every group of the warp that wants one; kNoNode for the others. All lanes get their group's.
__device__ __forceinline__ std::uint32_t take_row(FrameState& frame, bool wants, GroupLanes<kGuidedLanes> lanes) {
    const unsigned leaders = __ballot_sync(kWholeWarp, wants && lanes.leader());
    if (leaders == 0) return core::kNoNode;
    const std::uint32_t lane = threadIdx.x & 31u;
    std::uint32_t first = 0;
    if (lane == 0) first = atomicAdd(&frame.rows, static_cast<std::uint32_t>(__popc(leaders)));
    first = __shfl_sync(kWholeWarp, first, 0);
    const std::uint32_t before = static_cast<std::uint32_t>(__popc(leaders & ((1u << (lane & ~7u)) - 1u)));
    return wants ? first + before : core::kNoNode;
}

// The same for roots of a learned game, whose rows are their agents': the batch ends with the last that wants it.
__device__ __forceinline__ std::uint32_t take_own_row(FrameState& frame, bool wants, std::uint32_t agent,
                                                      GroupLanes<kGuidedLanes> lanes) {
    const unsigned leaders = __ballot_sync(kWholeWarp, wants && lanes.leader());
    const bool last =
        leaders != 0 && (threadIdx.x & 31u) == 31u - static_cast<unsigned>(__clz(static_cast<int>(leaders)));
    if (last) atomicMax(&frame.rows, agent + 1);
    return wants ? agent : core::kNoNode;
}

// Before the network, by all threads of the grid, at the end of what they do.
__device__ __forceinline__ void note_waiting(FrameState& frame) {
    if (threadIdx.x == 0) atomicMax(reinterpret_cast<unsigned long long*>(&frame.waiting_since), device_time_ns());
}

// After the network, by all threads of the grid: its time is counted, and its batch is empty again.
__device__ __forceinline__ void note_evaluation(FrameState& frame) {
    if (global_thread() != 0) return;
    const std::uint64_t now = device_time_ns();
    if (now > frame.waiting_since) frame.report.evaluate_ns += now - frame.waiting_since;
    frame.rows = 0;
}

// Waves, before the first: every root that wants it goes to the network.
template <class R>
__global__ void __launch_bounds__(kSearchThreads) guided_roots_kernel(DeviceArrays<R> arrays, SeatView seat) {
    mark_stage(arrays, kSearch);
    const GroupLanes<kGuidedLanes> lanes = GroupLanes<kGuidedLanes>::make();
    FrameState& frame = *arrays.frame;
    const core::FrameKey& key = frame.order.key;
    const std::uint32_t group = global_thread() / kGuidedLanes;
    const bool valid = group < key.agent_count;
    const std::uint32_t agent = valid ? group : 0;
    // One lane reads the clock for its group.
    const bool late =
        lanes.from_leader(frame.order.deadline != 0 && device_time_ns() >= frame.order.deadline ? 1 : 0) != 0;
    const bool wants = valid && core::root_wants_network(arrays.work[agent]) && (key.simulations == 0 || !late);
    std::uint32_t row;
    if constexpr (core::Latent<R>)
        row = take_own_row(frame, wants, agent, lanes);
    else
        row = take_row(frame, wants, lanes);
    if (core::Latent<R> && global_thread() == 0) frame.listed[0] = frame.active_agents;
    if (valid && lanes.leader()) arrays.pending[agent].row = row;
    if constexpr (!core::Latent<R>) {
        if (wants)
            core::write_features<R>(seat.features + static_cast<std::size_t>(row) * R::kFeatures,
                                    arrays.pool.tree(agent).state(0), lanes);
    }
    note_waiting(frame);
}

template <class R>
__global__ void __launch_bounds__(kSearchThreads)
    guided_take_roots_kernel(DeviceArrays<R> arrays, core::Settings settings, SeatView seat) {
    const GroupLanes<kGuidedLanes> lanes = GroupLanes<kGuidedLanes>::make();
    FrameState& frame = *arrays.frame;
    note_evaluation(frame);
    const core::FrameKey& key = frame.order.key;
    const bool valid = global_thread() / kGuidedLanes < key.agent_count;
    const std::uint32_t agent = valid ? global_thread() / kGuidedLanes : 0;
    const std::uint32_t row = arrays.pending[agent].row;
    const bool advised = valid && row != core::kNoNode;
    const core::GuidedTree<R> tree = arrays.guided_tree(agent, 0, settings.selection);
    std::uint32_t flags = arrays.work[agent].flags;
    const bool sound = hear_network<R>(arrays, seat, row, agent, tree, 0, flags, lanes, advised);
    lanes.sync();
    if (!advised) return;
    if (core::Latent<R> && !sound) {  // nothing to search from
        if (!lanes.leader()) return;
        arrays.work[agent].flags = flags;
        if (arrays.work[agent].active != 0) atomicSub(&frame.active_agents, 1u);
        arrays.work[agent].active = 0;
        return;
    }
    if (settings.selection == core::Selection::gumbel)
        core::write_root_scores<R>(tree, settings, key.random, agent, lanes);
    if (lanes.leader()) arrays.work[agent].flags = flags;
}

// Waves, part one: every tree's descent; new leaves go to the network.
template <class R>
__global__ void __launch_bounds__(kSearchThreads)
    guided_descend_kernel(DeviceArrays<R> arrays, core::Settings settings, SeatView seat, int list) {
    const GroupLanes<kGuidedLanes> lanes = GroupLanes<kGuidedLanes>::make();
    FrameState& frame = *arrays.frame;
    const core::FrameKey& key = frame.order.key;
    const auto [agent, valid] = listed_agent(arrays, list, global_thread() / kGuidedLanes);
    begin_next_list(arrays, list);
    if (!lanes.any(valid)) return;
    core::AgentWork work = arrays.work[agent];
    const bool walking = valid && work.active;
    const std::uint32_t before = work.nodes;
    const core::GuidedTree<R> tree = arrays.guided_tree(agent, work.active, settings.selection);
    const core::Leaf leaf = core::descend<R>(tree, work, settings, key.random, agent, work.simulations, lanes, walking);
    const bool fresh = work.nodes > before;
    const bool wants = walking && !leaf.full && core::leaf_wants_network<R>(tree, leaf, fresh);
    const std::uint32_t row = take_row(frame, wants, lanes);
    if (walking && lanes.leader()) {
        arrays.work[agent].nodes = work.nodes;
        arrays.pending[agent] = {leaf, row, fresh ? 1u : 0u};
    }
    if (wants) ask_network(arrays, seat, row, agent, tree, leaf.node, lanes);
    note_waiting(frame);
}

// The prediction of a learned game always has a value.
template <class R>
__device__ __forceinline__ bool has_value(const SeatView& seat) {
    return core::Latent<R> || seat.values != nullptr;
}

// Waves, part two, after the network: what it said goes into the trees, and returns go up.
template <class R>
__global__ void __launch_bounds__(kSearchThreads)
    guided_back_up_kernel(DeviceArrays<R> arrays, core::Settings settings, SeatView seat,
                          cudaGraphConditionalHandle loop, int sets_loop, int list) {
    const GroupLanes<kGuidedLanes> lanes = GroupLanes<kGuidedLanes>::make();
    FrameState& frame = *arrays.frame;
    note_evaluation(frame);
    const core::FrameKey& key = frame.order.key;
    const auto [agent, valid] = listed_agent(arrays, list, global_thread() / kGuidedLanes);
    core::AgentWork work = arrays.work[agent];
    const PendingLeaf pending = arrays.pending[agent];
    const bool active = valid && work.active;
    const bool reached = active && !pending.leaf.full;
    const bool advised = reached && pending.row != core::kNoNode;
    const core::GuidedTree<R> tree = arrays.guided_tree(agent, work.active, settings.selection);
    hear_network(arrays, seat, pending.row, agent, tree, pending.leaf.node, work.flags, lanes, advised);
    lanes.sync();
    bool stopped = false;
    if (active && lanes.leader()) {
        if (reached) {
            const core::Return<R> result =
                core::guided_return<R>(tree, pending.leaf, pending.fresh != 0, has_value<R>(seat), settings, key.random,
                                       agent, work.simulations, work.flags);
            core::back_up<R>(tree, pending.leaf.node, result, settings, work.flags);
            ++work.simulations;
            if (!core::wants_more<R>(tree, work, settings)) work.active = 0;
        } else {
            work.flags |= core::kFlagPoolExhausted;
            work.active = 0;
        }
        arrays.work[agent] = work;
        stopped = !work.active;
    }
    list_for_next(arrays, list, agent, active && lanes.leader() && !stopped);
    end_wave(arrays, stopped, loop, sets_loop);
}

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_GUIDED_KERNELS_CUH
