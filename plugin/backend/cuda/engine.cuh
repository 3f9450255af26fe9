// A planner's search on the GPU: one graph of kernels, launched once a frame.
#ifndef AUGUR_BACKEND_CUDA_ENGINE_CUH
#define AUGUR_BACKEND_CUDA_ENGINE_CUH

#include <array>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "backend/cuda/buffers.h"
#include "backend/cuda/clock.h"
#include "backend/cuda/frame_builder.cuh"
#include "backend/cuda/games.h"
#include "backend/divide_search.h"
#include "core/after_search.h"
#include "core/deadline_guard.h"
#include "core/dump.h"

namespace augur::cuda {

// Pinned memory that host and device share.
struct Mailbox {
    FrameOrder order;
    FrameReport report;
    std::uint32_t cancel;
};

template <class R>
class CudaEngine final : public Engine {
  public:
    CudaEngine(const EngineDesc& desc, std::shared_ptr<Device> device) : desc_(desc), device_(std::move(device)) {
        settings_.selection = static_cast<core::Selection>(desc.selection);
        settings_.exploration = desc.exploration;
        settings_.discount = desc.discount;
        settings_.horizon = desc.horizon;
        settings_.node_capacity = desc.node_capacity;
        settings_.leaves_per_wave = is_large(desc) ? desc.leaves_per_wave : 1;
        settings_.early_stop = desc.early_stop ? 1 : 0;
        settings_.transpositions = desc.transpositions ? 1 : 0;
        settings_.considered_actions = desc.considered_actions;
        settings_.gumbel_scale = desc.gumbel_scale;
        settings_.carry_over = static_cast<core::CarryOver>(desc.carry_over);
        settings_.count_carried = desc.count_carried ? 1 : 0;
        lane_choice_ = device_->sharing().join();
    }

    ~CudaEngine() override {
        device_->sharing().leave();
        if (device_->health().lost()) return;  // the context is broken: every call would fail, the driver frees at exit
        const ContextScope scope(*device_);
        for (EngineLane& lane : lanes_) {
            if (lane.stream == nullptr) continue;
            cancel();
            cudaStreamSynchronize(lane.stream);
            lane.graph = nullptr;
            if (lane.owns_stream) cudaStreamDestroy(lane.stream);
        }
        if (turn_ != nullptr) {
            device_->sharing().forget(turn_);
            cudaEventDestroy(turn_);
        }
        if (mailbox_ != nullptr) cudaFreeHost(mailbox_);
        if (block_ != nullptr) cudaFree(block_);
        device_->release(reserved_);
    }

    static std::uint64_t seat_bytes(const EngineDesc& desc, const std::shared_ptr<Device>& device,
                                    const NetworkUse& use) {
        if constexpr (core::Featured<R>)
            return CudaSeat(device, use, FrameBuilder<R>::fused_plan(desc, *device, use), batch_rows(desc))
                .memory_bytes();
        return 0;
    }

    static EngineMemory memory_of(const EngineDesc& desc) {
        DeviceArrays<R> arrays{};
        std::size_t node_bytes = core::TreePool<R>::bytes_per_node();
        if (desc.guided) node_bytes += core::GuidePool<R>::bytes_per_node();
        if constexpr (core::Latent<R>) node_bytes += desc.learned->state_count * sizeof(float);
        if (desc.carry_over != AUGUR_CARRY_OVER_NONE) node_bytes += 2 * sizeof(std::uint32_t);
        return {static_cast<std::uint32_t>(node_bytes),
                place_arrays<R>(desc, 0, FrameBuilder<R>::uses_waves(desc), arrays), sizeof(Mailbox)};
    }

    // With the networks of a learned game.
    static EngineMemory memory_with_networks(const EngineDesc& desc, const std::shared_ptr<Device>& device) {
        EngineMemory memory = memory_of(desc);
        if constexpr (core::Latent<R>)
            memory.device_bytes +=
                CudaLearned(device, *desc.learned, desc.agent_capacity, batch_rows(desc)).memory_bytes();
        return memory;
    }

