// The search that a network guides in its fused form: one kernel that holds its trees, their network and all (small
// networks of dense layers).
#ifndef AUGUR_BACKEND_CUDA_FUSED_KERNEL_CUH
#define AUGUR_BACKEND_CUDA_FUSED_KERNEL_CUH

#include <type_traits>

#include "backend/cuda/fused_fit.cuh"
#include "backend/cuda/fused_network.cuh"
#include "backend/cuda/group_backup.cuh"
#include "backend/cuda/part_meter.cuh"
#include "backend/cuda/search_kernels.cuh"
#include "backend/cuda/seat.h"
#include "core/guided_leaf.h"

namespace augur::cuda {

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
    // All threads of the block; prepare, then a barrier after they have written their rows, then run.
    struct Prepared {};
    __device__ __forceinline__ Prepared prepare() const { return {}; }
    __device__ __forceinline__ void run(Prepared) const {
        run_fused<kTrees>(block, network.layer_count, network.is_int8 != 0);
    }
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
template <class R, bool kInt8, bool kSparing>
struct UsualRows {
    using Network = UsualNetwork<R::kFeatures, kInt8, kSparing>;
    Network network;
    const SeatView& seat;

    __device__ __forceinline__ static UsualRows make(const FusedNetwork& network, const SeatView& seat,
                                                     const FusedShape&, unsigned char*& memory) {
        unsigned char* const own = memory;
        memory += UsualLayout<R::kFeatures, kInt8>::bytes(network.usual.blocks());
        return {Network(network, seat.weights, seat.constants, own), seat};
    }
    __device__ __forceinline__ static std::uint32_t row() { return threadIdx.x / kGuidedLanes; }
    template <class Lanes>
    __device__ __forceinline__ void write(const typename R::State& state, Lanes lanes) const {
        write_fused_features<R>(network.features(row()), state, kInt8, network.inverse_scale(), lanes);
    }
    __device__ __forceinline__ typename Network::Prepared prepare() const { return network.prepare(); }
    __device__ __forceinline__ void run(const typename Network::Prepared& prepared) const { network.run(prepared); }
    __device__ __forceinline__ bool has_value() const { return network.heads().columns > network.heads().value_column; }
    __device__ __forceinline__ core::Advice advice() const {
        const float* outputs = network.outputs(row());
        return {network.heads().value_column != 0 ? outputs : nullptr,
                has_value() ? outputs + network.heads().value_column : nullptr, seat.value_kind, seat.value_scale};
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
    if (at_root && go && settings.selection == core::Selection::gumbel)
        core::write_root_scores<R>(tree, settings, key.random, agent, lanes);
    // Without a value head one lane plays the leaf out for all.
    const bool has_value = rows.has_value();
    core::Return<R> result{};
    if (at.reached && (has_value || lanes.leader()))
        result = core::guided_return<R>(tree, at.leaf, at.fresh, has_value, settings, key.random, agent,
                                        work.simulations, work.flags);
    if (!has_value) result.value[0] = lanes.from_leader(result.value[0]);
    if (at.reached) back_up_together<R>(tree, at.leaf.node, result, settings, work.flags, lanes);
    lanes.sync();
    if (!go || at_root) return;
    if (at.leaf.full) {
        work.flags |= core::kFlagPoolExhausted;
        work.active = 0;
    } else {
        ++work.simulations;
        if (!core::wants_more<R>(tree, work, settings)) work.active = 0;
    }
}

// Which trees a fused kernel's block searches. Where all have their simulations in one go, groups take the trees of the
// frame one after the other. With a deadline and more trees than the grid holds, a block gives its own share of them a
// few simulations in turn, as the resident form does, so that time runs out for all alike.
struct FusedShare {
    std::uint32_t handed_out;  // of its own trees in this turn; shared memory
    std::uint32_t in_turns;

    // The agent of place i of the block's share; slots: trees that it holds at once.
    __device__ __forceinline__ static std::uint32_t own(std::uint32_t i, std::uint32_t slots) {
        return (blockIdx.x + i / slots * gridDim.x) * slots + i % slots;
    }
    // By one thread: the next agent; past the end where there is none.
    __device__ __forceinline__ std::uint32_t next(FrameState& frame, std::uint32_t slots) {
        if (in_turns != 0) return own(atomicAdd(&handed_out, 1u), slots);
        return gridDim.x * slots + atomicAdd(&frame.trees_taken, 1u);
    }
};

template <class R, bool kWhole>
struct WhichTree {
    using Type = HotGuidedTree<R>;
};
template <class R>
struct WhichTree<R, true> {
    using Type = SmallTree<R>;
};

// Networks that have kernels of their own, and the others.
enum class FusedKind { any, usual_half, usual_int8 };

template <class R, int kTrees, FusedKind kKind, int kBlocks>
struct WhichRows {
    static constexpr bool kInt8 = kKind == FusedKind::usual_int8;
    using Type = UsualRows<R, kInt8, (kBlocks > 2)>;
};
template <class R, int kTrees, int kBlocks>
struct WhichRows<R, kTrees, FusedKind::any, kBlocks> {
    using Type = FusedRows<R, kTrees>;
};

// What only thread 0 of a block looks at. A new node is made on the way down: that is selecting here.
struct FusedTimes {
    StopWatch watch;
    core::PartTimes parts;

