// A planner's search on the CPU: the functions of core in loops, spread over the context's workers.
//
// A frame is a row of phases. Workers claim pieces of the phase at hand until there are none, wait until the last piece
// is done, and go on. A worker only ever waits for pieces that are being worked on, so one worker alone can do
// everything, and a task system may start the workers in any order or one after the other.
#ifndef AUGUR_BACKEND_CPU_ENGINE_H
#define AUGUR_BACKEND_CPU_ENGINE_H

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <utility>

#include "backend/backend.h"
#include "backend/cpu/bindings.h"
#include "backend/cpu/clock.h"
#include "backend/cpu/clones.h"
#include "backend/cpu/games.h"
#include "backend/cpu/guided.h"
#include "backend/cpu/layout.h"
#include "backend/cpu/learned.h"
#include "backend/cpu/part_meter.h"
#include "backend/cpu/phases.h"
#include "backend/divide_search.h"
#include "backend/profiler.h"
#include "core/after_search.h"
#include "core/allotment.h"
#include "core/carry_over.h"
#include "core/dump.h"
#include "core/gather.h"
#include "core/search.h"
#include "core/transposition.h"
#include "core/wave.h"

namespace augur {

template <class R>
class CpuEngine final : public Engine {
  public:
    CpuEngine(const EngineDesc& desc, const BackendHost& host) : desc_(desc), host_(host), layout_(desc) {
        settings_.selection = static_cast<core::Selection>(desc.selection);
        settings_.exploration = desc.exploration;
        settings_.discount = desc.discount;
        settings_.horizon = desc.horizon;
        settings_.node_capacity = desc.node_capacity;
        settings_.leaves_per_wave = large() ? desc.leaves_per_wave : 1;
        settings_.early_stop = desc.early_stop ? 1 : 0;
        settings_.transpositions = layout_.slots > 0 ? 1 : 0;
        settings_.considered_actions = desc.considered_actions;
        settings_.gumbel_scale = desc.gumbel_scale;
        settings_.carry_over = static_cast<core::CarryOver>(desc.carry_over);
        settings_.count_carried = desc.count_carried ? 1 : 0;
    }

    bool allocate() {
        block_bytes_ = layout_.place(nullptr);
        block_ = allocate_touched(*host_.memory, block_bytes_);
        if (block_ == nullptr) return false;
        layout_.place(block_);
        if (layout_.adaptive) std::memset(layout_.ages, 0, layout_.agents * sizeof *layout_.ages);
        if constexpr (core::Latent<R>) {
            learned_ = std::make_unique<CpuLearned>(*desc_.learned, CpuSeat::rows_of(desc_), workers(), host_.memory);
            return learned_->allocate();
        }
        return true;
    }

    ~CpuEngine() override {
        if (token_pending_) {
            cancel();
            host_.tasks->finish(token_);
        }
        if (block_ != nullptr) host_.memory->release(block_, block_bytes_);
    }

    static EngineMemory memory_of(const EngineDesc& desc) {
        CpuLayout<R> layout(desc);
        std::size_t node_bytes = core::TreePool<R>::bytes_per_node();
        if (desc.guided) node_bytes += core::GuidePool<R>::bytes_per_node();
        node_bytes += layout.latent_count * sizeof(float);
        if (layout.carries) node_bytes += 2 * sizeof(std::uint32_t);
        return {static_cast<std::uint32_t>(node_bytes), 0, layout.place(nullptr)};
    }