    // Takes memory, builds the graph, runs it once without agents so that nothing is loaded for the first time in a
    // frame.
    augur_result create(std::string& message) {
        const ContextScope scope(*device_);
        DeviceHealth& health = device_->health();
        const EngineMemory needed = memory_of(desc_);
        if (!device_->reserve(needed.device_bytes)) {
            message = "the planner needs " + std::to_string(needed.device_bytes) +
                      " bytes of GPU memory, gpu_memory_cap_bytes is " + std::to_string(device_->cap());
            return AUGUR_ERROR_OUT_OF_MEMORY;
        }
        reserved_ = needed.device_bytes;
        augur_result result = health.check(cudaMalloc(&block_, needed.device_bytes), "cudaMalloc", message);
        if (result != AUGUR_OK) {
            message += " for " + std::to_string(needed.device_bytes) + " bytes";
            return result;
        }
        place_arrays<R>(desc_, reinterpret_cast<std::uintptr_t>(block_), FrameBuilder<R>::uses_waves(desc_), arrays_);
        void* seen = nullptr;
        void* mailbox = nullptr;
        result = health.check(cudaHostAlloc(&mailbox, sizeof(Mailbox), cudaHostAllocMapped), "cudaHostAlloc", message);
        if (result == AUGUR_OK) {
            mailbox_ = new (mailbox) Mailbox{};
            result = health.check(cudaHostGetDevicePointer(&seen, mailbox, 0), "cudaHostGetDevicePointer", message);
        }
        for (std::uint32_t i = 0; i < device_->sharing().lane_count() && result == AUGUR_OK; ++i)
            result = make_stream(i, message);
        if (result == AUGUR_OK)
            result = health.check(cudaEventCreateWithFlags(&turn_, cudaEventDisableTiming), "cudaEventCreate", message);
        if (result != AUGUR_OK) return result;
        auto* device_mailbox = static_cast<Mailbox*>(seen);
        arrays_.order_host = &device_mailbox->order;
        arrays_.report_host = &device_mailbox->report;
        arrays_.cancel_host = &device_mailbox->cancel;
        {
            const ContextScope in_lane(*device_, device_->sharing().search_lane(0).context);
            result = health.check(cudaMemsetAsync(block_, 0, needed.device_bytes, lanes_[0].stream), "cudaMemsetAsync",
                                  message);
            if (result == AUGUR_OK)  // the other lanes do not wait for it
                result = health.check(cudaStreamSynchronize(lanes_[0].stream), "cudaStreamSynchronize", message);
            if (core::Latent<R> && result == AUGUR_OK) result = make_learned(message);
        }
        if (desc_.guided && !core::Latent<R>) return result;  // a guided search has a graph for each seat
        for (std::uint32_t i = 0; i < device_->sharing().lane_count() && result == AUGUR_OK; ++i) {
            lanes_[i].graph = std::make_unique<FrameGraph>(*device_);
            result = build_graph(*lanes_[i].graph, i, nullptr, message);
        }
        return result;
    }

    // Graph and working memory of one network. Warm-ups need the mailbox: a seat made while a frame runs goes without.
    augur_result make_seat(const NetworkUse& use, std::unique_ptr<NetworkSeat>* out, std::string& message) override {
        if constexpr (core::Featured<R>) {
            if (device_->health().lost()) return AUGUR_ERROR_DEVICE_LOST;
            const ContextScope scope(*device_, device_->sharing().search_lane(0).context);
            auto seat = std::make_unique<CudaSeat>(device_, use, FrameBuilder<R>::fused_plan(desc_, *device_, use),
                                                   batch_rows(desc_));
            augur_result result = seat->allocate(lanes_[0].stream, message);
            for (std::uint32_t i = 0; i < device_->sharing().lane_count() && result == AUGUR_OK; ++i)
                result = build_graph(seat->graph(i), i, seat.get(), message);
            if (result == AUGUR_OK) *out = std::move(seat);
            return result;
        } else {
            return Engine::make_seat(use, out, message);
        }
    }

