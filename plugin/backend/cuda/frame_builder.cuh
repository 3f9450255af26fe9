// What a planner's frame is made of: the kernels of its graph, one after the other, and how each of them is launched.
#ifndef AUGUR_BACKEND_CUDA_FRAME_BUILDER_CUH
#define AUGUR_BACKEND_CUDA_FRAME_BUILDER_CUH

#include <optional>
#include <type_traits>

#include "backend/cuda/allotment.cuh"
#include "backend/cuda/carry_kernel.cuh"
#include "backend/cuda/fused_kernel.cuh"
#include "backend/cuda/graph.h"
#include "backend/cuda/guided_tree_kernels.cuh"
#include "backend/cuda/learned.h"
#include "backend/cuda/seat.h"

namespace augur::cuda {

// Shared memory of a block that may run beside graphics: CUDA contexts made for graphics allow no more.
inline constexpr std::size_t kSharedLimit = 47 * 1024;

// Waves in one turn of the loop, while there is time for them: a turn costs several microseconds by itself.
inline constexpr int kWavesPerTurn = 4;
inline constexpr int kLargeWavesPerTurn = 2;

// Refers to what it is made of: no longer than the call that builds the graph.
template <class R>
class FrameBuilder {
  public:
    // lane: where the frame will run.
    FrameBuilder(const EngineDesc& desc, Device& device, const Lane& lane, const DeviceArrays<R>& arrays,
                 const core::Settings& settings)
        : desc_(desc), device_(&device), lane_(lane), arrays_(arrays), settings_(settings) {}

    // A forest without a network, in the wave form.
    static bool uses_waves(const EngineDesc& desc) {
        return !is_large(desc) && !desc.guided && desc.execution == AUGUR_EXECUTION_WAVES;
    }

    // Nothing where the network goes by kernels of its own.
    static std::optional<FusedPlan> fused_plan(const EngineDesc& desc, const Device& device, const NetworkUse& use) {
        if (desc.execution == AUGUR_EXECUTION_WAVES || is_large(desc)) return {};
        std::optional<FusedPlan> plan = make_fused_plan(use.network->program());
        if (plan && !fit(*plan, desc, device)) plan.reset();
        return plan;
    }

    // All kernels of a frame. seat: of a guided search; learned: of a learned game; null without.
    void add_to(GraphChain& chain, CudaSeat* seat, [[maybe_unused]] const CudaLearned* learned) const {
        const std::uint64_t agents = desc_.agent_capacity;
        const unsigned frame_blocks = blocks_for(agents, kFrameThreads);
        chain.add(begin_kernel<R>, kit::minimum(blocks_for(arrays_.grid.buckets, 256), 264u), 256, arrays_);
        const unsigned sources = component_count() + (desc_.adaptive ? 1 : 0);
        chain.add(fetch_kernel<R>, frame_blocks * sources, kFrameThreads, arrays_);
        if constexpr (core::Latent<R>) learned->add_observations(chain, &arrays_.frame->order);
        if constexpr (R::kNeighbours > 0) chain.add(grid_kernel<R>, frame_blocks, kFrameThreads, arrays_);
        chain.add(gather_kernel<R>, blocks_for(agents * (R::kNeighbours > 0 ? 8 : 1), kFrameThreads), kFrameThreads,
                  arrays_);
        if constexpr (!core::Latent<R>) {
            if (arrays_.roots != nullptr)
                chain.add(carry_kernel<R>, blocks_for(agents * kCarryLanes, kCarryThreads), kCarryThreads, arrays_,
                          settings_);
        }
        if (desc_.adaptive) chain.add(allot_kernel<R>, 1, kAllotThreads, arrays_);
        if constexpr (core::Latent<R>)
            add_guided_waves(chain, *learned);
        else
            add_search(chain, seat);
        if (desc_.drop_late) chain.add(judge_lateness_kernel<R>, 1, 1, arrays_);
        chain.add(finalise_kernel<R>, frame_blocks, kFrameThreads, arrays_, settings_.selection);
    }