    augur_result submit(const FrameWork& work) override {
        finish_tasks();
        frame_ = work;
        key_ = {{desc_.seed, work.frame}, work.agent_count, work.simulations};
        bindings_.resolve(work, [&]([[maybe_unused]] const Source& row) {
            if constexpr (core::Latent<R>) learned_->begin(layout_.latents, layout_.nodes, row);
        });
        fields_ = {layout_.words, layout_.agents, work.agent_count};
        grid_ = {layout_.grid_heads, layout_.grid_next, layout_.buckets};
        output_ = {};
        stop_.store(false, std::memory_order_relaxed);
        cancelled_.store(false, std::memory_order_relaxed);
        done_.store(false, std::memory_order_relaxed);
        started_ns_.store(0, std::memory_order_relaxed);
        search_until_ns_ = search_until(work);
        rounds_ = rounds_for(work);
        const std::uint32_t a = work.agent_count;
        phases_.reset({pieces(a, kFetchPiece), pieces(layout_.buckets, kFetchPiece),
                       layout_.buckets > 0 ? pieces(a, kFetchPiece) : 0, pieces(a, kGatherPiece),
                       layout_.carries ? pieces(a, kCarryPiece) : 0, allots() ? 1u : 0u,
                       pieces(a, search_piece()) * rounds_, pieces(a, kFetchPiece)});
        token_ = host_.tasks->enqueue(&CpuEngine::run_entry, this, workers());
        token_pending_ = true;
        return AUGUR_OK;
    }

    augur_result poll() override { return done_.load(std::memory_order_acquire) ? AUGUR_OK : AUGUR_NOT_READY; }

    augur_result wait(std::uint64_t timeout_ns) override {
        // Without workers the caller does the work; one that waits as long as it takes helps, and a task system may do
        // everything there.
        if (!done_.load(std::memory_order_acquire) && (host_.tasks->worker_count() == 0 || timeout_ns > kForever))
            finish_tasks();
        if (!done_.load(std::memory_order_acquire)) {
            std::unique_lock lock(mutex_);
            const auto ready = [this] { return done_.load(std::memory_order_acquire); };
            if (timeout_ns > kForever)
                finished_.wait(lock, ready);
            else
                finished_.wait_for(lock, std::chrono::nanoseconds(timeout_ns), ready);
        }
        return poll();
    }

    void cancel() override {
        cancelled_.store(true, std::memory_order_relaxed);
        stop_.store(true, std::memory_order_relaxed);
    }

    const FrameOutput& output() const override { return output_; }

    augur_result results(std::uint32_t first, std::uint32_t count, augur_agent_result* out) override {
        static_assert(sizeof(augur_agent_result) == sizeof(core::Decision));
        std::memcpy(static_cast<void*>(out), layout_.decisions + first, count * sizeof(augur_agent_result));
        return AUGUR_OK;
    }

    augur_result tree(std::uint32_t agent, augur_tree_node* out, std::uint32_t capacity,
                      std::uint32_t* needed) override {
        static_assert(sizeof(augur_tree_node) == sizeof(core::DumpedNode));
        const std::uint32_t nodes = layout_.work[agent].nodes;
        auto* const dumped = reinterpret_cast<core::DumpedNode*>(out);
        *needed = with_tree(agent, [&](const auto& t) { return core::dump_tree<R>(t, nodes, dumped, capacity); });
        return *needed <= capacity ? AUGUR_OK : AUGUR_ERROR_SIZE;
    }

    augur_result root(std::uint32_t agent, std::uint32_t* visits, float* values) override {
        const core::Edge* edges = layout_.pool.tree(agent).node_edges(0);
        const bool searched = layout_.work[agent].nodes > 0;
        for (int a = 0; a < actions(); ++a) {
            const std::uint32_t n = searched ? core::edge_visits(edges[a]) : 0;
            if (visits != nullptr) visits[a] = n;
            if (values != nullptr) values[a] = n > 0 ? core::edge_mean(edges[a]) : 0.0f;
        }
        return AUGUR_OK;
    }

    augur_result advice(std::uint32_t agent, float* priors, float* value) override {
        const std::size_t root = static_cast<std::size_t>(agent) * layout_.nodes;
        for (int a = 0; a < actions() && priors != nullptr; ++a)
            priors[a] = static_cast<float>(layout_.guides.priors[root * R::kActions + static_cast<std::size_t>(a)]) /
                        static_cast<float>(core::kWholePrior);
        if (value != nullptr) *value = static_cast<float>(layout_.guides.network_values[root]) / 65536.0f;
        return AUGUR_OK;
    }