    augur_result submit(const FrameWork& work) override {
        DeviceHealth& health = device_->health();
        if (health.lost()) return AUGUR_ERROR_DEVICE_LOST;
        if (device_->host_captures()) return AUGUR_ERROR_CAPTURE_CONFLICT;
        choice_ = device_->sharing().begin_search(lane_choice_, work.urgency_weight);
        const EngineLane& lane = lanes_[choice_.lane];
        const ContextScope scope(*device_, device_->sharing().search_lane(choice_.lane).context);
        frame_ = work;
        augur_result result = fill_order(work);
        if (result == AUGUR_OK) {
            launched_ns_ = now_ns();
            FrameGraph& graph =
                work.seat != nullptr ? static_cast<CudaSeat*>(work.seat)->graph(choice_.lane) : *lane.graph;
            const cudaGraphExec_t executable = graph.executable(mailbox_->order.watched != 0);
            result = health.check(device_->sharing().take_turn(
                lane.stream, turn_, [&] { return cudaGraphLaunch(executable, lane.stream); }));
        }
        for (std::uint32_t i = 0; i < buffer_count_; ++i)
            buffers_[i]->end(lane.stream);
        if (result == AUGUR_OK) running_ = true;
        return result;
    }

    augur_result poll() override {
        if (!running_) return result_;
        if (const_cast<const volatile FrameReport&>(mailbox_->report).sequence == mailbox_->order.sequence) {
            std::atomic_thread_fence(std::memory_order_acquire);
            finish_frame();
            return result_ = AUGUR_OK;
        }
        if (++polls_ % kPollsPerQuery == 0) {
            const ContextScope scope(*device_, device_->sharing().search_lane(choice_.lane).context);
            if (!device_->host_captures() &&
                device_->health().check(cudaStreamQuery(lanes_[choice_.lane].stream)) == AUGUR_ERROR_DEVICE_LOST) {
                running_ = false;
                return result_ = AUGUR_ERROR_DEVICE_LOST;
            }
        }
        return AUGUR_NOT_READY;
    }

    augur_result wait(std::uint64_t timeout_ns) override {
        const std::uint64_t start = now_ns();
        for (;;) {
            const augur_result result = poll();
            if (result != AUGUR_NOT_READY) return result;
            if (now_ns() - start >= timeout_ns) return AUGUR_NOT_READY;
            std::this_thread::yield();
        }
    }

    void cancel() override { const_cast<volatile Mailbox*>(mailbox_)->cancel = 1; }

    const FrameOutput& output() const override { return output_; }

    std::uint64_t usable_budget(std::uint64_t budget_ns) const override { return guard_.limited(budget_ns); }

    augur_result results(std::uint32_t first, std::uint32_t count, augur_agent_result* out) override {
        static_assert(sizeof(augur_agent_result) == sizeof(core::Decision));
        return copy_out(out, arrays_.decisions + first, count);
    }

    augur_result tree(std::uint32_t agent, augur_tree_node* out, std::uint32_t capacity,
                      std::uint32_t* needed) override {
        static_assert(sizeof(augur_tree_node) == sizeof(core::DumpedNode));
        core::AgentWork work{};
        augur_result result = copy_out(&work, arrays_.work + agent, 1);
        const core::Tree<R> from = arrays_.pool.tree(agent);
        std::vector<core::NodeHeader<R>> headers(work.nodes);
        std::vector<core::Edge> edges(static_cast<std::size_t>(work.nodes) * core::Tree<R>::D * R::kActions);
        if (result == AUGUR_OK) result = copy_out(headers.data(), from.headers, headers.size());
        if (result == AUGUR_OK) result = copy_out(edges.data(), from.edges, edges.size());
        if (result != AUGUR_OK) return result;
        const core::Tree<R> copy = {headers.data(), edges.data(), nullptr, nullptr};
        auto* const dumped = reinterpret_cast<core::DumpedNode*>(out);
        if constexpr (core::Guidable<R>) {
            if (desc_.guided) {
                const std::size_t first = static_cast<std::size_t>(agent) * desc_.node_capacity;
                std::vector<core::Prior> priors(headers.size() * R::kActions);
                std::vector<std::int32_t> values(headers.size());
                result = copy_out(priors.data(), arrays_.guides.priors + first * R::kActions, priors.size());
                if (result == AUGUR_OK)
                    result = copy_out(values.data(), arrays_.guides.network_values + first, values.size());
                if (result != AUGUR_OK) return result;
                const core::GuidedTree<R> guided = {copy, priors.data(),      values.data(), nullptr,
                                                    0,    settings_.selection};
                *needed = core::dump_tree<R>(guided, work.nodes, dumped, capacity);
                return *needed <= capacity ? AUGUR_OK : AUGUR_ERROR_SIZE;
            }
        }
        *needed = core::dump_tree<R>(copy, work.nodes, dumped, capacity);
        return *needed <= capacity ? AUGUR_OK : AUGUR_ERROR_SIZE;
    }