  private:
    void add_search(GraphChain& chain, CudaSeat* seat) const {
        if (seat != nullptr)
            add_guided(chain, *seat);
        else if (is_large(desc_))
            add_large_tree(chain);
        else if (uses_waves(desc_))
            add_waves(chain);
        else
            add_resident(chain);
    }

    static unsigned blocks_for(std::uint64_t items, unsigned threads) {
        return static_cast<unsigned>(items == 0 ? 1 : (items + threads - 1) / threads);
    }

    // As many blocks as the device holds at once, but no more than the work needs.
    template <class Kernel>
    unsigned resident_blocks(Kernel kernel, unsigned threads, std::uint64_t wanted_threads,
                             std::size_t shared_bytes) const {
        int per_multiprocessor = 1;
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel, static_cast<int>(threads),
                                                      shared_bytes);
        const auto most = static_cast<unsigned>(per_multiprocessor < 1 ? 1 : per_multiprocessor) *
                          static_cast<unsigned>(lane_.multiprocessors);
        return kit::minimum(blocks_for(wanted_threads, threads), most);
    }

    static constexpr unsigned component_count() {
        unsigned count = 0;
        for (const kit::FieldInfo& field : R::kFields)
            count += field.kind == kit::FieldKind::row ? 0 : field.components;
        return count;
    }

    // Lanes that share a tree: eight where they share the plies too, or while the device would otherwise stand half
    // empty; else one.
    bool one_lane_per_tree() const { return !kit::HasTeam<R> && desc_.agent_capacity > lane_.multiprocessors * 256u; }

    // Hot nodes of a tree, such that a block stays within kSharedLimit and all blocks that are wanted at once find
    // room.
    std::uint32_t hot_nodes(unsigned trees_per_block, std::uint64_t trees) const {
        const std::uint64_t multiprocessors = lane_.multiprocessors;
        const std::uint64_t blocks = (trees + trees_per_block - 1) / trees_per_block;
        const std::uint64_t blocks_each = (blocks + multiprocessors - 1) / multiprocessors;
        const std::uint64_t fair =
            (device_->properties().sharedMemPerMultiprocessor - 8192) / kit::maximum<std::uint64_t>(blocks_each, 1);
        const std::uint64_t per_block = fair > 1024 ? kit::minimum<std::uint64_t>(fair - 1024, kSharedLimit) : 0;
        std::uint32_t nodes = desc_.node_capacity;
        while (nodes > 0 && trees_per_block * hot_tree_bytes<R>(nodes) > per_block)
            nodes -= nodes > 64 ? nodes / 32 : 1;
        return nodes;
    }

    template <int G>
    void add_resident_form(GraphChain& chain) const {
        const std::uint64_t agents = desc_.agent_capacity;
        constexpr unsigned kTrees = kSearchThreads / G;
        const std::uint32_t hot = G == 1 ? 0 : hot_nodes(kTrees, agents);
        const std::size_t shared_bytes = kTrees * hot_tree_bytes<R>(hot);
        const auto plain = resident_kernel<R, G, core::NoMeter>;
        const auto watched = resident_kernel<R, G, SimulationMeter>;
        const auto blocks = [&](auto kernel) {
            return resident_blocks(kernel, kSearchThreads, agents * G, shared_bytes);
        };
        chain.add_watched(plain, blocks(plain), watched, blocks(watched), kSearchThreads, shared_bytes, arrays_,
                          settings_, hot);
    }

    void add_resident(GraphChain& chain) const {
        if constexpr (!kit::HasTeam<R>) {
            if (one_lane_per_tree()) return add_resident_form<1>(chain);
        }
        add_resident_form<8>(chain);
    }