    augur_result reset_trees(std::uint32_t first, std::uint32_t count) override {
        for (std::uint32_t agent = first; agent < first + count; ++agent)
            layout_.work[agent] = {};
        return AUGUR_OK;
    }

    EngineMemory memory() const override {
        EngineMemory memory = memory_of(desc_);
        if (learned_ != nullptr) memory.host_bytes += learned_->memory_bytes();
        return memory;
    }

    augur_result make_seat(const NetworkUse& use, std::unique_ptr<NetworkSeat>* out, std::string& message) override {
        auto seat = std::make_unique<CpuSeat>(use, CpuSeat::rows_of(desc_), workers(), host_.memory);
        if (!seat->allocate()) {
            message = "no memory for " + std::to_string(seat->memory_bytes()) + " bytes of network working memory";
            return AUGUR_ERROR_OUT_OF_MEMORY;
        }
        *out = std::move(seat);
        return AUGUR_OK;
    }

  private:
    enum Phase : std::uint32_t {
        kFetch,
        kGridClear,
        kGridFill,
        kGather,
        kCarry,
        kAllot,
        kSearch,
        kFinalise,
        kPhaseCount
    };
    static constexpr const char* kPhaseNames[kPhaseCount] = {"fetch", "clear grid", "grid",   "gather",
                                                             "carry", "allot",      "search", "finalise"};
    static constexpr std::uint32_t kFetchPiece = 512, kGatherPiece = 64, kCarryPiece = 16, kSearchPiece = 16;
    static constexpr std::uint64_t kForever = 1ull << 62;

    // Of the game; a learned one may have fewer than R has room for.
    int actions() const { return static_cast<int>(desc_.rules->action_count); }
    bool large() const { return CpuLayout<R>::is_large(desc_); }
    bool allots() const { return layout_.adaptive && frame_.allotment.on != 0; }
    std::uint32_t search_piece() const { return large() ? 1 : layout_.guided ? core::kGuidedGroup : kSearchPiece; }
    std::uint32_t workers() const { return kit::maximum(1u, host_.tasks->worker_count()); }
    static std::uint32_t pieces(std::uint32_t items, std::uint32_t size) { return (items + size - 1) / size; }

    // Without a deadline a tree is searched to its end at once, while it is in the cache; with one, all trees get a few
    // simulations in turn, so that time runs out for all alike.
    std::uint32_t rounds_for(const FrameWork& work) const {
        if (large() || work.simulations == 0) return 1;
        if (work.deadline_ns == 0) return 1;
        return pieces(work.simulations, core::kEarlyStopPeriod);
    }

    // When the search is told to end; 0: never.
    std::uint64_t search_until(const FrameWork& work) const {
        if (work.deadline_ns == 0) return 0;
        const std::uint64_t budget = work.deadline_ns > work.request_ns ? work.deadline_ns - work.request_ns : 0;
        return work.request_ns + after_search_.time_to_search(budget);
    }

    void learn_after_search() {
        const augur_stage_span& search = output_.stages[AUGUR_STAGE_SEARCH];
        const std::uint64_t told = since_request(search_until_ns_), done = since_request(output_.done_ns);
        // One that began too late had to wait, and less time would not have helped it.
        const bool told_to_end = output_.deadline_hit && search.begin_ns < told && done > told;
        after_search_.learn(done - (told_to_end ? told : search.end_ns), told_to_end);
    }

    static void AUGUR_CALL run_entry(void* self, std::uint32_t worker) { static_cast<CpuEngine*>(self)->run(worker); }

    // One worker's share of the frame.
    void run(std::uint32_t worker) {
        std::uint64_t unset = 0;
        started_ns_.compare_exchange_strong(unset, clock_ns(), std::memory_order_relaxed);
        for (std::uint32_t phase = 0; phase < kPhaseCount; ++phase) {
            const ProfilerRange range(kPhaseNames[phase]);
            std::uint32_t piece;
            while (phases_.claim(phase, &piece)) {
                run_piece(phase, piece, worker);
                bool completed = phases_.complete(phase);
                if (phase == kSearch && (stop_.load(std::memory_order_relaxed) || is_past_last_round(piece))) {
                    // The pieces that are left would do nothing.
                    const std::uint32_t left = phases_.abandon(phase);
                    completed = (left > 0 && phases_.complete(phase, left)) || completed;
                }
                if (completed) {
                    end_phase(phase);
                    phases_.close(phase);
                }
            }
            phases_.wait_for(phase);
        }
    }