    augur_result root(std::uint32_t agent, std::uint32_t* visits, float* values) override {
        core::AgentWork work{};
        core::Edge edges[R::kActions] = {};
        augur_result result = copy_out(&work, arrays_.work + agent, 1);
        if (result == AUGUR_OK && work.nodes > 0)
            result = copy_out(edges, arrays_.pool.tree(agent).node_edges(0), R::kActions);
        if (result != AUGUR_OK) return result;
        for (int a = 0; a < actions(); ++a) {
            const std::uint32_t n = core::edge_visits(edges[a]);
            if (visits != nullptr) visits[a] = n;
            if (values != nullptr) values[a] = n > 0 ? core::edge_mean(edges[a]) : 0.0f;
        }
        return AUGUR_OK;
    }

    augur_result advice(std::uint32_t agent, float* priors, float* value) override {
        if (!desc_.guided) return AUGUR_ERROR_UNSUPPORTED;
        const std::size_t root = static_cast<std::size_t>(agent) * desc_.node_capacity;
        core::Prior shares[R::kActions] = {};
        std::int32_t value_q16 = 0;
        augur_result result = copy_out(shares, arrays_.guides.priors + root * R::kActions, R::kActions);
        if (result == AUGUR_OK) result = copy_out(&value_q16, arrays_.guides.network_values + root, 1);
        if (result != AUGUR_OK) return result;
        for (int a = 0; a < actions() && priors != nullptr; ++a)
            priors[a] = static_cast<float>(shares[a]) / static_cast<float>(core::kWholePrior);
        if (value != nullptr) *value = static_cast<float>(value_q16) / 65536.0f;
        return AUGUR_OK;
    }

    augur_result reset_trees(std::uint32_t first, std::uint32_t count) override {
        if (device_->health().lost()) return AUGUR_ERROR_DEVICE_LOST;
        const ContextScope scope(*device_, device_->sharing().search_lane(0).context);
        const cudaStream_t stream = lanes_[0].stream;
        if (device_->host_captures()) return AUGUR_ERROR_CAPTURE_CONFLICT;
        const augur_result result =
            device_->health().check(cudaMemsetAsync(arrays_.work + first, 0, count * sizeof(core::AgentWork), stream));
        // The next frame may go another way.
        return result == AUGUR_OK ? device_->health().check(cudaStreamSynchronize(stream)) : result;
    }

    EngineMemory memory() const override {
        EngineMemory memory = memory_of(desc_);
        if (learned_ != nullptr) memory.device_bytes += learned_->memory_bytes();
        return memory;
    }

    augur_execution execution(const NetworkSeat* seat) const override {
        const bool waves = seat != nullptr ? !static_cast<const CudaSeat*>(seat)->is_fused()
                                           : core::Latent<R> || FrameBuilder<R>::uses_waves(desc_);
        return waves ? AUGUR_EXECUTION_WAVES : AUGUR_EXECUTION_RESIDENT;
    }

  private:
    static constexpr int kWarmUps = 8;
    static constexpr std::uint32_t kWatchPeriod = 32;  // frames, in one of which the parts of the search are measured
    static constexpr std::uint32_t kPollsPerQuery = 256;

    static std::uint64_t now_ns() {
        return static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
                .count());
    }

    augur_result make_stream(std::uint32_t number, std::string& message) {
        EngineLane& lane = lanes_[number];
        lane.stream = device_->host_stream();
        if (lane.stream != nullptr) return AUGUR_OK;
        const Lane& place = device_->sharing().search_lane(number);
        const ContextScope scope(*device_, place.context);
        lane.owns_stream = true;
        return device_->health().check(
            cudaStreamCreateWithPriority(&lane.stream, cudaStreamNonBlocking, place.priority),
            "cudaStreamCreateWithPriority", message);
    }

    // Of the game; a learned one may have fewer than R has room for.
    int actions() const { return static_cast<int>(desc_.rules->action_count); }