    __device__ __forceinline__ void begin() {
        parts = {};
        parts.sums[static_cast<std::uint32_t>(core::SearchPart::select)] = 0 - Cycles::now();
    }
    __device__ __forceinline__ void pass(core::SearchPart from, core::SearchPart to) {
        const std::uint64_t now = Cycles::now();
        parts.sums[static_cast<std::uint32_t>(from)] += now;
        parts.sums[static_cast<std::uint32_t>(to)] -= now;
    }
    __device__ __forceinline__ void end() {
        parts.sums[static_cast<std::uint32_t>(core::SearchPart::select)] += Cycles::now();
    }
};

// A group's tree.
struct FusedSlot {
    core::AgentWork work;
    bool busy;     // it goes on
    bool at_root;  // the network has yet to look at its root
    bool held;     // it lies in shared memory, newer than in the arrays
    bool begun;    // it has had its first
    bool more;     // there may be another after it
    bool open;     // one of those before it wants more in the next turn
};

// Trees that are done go back to the arrays, each by all lanes of its warp. place_of: where a slot's tree lies.
template <std::uint32_t kAtOnce, class Tree, class PlaceOf>
__device__ __forceinline__ void put_back(FusedSlot& mine, const Tree& tree, const PlaceOf& place_of,
                                         const FusedShape& shape, GroupLanes<kGuidedLanes> lanes) {
    const bool leaves = !mine.busy && mine.held;
    unsigned leaders = __ballot_sync(kWholeWarp, leaves && lanes.leader());
    const std::uint32_t lane = threadIdx.x % 32;
    while (leaders != 0) {
        const int leader = __ffs(static_cast<int>(leaders)) - 1;
        leaders &= leaders - 1;
        Tree leaving =
            Tree::place(tree.arrays, place_of((threadIdx.x - lane + static_cast<std::uint32_t>(leader)) / kGuidedLanes),
                        shape.hot_nodes, tree.selection);
        leaving.take(__shfl_sync(kWholeWarp, tree.agent, leader));
        if constexpr (!Tree::kWhole) leaving.count = __shfl_sync(kWholeWarp, tree.count, leader);
        move_nodes<false, kAtOnce>(leaving, __shfl_sync(kWholeWarp, mine.work.nodes, leader), lane, 32);
    }
    if (leaves && lanes.leader()) tree.arrays.work[tree.agent] = mine.work;
    mine.open = mine.open || (leaves && mine.work.active != 0);
    mine.held = mine.held && !leaves;
    lanes.sync();
}

// Groups without a tree take one that has something to search, where there is one. All lanes of the warp call it.
template <std::uint32_t kAtOnce, class R, class Tree>
__device__ __forceinline__ void take_next(FusedSlot& mine, Tree& tree, const DeviceArrays<R>& arrays, FusedShare& share,
                                          const core::FrameKey& key, std::uint32_t target, bool first_turn,
                                          bool more_than_fit, const FusedShape& shape, GroupLanes<kGuidedLanes> lanes) {
    bool wants = !mine.busy && mine.more;
    while (lanes.any(wants)) {
        std::uint32_t next = FusedShare::own(threadIdx.x / kGuidedLanes, shape.tree_slots);
        if (wants && mine.begun && lanes.leader()) next = share.next(*arrays.frame, shape.tree_slots);
        next = static_cast<std::uint32_t>(lanes.from_leader(static_cast<int>(next)));
        if (!wants) continue;
        const bool valid = next < key.agent_count;
        mine.more = valid && more_than_fit;
        mine.begun = true;
        if (valid) {
            tree.take(next);
            mine.work = arrays.work[next];
            mine.at_root = first_turn && core::root_wants_network(mine.work);
            mine.busy = mine.at_root || (mine.work.active != 0 && mine.work.simulations < target);
            mine.open = mine.open || (!mine.busy && mine.work.active != 0);
        }
        wants = !mine.busy && mine.more;
        if (!mine.busy) continue;
        mine.held = true;
        tree.simulations = mine.work.active;
        bool shared = true;
        if constexpr (!Tree::kWhole) {
            tree.count = share.in_turns != 0 ? 0 : shape.hot_nodes;
            shared = tree.count != 0;
        }
        if (mine.work.nodes == 1 && shared)
            load_root<kGuidedLanes>(tree, lanes.index());
        else
            move_nodes<true, kAtOnce>(tree, mine.work.nodes, static_cast<std::uint32_t>(lanes.index()), kGuidedLanes);
    }
    lanes.sync();
}

// Fused form: a block holds kTrees trees, eight lanes each, and loops until all trees have their simulations or time is
// up. Trees meet only for the network; each warp then goes on by itself to its next leaves. A group whose tree is done
// takes the next one.
template <class R, int kTrees, FusedKind kKind, bool kWhole, int kBlocks>
__global__ void __launch_bounds__(kTrees* kGuidedLanes, kBlocks)
    fused_kernel(const __grid_constant__ DeviceArrays<R> arrays, const __grid_constant__ core::Settings settings,
                 const __grid_constant__ SeatView seat, const __grid_constant__ FusedShape shape) {
    using Part = core::SearchPart;
    using Rows = typename WhichRows<R, kTrees, kKind, kBlocks>::Type;
    // Items of an array under way at once while trees are moved: where registers are dear, few.
    constexpr std::uint32_t kAtOnce = kKind != FusedKind::any && kBlocks > 2 ? 2 : kCopiesAtOnce;
    extern __shared__ __align__(16) unsigned char fused_memory[];
    __shared__ FusedNetwork network;
    __shared__ core::FrameKey key;
    __shared__ FusedShare share;
    __shared__ FusedTimes times;
    __shared__ int stop, late;
    mark_stage(arrays, kSearch);
    const GroupLanes<kGuidedLanes> lanes = GroupLanes<kGuidedLanes>::make();
    const std::uint32_t sets = (arrays.frame->order.key.agent_count + shape.tree_slots - 1) / shape.tree_slots;
    if (blockIdx.x >= sets) return;
    copy_words(&network, seat.fused, 1, threadIdx.x, blockDim.x);
    if (threadIdx.x == 0) {
        key = arrays.frame->order.key;
        times.watch = StopWatch::make(arrays);
        share.in_turns = times.watch.deadline != 0 && sets > gridDim.x ? 1 : 0;
        times.begin();
        stop = 0;
    }
    __syncthreads();
    unsigned char* memory = fused_memory;
    const Rows rows = Rows::make(network, seat, shape, memory);
    const auto place_of = [&](std::uint32_t slot) {
        // Groups without a place of their own have no tree, and share what stands for one.
        return memory + kit::minimum(slot, shape.tree_slots) * WhichTree<R, kWhole>::Type::bytes(shape.hot_nodes);
    };
    const std::uint32_t slot = threadIdx.x / kGuidedLanes;
    using Tree = typename WhichTree<R, kWhole>::Type;
    Tree tree = Tree::place(arrays, place_of(slot), shape.hot_nodes, settings.selection);
    // Nothing in shared memory may be taken for a tree; and where only that is looked at, a group that has nothing to
    // search goes through the motions with a root that is one.
    if constexpr (!kWhole)
        tree.count = 0;
    else if (slot <= shape.tree_slots)
        clear_root<kGuidedLanes>(tree, lanes.index());
    lanes.sync();

    const std::uint32_t quantum = share.in_turns != 0 ? core::kEarlyStopPeriod : key.simulations;
    for (std::uint32_t target = quantum;; target += quantum) {
        const bool first_turn = target == quantum;
        if (threadIdx.x == 0) {
            share.handed_out = shape.tree_slots;
            late = times.watch.time_is_up(arrays) && !(first_turn && key.simulations == 0) ? 1 : 0;
        }
        __syncthreads();
        FusedSlot mine = {{}, false, false, false, false, late == 0 && slot < shape.tree_slots, false};
        for (;;) {
            if (lanes.any(!mine.busy && (mine.held || mine.more))) {
                put_back<kAtOnce>(mine, tree, place_of, shape, lanes);
                take_next<kAtOnce>(mine, tree, arrays, share, key, target, first_turn, sets > gridDim.x, shape, lanes);
            }
            const bool go = mine.busy;
            StopWatch::Glance glance{};
            if (threadIdx.x == 0) glance = times.watch.look(arrays);
            const FusedLeaf leaf =
                fused_descend<R>(tree, mine.work, settings, key, tree.agent, rows, lanes, mine.at_root, go);
            const auto prepared = rows.prepare();
            if (threadIdx.x == 0) {
                if (times.watch.time_is_up(arrays, glance)) stop = 1;
                times.pass(Part::select, Part::evaluate);
            }
            const int going = __syncthreads_or(go);
            const bool last = stop != 0 && key.simulations != 0;
            if (going) rows.run(prepared);
            if (threadIdx.x == 0) times.pass(Part::evaluate, going ? Part::back_up : Part::select);
            if (!going) break;
            fused_back_up<R>(tree, leaf, mine.work, settings, key, tree.agent, rows, lanes, mine.at_root, go);
            if (threadIdx.x == 0) times.pass(Part::back_up, Part::select);
            mine.at_root = false;
            mine.busy = go && !last && mine.work.active != 0 && mine.work.simulations < target;
            mine.more = mine.more && !last;
        }
        const int going_on = __syncthreads_or(mine.open);
        const bool stopped = stop != 0 || late != 0;
        __syncthreads();  // before thread 0 may write them again
        if (!going_on || stopped || target >= key.simulations) break;
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        times.end();
        arrays.frame->report.parts = times.parts;
    }
}

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_FUSED_KERNEL_CUH