    void run_piece(std::uint32_t phase, std::uint32_t piece, std::uint32_t worker) {
        const std::uint32_t a = frame_.agent_count;
        switch (phase) {
            case kFetch:
                each(piece, kFetchPiece, a, [this](std::uint32_t i) { fetch(i); });
                break;
            case kGridClear:
                each(piece, kFetchPiece, layout_.buckets,
                     [this](std::uint32_t i) { layout_.grid_heads[i] = core::kNoNode; });
                break;
            case kGridFill:
                each(piece, kFetchPiece, a, [this](std::uint32_t i) { grid_insert(i); });
                break;
            case kGather:
                each(piece, kGatherPiece, a, [this, worker](std::uint32_t i) { gather(i, worker); });
                break;
            case kCarry:
                carry_piece(piece);
                break;
            case kAllot:
                allot();
                break;
            case kSearch:
                search_piece(piece, worker);
                break;
            default:
                finalise_piece(piece);
                break;
        }
    }

    template <class F>
    static void each(std::uint32_t piece, std::uint32_t size, std::uint32_t total, const F& work) {
        const std::uint32_t end = kit::minimum(total, (piece + 1) * size);
        for (std::uint32_t i = piece * size; i < end; ++i)
            work(i);
    }

    // f(tree) with an agent's tree, as what it is.
    template <class F>
    auto with_tree(std::uint32_t agent, const F& f) const {
        if constexpr (core::Guidable<R>) {
            if (layout_.guided)
                return f(layout_.guides.tree(layout_.pool, agent, key_.simulations, settings_.selection));
        }
        return f(layout_.pool.tree(agent));
    }

    // What the phases do, in engine_stages.inl.
    void fetch(std::uint32_t agent);
    void allot();
    void grid_insert(std::uint32_t agent);
    void gather(std::uint32_t agent, std::uint32_t worker);
    void carry_piece(std::uint32_t piece);
    bool out_of_time();
    bool is_past_last_round(std::uint32_t piece) const;
    void search_piece(std::uint32_t piece, std::uint32_t worker);
    void search_group(std::uint32_t group, std::uint32_t round, std::uint32_t target, std::uint32_t worker,
                      PartMeter& meter);
    void search_plainly(std::uint32_t group, std::uint32_t round, std::uint32_t target, PartMeter& meter);
    bool wait_for_turn(std::uint32_t agent, std::uint32_t round);
    void search_small(std::uint32_t agent, std::uint32_t target, PartMeter& meter, bool watched);
    void search_large(std::uint32_t agent, PartMeter& meter);
    void run_measured_wave(std::uint32_t agent, PartMeter& meter);
    template <class Batch>
    void search_guided(std::uint32_t group, std::uint32_t round, std::uint32_t target, const Batch& batch,
                       PartMeter& meter);
    core::TranspositionTable table_of(std::size_t agent) const;
    core::WaveScratch scratch_of(std::size_t agent) const;
    core::Decision decide(std::uint32_t agent) const;
    void finalise_piece(std::uint32_t piece);