    augur_result make_learned([[maybe_unused]] std::string& message) {
        if constexpr (core::Latent<R>) {
            learned_ = std::make_unique<CudaLearned>(device_, *desc_.learned, desc_.agent_capacity, batch_rows(desc_));
            const augur_result result = learned_->allocate(lanes_[0].stream, message);
            arrays_.learned = learned_->learned_view(arrays_.learned.latents);
            return result;
        }
        return AUGUR_OK;
    }

    // Everything a frame does, and eight empty frames, so that nothing is loaded for the first time in a real one.
    // seat: of a guided search.
    augur_result build_graph(FrameGraph& frame_graph, std::uint32_t number, CudaSeat* seat, std::string& message) {
        const Lane& lane = device_->sharing().search_lane(number);
        const ContextScope scope(*device_, lane.context);
        augur_result result = frame_graph.create(message);
        if (result != AUGUR_OK) return result;
        GraphChain chain(frame_graph.graph(), lane.priority);
        FrameBuilder<R>(desc_, *device_, lane, arrays_, settings_).add_to(chain, seat, learned_.get());
        result = device_->health().check(chain.error(), "building the frame's graph", message);
        if (result == AUGUR_OK) result = frame_graph.finish(lanes_[number].stream, message, chain.watched_kernel());
        for (int i = 0; i < kWarmUps && result == AUGUR_OK && !running_; ++i)
            result = warm_up(frame_graph, lanes_[number].stream, i % 2 == 0, message);
        return result;
    }

    augur_result warm_up(FrameGraph& frame_graph, cudaStream_t stream, bool watched, std::string& message) {
        mailbox_->order = {};
        mailbox_->order.watched = watched ? 1 : 0;
        mailbox_->order.sequence = ++sequence_;
        launched_ns_ = now_ns();
        augur_result result = device_->health().check(cudaGraphLaunch(frame_graph.executable(watched), stream),
                                                      "cudaGraphLaunch", message);
        if (result == AUGUR_OK)
            result = device_->health().check(cudaStreamSynchronize(stream), "the first empty frame", message);
        if (result == AUGUR_OK) {
            const FrameReport& report = mailbox_->report;
            clock_.observe(launched_ns_, report.times[kBegin], report.times[kDone], now_ns());
        }
        return result;
    }

    // Where a buffer's bytes are for this frame's kernels. Remembers the buffer for end and finish.
    unsigned char* open(BackendBuffer* buffer, augur_result& result) {
        if (buffer == nullptr || result != AUGUR_OK) return nullptr;
        auto* cuda_buffer = static_cast<CudaBuffer*>(buffer);
        unsigned char* data = cuda_buffer->begin(lanes_[choice_.lane].stream, result);
        for (std::uint32_t i = 0; i < buffer_count_; ++i)
            if (buffers_[i] == cuda_buffer) return data;
        buffers_[buffer_count_++] = cuda_buffer;
        return data;
    }

    // Where numbers that are no component of a field lie.
    core::SourceView view_of(const Source& from, augur_result& result) {
        core::SourceView view{};
        view.data = open(from.buffer, result);
        if (view.data != nullptr) view.data += from.offset_bytes;
        view.stride_bytes = from.stride_bytes;
        view.format = static_cast<core::Format>(from.format);
        return view;
    }

    augur_result fill_order(const FrameWork& work) {
        augur_result result = AUGUR_OK;
        FrameOrder& order = mailbox_->order;
        buffer_count_ = 0;
        std::uint32_t count = 0, word = 0;
        const Source* next = work.sources;
        for (const kit::FieldInfo& field : R::kFields) {
            if (field.kind == kit::FieldKind::row) {
                order.observation = view_of(*next++, result);
                continue;
            }
            for (std::uint32_t c = 0; c < field.components; ++c) {
                const Source& from = *next++;
                order.sources[count++] = component_view(from, open(from.buffer, result), field, word);
            }
        }
        order.source_count = count;
        unsigned char* actions = open(work.actions.buffer, result);
        order.allotment = desc_.adaptive ? work.allotment : core::AllotmentOrder{};
        order.urgency = {};
        if (order.allotment.on != 0 && work.urgency.buffer != nullptr) order.urgency = view_of(work.urgency, result);
        if (result != AUGUR_OK) return result;
        order.sink = {actions + work.actions.offset_bytes, work.actions.stride_bytes,
                      static_cast<core::Format>(work.actions.format)};
        order.key = {{desc_.seed, work.frame}, work.agent_count, work.simulations};
        search_until_ns_ = work.deadline_ns == 0 ? 0 : time_to_search(work);
        order.deadline = work.deadline_ns == 0 ? 0 : clock_.to_device(work.request_ns + search_until_ns_);
        order.drop_after = desc_.drop_late && work.deadline_ns != 0 ? clock_.to_device(work.deadline_ns) : 0;
        order.watched = frames_++ % kWatchPeriod == 0 || was_late_ ? 1 : 0;
        order.sequence = ++sequence_;
        mailbox_->cancel = 0;
        std::atomic_thread_fence(std::memory_order_release);
        return AUGUR_OK;
    }