    // A large tree has a multiprocessor for itself: as many hot nodes as its shared memory holds, where the context is
    // ours; within kSharedLimit in a context of the host's, which may be one made for graphics.
    void add_large_tree(GraphChain& chain) const {
        const auto kernel = tree_kernel<R>;
        const std::size_t limit = device_->owns_context() ? device_->properties().sharedMemPerBlockOptin : kSharedLimit;
        const std::size_t room = limit > sizeof(TreeShared) + 1024 ? limit - sizeof(TreeShared) - 1024 : 0;
        LargeTreePlan plan = plan_large_tree<R>(desc_.node_capacity, arrays_.table_slots, room);
        if (device_->health().check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                         static_cast<int>(plan.shared_bytes))) != AUGUR_OK)
            plan = {};
        if (!plan.hot_table) add_clear_table(chain);
        chain.add_shared(kernel, desc_.agent_capacity, kTreeThreads, plan.shared_bytes, arrays_, settings_, plan);
    }

    void add_clear_table(GraphChain& chain) const {
        const std::uint64_t slots = static_cast<std::uint64_t>(desc_.agent_capacity) * arrays_.table_slots;
        if (slots > 0) chain.add(clear_table_kernel<R>, kit::minimum(blocks_for(slots, 256), 528u), 256, arrays_);
    }

    void add_waves(GraphChain& chain) const {
        const std::uint64_t agents = desc_.agent_capacity;
        const unsigned blocks = blocks_for(agents, kSearchThreads);
        add_loops(chain, kWavesPerTurn, false, [&](GraphChain& waves, const WaveLoops& loops, int ends_turn, int list) {
            waves.add(descend_kernel<R, 8>, blocks_for(agents * 8, kSearchThreads), kSearchThreads, arrays_, settings_,
                      list);
            waves.add(evaluate_kernel<R>, blocks, kSearchThreads, arrays_, settings_, list);
            waves.add(back_up_kernel<R>, blocks, kSearchThreads, arrays_, settings_, loops, ends_turn, list);
        });
    }

    // The loops of a wave form. looked_at: a kernel before has looked at the roots. add_wave(waves, loops, ends_turn,
    // list) adds one wave.
    template <class AddWave>
    void add_loops(GraphChain& chain, int per_turn, bool looked_at, const AddWave& add_wave) const {
        WaveLoops loops{chain.make_loop_handle(), {}, static_cast<std::uint32_t>(per_turn), false};
        if (per_turn > 1) loops.singles = chain.make_loop_handle();
        chain.add(enter_waves_kernel<R>, 1, 32, arrays_, loops, looked_at ? 1 : 0);
        const auto add_loop = [&](cudaGraphConditionalHandle handle, int count) {
            const cudaGraph_t body = chain.add_while(handle);
            if (body == nullptr) return;
            GraphChain waves(body, lane_.priority);
            // Lists are read and written in turn, so a turn that uses them has an even number of waves.
            for (int i = 0; i < count; ++i)
                add_wave(waves, loops, i == count - 1 ? 1 : 0, count % 2 == 0 ? i % 2 : kEveryAgent);
            chain.take_error(waves);
        };
        add_loop(loops.turns, per_turn);
        if (per_turn == 1) return;
        loops.near_deadline = true;
        add_loop(loops.singles, 1);
    }

    void add_guided(GraphChain& chain, CudaSeat& seat) const {
        if constexpr (core::Featured<R>) {
            if (seat.is_fused())
                add_fused(chain, seat);
            else
                add_guided_waves(chain, seat);
        }
    }

    static std::optional<FusedFit> fit(const FusedPlan& plan, const EngineDesc& desc, const Device& device) {
        const cudaDeviceProp& p = device.properties();
        const std::size_t own =
            p.sharedMemPerBlockOptin > kFusedStaticBytes ? p.sharedMemPerBlockOptin - kFusedStaticBytes : 0;
        return fit_fused<R>(plan.network, desc.agent_capacity, desc.node_capacity,
                            {static_cast<std::uint32_t>(p.multiProcessorCount), p.sharedMemPerMultiprocessor,
                             device.owns_context() ? own : kSharedLimit - kFusedStaticBytes});
    }

    void add_fused(GraphChain& chain, const CudaSeat& seat) const requires core::Featured<R> {
        const FusedFit block = *fit(seat.fused(), desc_, *device_);
        const auto add = [&]<int kTrees, FusedKind kKind, bool kWhole, int kBlocks>() {
            const auto kernel = fused_kernel<R, kTrees, kKind, kWhole, kBlocks>;
            if (device_->owns_context())
                chain.allow_shared(kernel, device_->properties().sharedMemPerBlockOptin - kFusedStaticBytes);
            const unsigned blocks =
                resident_blocks(kernel, kTrees * kGuidedLanes,
                                static_cast<std::uint64_t>(desc_.agent_capacity) * kGuidedLanes, block.bytes);
            chain.add_shared(kernel, blocks, kTrees * kGuidedLanes, block.bytes, arrays_, settings_, seat.view(),
                             block.shape);
        };
        const auto add_usual = [&]<FusedKind kKind>() {
            constexpr int kTrees = static_cast<int>(kUsualRows);
            if constexpr (kHasSmallNodes<R>) {
                if (block.whole)
                    return block.blocks == 3 ? add.template operator()<kTrees, kKind, true, 3>()
                                             : add.template operator()<kTrees, kKind, true, 2>();
            }
            block.blocks == 3 ? add.template operator()<kTrees, kKind, false, 3>()
                              : add.template operator()<kTrees, kKind, false, 2>();
        };
        if constexpr (R::kFeatures <= kUsualFeatures) {
            if (block.usual)
                return seat.fused().network.is_int8 != 0 ? add_usual.template operator()<FusedKind::usual_int8>()
                                                         : add_usual.template operator()<FusedKind::usual_half>();
        }
        if (block.trees == 32)
            add.template operator()<32, FusedKind::any, false, 1>();
        else
            add.template operator()<16, FusedKind::any, false, 3>();
    }

    // seat: CudaSeat, or CudaLearned.
    template <class Seat>
    void add_guided_waves(GraphChain& chain, const Seat& seat) const requires core::Guidable<R> {
        const unsigned blocks =
            blocks_for(static_cast<std::uint64_t>(desc_.agent_capacity) * kGuidedLanes, kSearchThreads);
        const std::uint32_t* rows = &arrays_.frame->rows;
        const SeatView view = seat.view();
        if (is_large(desc_)) add_clear_table(chain);
        chain.add(guided_roots_kernel<R>, blocks, kSearchThreads, arrays_, view);
        seat.add_roots(chain, rows);
        chain.add(guided_take_roots_kernel<R>, blocks, kSearchThreads, arrays_, settings_, view);
        const int per_turn = seat.is_heavy() ? 1 : is_large(desc_) ? kLargeWavesPerTurn : kWavesPerTurn;
        add_loops(chain, per_turn, true, [&](GraphChain& waves, const WaveLoops& loops, int ends_turn, int list) {
            if (is_large(desc_)) {
                waves.add(guided_down_kernel<R>, desc_.agent_capacity, kTreeThreads, arrays_, settings_, view);
                seat.add_network(waves, rows);
                waves.add(guided_up_kernel<R>, desc_.agent_capacity, kTreeThreads, arrays_, settings_, view, loops,
                          ends_turn);
            } else {
                waves.add(guided_descend_kernel<R>, blocks, kSearchThreads, arrays_, settings_, view, list);
                seat.add_network(waves, rows);
                waves.add(guided_back_up_kernel<R>, blocks, kSearchThreads, arrays_, settings_, view, loops, ends_turn,
                          list);
            }
        });
    }

    const EngineDesc& desc_;
    Device* const device_;
    const Lane& lane_;
    const DeviceArrays<R>& arrays_;
    const core::Settings& settings_;
};

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_FRAME_BUILDER_CUH