    // Called by the worker that completes a phase, before the others go on.
    void end_phase(std::uint32_t phase) {
        const augur_stage before_search = layout_.carries ? AUGUR_STAGE_CARRY : AUGUR_STAGE_GATHER;
        const augur_stage kStages[kPhaseCount] = {AUGUR_STAGE_FETCH,  AUGUR_STAGE_GRID,    AUGUR_STAGE_GRID,
                                                  AUGUR_STAGE_GATHER, AUGUR_STAGE_CARRY,   before_search,
                                                  AUGUR_STAGE_SEARCH, AUGUR_STAGE_FINALISE};
        const std::uint64_t now = since_request(clock_ns());
        const std::uint64_t begin =
            phase == 0 ? since_request(started_ns_.load(std::memory_order_relaxed)) : last_phase_end_;
        augur_stage_span& span = output_.stages[kStages[phase]];
        if (span.end_ns == 0) span.begin_ns = begin;
        span.end_ns = now;
        last_phase_end_ = now;
        if (phase == 0) output_.stages[AUGUR_STAGE_WAIT] = {0, begin};
        if (phase == kSearch) {
            const bool late = frame_.deadline_ns != 0 && frame_.request_ns + now >= frame_.deadline_ns;
            output_.actions_dropped = desc_.drop_late && late;
            core::PartTimes parts;
            for (std::uint32_t part = 0; part < core::kSearchParts; ++part)
                parts.sums[part] = part_sums_[part].exchange(0, std::memory_order_relaxed);
            output_.parts_measured = core::is_measured(parts);
            divide_search(parts, output_);
        }
        if (phase != kFinalise) return;
        output_.done_ns = frame_.request_ns + now;
        output_.cancelled = cancelled_.load(std::memory_order_relaxed);
        output_.deadline_hit = output_.flag_counts[0] > 0 && !output_.cancelled;
        output_.search_until_ns = search_until_ns_ == 0 ? 0 : since_request(search_until_ns_);
        learn_after_search();
        const std::lock_guard lock(mutex_);
        done_.store(true, std::memory_order_release);
        finished_.notify_all();
    }

    std::uint64_t since_request(std::uint64_t t) const { return t > frame_.request_ns ? t - frame_.request_ns : 0; }

    void finish_tasks() {
        if (!token_pending_) return;
        token_pending_ = false;
        host_.tasks->finish(token_);
    }

    const EngineDesc desc_;
    const BackendHost host_;
    CpuLayout<R> layout_;
    std::unique_ptr<CpuLearned> learned_;  // where the game is
    core::Settings settings_{};
    void* block_ = nullptr;
    std::size_t block_bytes_ = 0;

    FrameWork frame_{};
    core::FrameKey key_{};
    CpuBindings<R> bindings_;
    std::uint32_t rounds_ = 1;  // of the search
    std::uint64_t search_until_ns_ = 0;
    core::AfterSearch after_search_;
    kit::Fields fields_{};
    core::Grid grid_{};
    Phases<kPhaseCount> phases_;
    FrameOutput output_{};
    std::uint64_t last_phase_end_ = 0;
    std::array<std::atomic<std::uint64_t>, core::kSearchParts> part_sums_{};  // core::PartTimes
    std::atomic<std::uint64_t> started_ns_{0};
    std::atomic<bool> stop_{false}, cancelled_{false}, done_{false};
    std::mutex mutex_;
    std::condition_variable finished_;
    void* token_ = nullptr;
    bool token_pending_ = false;
};

template <class R>
augur_result make_cpu_engine(const EngineDesc& desc, const BackendHost& host, std::unique_ptr<Engine>* out,
                             std::string& message) {
    if (desc.search == AUGUR_SEARCH_TREE && !core::kHasLargeTree<R>) {
        message = std::string("search is AUGUR_SEARCH_TREE, but \"") + R::kName +
                  "\" has chance or simultaneous moves; use AUGUR_SEARCH_FOREST";
        return AUGUR_ERROR_UNSUPPORTED;
    }
    auto engine = std::make_unique<CpuEngine<R>>(desc, host);
    if (!engine->allocate()) {
        message = "no memory for " + std::to_string(CpuEngine<R>::memory_of(desc).host_bytes) + " bytes of trees";
        return AUGUR_ERROR_OUT_OF_MEMORY;
    }
    *out = std::move(engine);
    return AUGUR_OK;
}

// The row of a game.
template <class R>
CpuGame make_cpu_game() {
    static constexpr core::RulesInfo info = core::make_rules_info<R>();
    return {&info, &CpuEngine<R>::memory_of, &make_cpu_engine<R>};
}

#include "backend/cpu/engine_stages.inl"

}  // namespace augur

#endif  // AUGUR_BACKEND_CPU_ENGINE_H