    void finish_frame() {
        running_ = false;
        const std::uint64_t saw = now_ns();
        const FrameReport& report = mailbox_->report;
        clock_.observe(launched_ns_, report.times[kBegin], report.times[kDone], saw);
        output_ = {};
        for (std::uint32_t i = 0; i < buffer_count_; ++i)
            output_.bytes_copied += buffers_[i]->finish();
        output_.decision_hash = report.decision_hash;
        output_.simulations = report.simulations;
        std::memcpy(output_.flag_counts, report.flag_counts, sizeof output_.flag_counts);
        output_.agents_flagged = report.agents_flagged;
        output_.allotted = report.allotted;
        output_.trees_carried = report.trees_carried;
        output_.trees_warmed = report.trees_warmed;
        output_.trees_reset = report.trees_reset;
        output_.nodes_carried = report.nodes_carried;
        output_.cancelled = mailbox_->cancel != 0;
        output_.deadline_hit = report.flag_counts[0] > 0 && !output_.cancelled;
        output_.done_ns = clock_.to_host(report.times[kDone]);
        const auto span = [&](augur_stage stage, DeviceStage begin, DeviceStage end) {
            output_.stages[stage] = {since_request(report.times[begin]), since_request(report.times[end])};
        };
        constexpr bool has_grid = R::kNeighbours > 0;
        output_.stages[AUGUR_STAGE_WAIT] = {0, since_request(report.times[kBegin])};
        span(AUGUR_STAGE_FETCH, kBegin, has_grid ? kGrid : kGather);
        if (has_grid) span(AUGUR_STAGE_GRID, kGrid, kGather);
        const bool carries = desc_.carry_over != AUGUR_CARRY_OVER_NONE;
        span(AUGUR_STAGE_GATHER, kGather, carries ? kCarry : kSearch);
        if (carries) span(AUGUR_STAGE_CARRY, kCarry, kSearch);
        span(AUGUR_STAGE_SEARCH, kSearch, kFinalise);
        span(AUGUR_STAGE_FINALISE, kFinalise, kDone);
        output_.parts_measured = core::is_measured(report.parts);
        if (output_.parts_measured) parts_ = report.parts;
        divide_search(parts_, output_);
        output_.actions_dropped = report.actions_dropped != 0;
        output_.multiprocessors = device_->sharing().search_lane(choice_.lane).multiprocessors;
        output_.search_until_ns = search_until_ns_;
        learn_after_search(report);
        const std::uint64_t budget = frame_.deadline_ns == 0 ? 0 : frame_.deadline_ns - frame_.request_ns;
        const std::uint64_t took = since_request(report.times[kDone]);
        // What made a frame late is seen in the next one, if it is still there; not in each of a row of them.
        was_late_ = budget != 0 && took > budget && mailbox_->order.watched == 0;
        lane_choice_.searched(choice_.lane, took, budget, choice_.beside);
    }

    std::uint64_t since_request(std::uint64_t device) const {
        const std::uint64_t host = clock_.to_host(device);
        return host > frame_.request_ns ? host - frame_.request_ns : 0;
    }

    // From the request until the search is told to end.
    std::uint64_t time_to_search(const FrameWork& work) const {
        const std::uint64_t budget = work.deadline_ns > work.request_ns ? work.deadline_ns - work.request_ns : 0;
        return guard_.limited(after_search_.time_to_search(budget));
    }

    void learn_after_search(const FrameReport& report) {
        const std::uint64_t told = mailbox_->order.deadline;
        // One that began too late had to wait, and less time would not have helped it.
        const bool told_to_end = output_.deadline_hit && report.times[kSearch] < told && report.times[kDone] > told;
        const std::uint64_t took = report.times[kDone] - (told_to_end ? told : report.times[kFinalise]);
        if (told_to_end && guard_.ended(search_until_ns_, after_search_.beyond(took))) return;
        if (told != 0 && !output_.deadline_hit && !output_.cancelled)
            guard_.ended_by_itself(search_until_ns_, since_request(report.times[kFinalise]));
        after_search_.learn(took, told_to_end);
    }

    template <class T>
    augur_result copy_out(T* to, const T* from, std::size_t count) {
        if (device_->health().lost()) return AUGUR_ERROR_DEVICE_LOST;
        const ContextScope scope(*device_, device_->sharing().search_lane(choice_.lane).context);
        const cudaStream_t stream = lanes_[choice_.lane].stream;
        if (count == 0) return AUGUR_OK;
        if (device_->host_captures()) return AUGUR_ERROR_CAPTURE_CONFLICT;
        const augur_result result = device_->health().check(
            cudaMemcpyAsync(static_cast<void*>(to), from, count * sizeof(T), cudaMemcpyDeviceToHost, stream));
        return result == AUGUR_OK ? device_->health().check(cudaStreamSynchronize(stream)) : result;
    }
    augur_result copy_out(augur_agent_result* to, const core::Decision* from, std::size_t count) {
        return copy_out(reinterpret_cast<core::Decision*>(to), from, count);
    }

    const EngineDesc desc_;
    std::shared_ptr<Device> device_;
    core::Settings settings_{};
    DeviceArrays<R> arrays_{};
    void* block_ = nullptr;
    std::uint64_t reserved_ = 0;
    std::unique_ptr<CudaLearned> learned_;  // where the game is
    Mailbox* mailbox_ = nullptr;
    // A lane of the GPU as this planner uses it.
    struct EngineLane {
        cudaStream_t stream = nullptr;
        bool owns_stream = false;
        std::unique_ptr<FrameGraph> graph;  // null in guided searches, where every seat has its own
    };
    EngineLane lanes_[core::kMaxLanes];
    core::LaneChoice lane_choice_;
    Sharing::Choice choice_{};    // of the running frame, or of the last one
    cudaEvent_t turn_ = nullptr;  // passed when the frame is done
    ClockOffset clock_;
    core::AfterSearch after_search_;
    core::DeadlineGuard guard_;

    FrameWork frame_{};
    std::array<CudaBuffer*, core::kMaxSources + 2> buffers_{};
    std::uint32_t buffer_count_ = 0;
    std::uint64_t sequence_ = 0;
    std::uint32_t frames_ = 0;
    core::PartTimes parts_{};            // as last measured
    std::uint64_t search_until_ns_ = 0;  // after the request, of the running frame or the last one; 0: no deadline
    std::uint64_t launched_ns_ = 0;
    std::uint32_t polls_ = 0;
    bool was_late_ = false;  // the last frame
    bool running_ = false;
    augur_result result_ = AUGUR_OK;
    FrameOutput output_{};
};

template <class R>
augur_result make_cuda_engine(const EngineDesc& desc, std::shared_ptr<Device> device, std::unique_ptr<Engine>* out,
                              std::string& message) {
    if (is_large(desc) && !core::kHasLargeTree<R>) {
        message = std::string("search is AUGUR_SEARCH_TREE, but \"") + R::kName +
                  "\" has chance or simultaneous moves; use AUGUR_SEARCH_FOREST";
        return AUGUR_ERROR_UNSUPPORTED;
    }
    if (desc.guided && !core::Guidable<R>) {
        message = std::string("\"") + R::kName + "\" has no features for a network";
        return AUGUR_ERROR_UNSUPPORTED;
    }
    auto engine = std::make_unique<CudaEngine<R>>(desc, std::move(device));
    const augur_result result = engine->create(message);
    if (result == AUGUR_OK) *out = std::move(engine);
    return result;
}

// The row of a game.
template <class R>
CudaGame make_cuda_game() {
    static constexpr core::RulesInfo info = core::make_rules_info<R>();
    return {&info, &CudaEngine<R>::memory_with_networks, &CudaEngine<R>::seat_bytes, &make_cuda_engine<R>};
}

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_ENGINE_CUH
