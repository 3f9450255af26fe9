// A planner: bindings, the frame from request to collect, and what it tells about itself.
#ifndef AUGUR_RUNTIME_PLANNER_H
#define AUGUR_RUNTIME_PLANNER_H

#include <atomic>
#include <memory>
#include <vector>

#include "backend/backend.h"
#include "runtime/binding.h"
#include "runtime/budget_controller.h"
#include "runtime/frame_budget.h"
#include "runtime/handles.h"
#include "runtime/latency.h"
#include "runtime/memory.h"
#include "runtime/model.h"
#include "runtime/recorder.h"
#include "runtime/timeline.h"
#include "runtime/write_watch.h"

namespace augur {

class Context;
class Rules;
struct LearnedRules;

// One call at a time, except cancel and hurry.
class Planner final : public Object {
  public:
    static constexpr Kind kKind = Kind::planner;

    // model: of the desc, or null. AUGUR_OK, or AUGUR_FELL_BACK_TO_CPU where the context's GPU is lost or cannot do it.
    static augur_result make(Context& context, const Rules& rules, const Model* model, const augur_planner_desc& desc,
                             std::unique_ptr<Planner>* out);
    // What make would take.
    static augur_result memory(Context& context, const Rules& rules, const Model* model, const augur_planner_desc& desc,
                               EngineMemory* out);
    ~Planner() override;

    Context& context() const { return context_; }
    const core::RulesInfo& rules() const { return rules_; }

    // From the next request on.
    augur_result set_model(const Model& model);

    // The caller keeps the buffer from being unregistered for the length of the call.
    augur_result bind(const char* field, const augur_binding& binding, Buffer& buffer);
    augur_result bind_actions(const augur_binding& binding, Buffer& buffer);
    augur_result bind_urgency(const augur_binding& binding, Buffer& buffer);
    // Whether a field or the actions are bound to the buffer.
    bool uses(const Buffer& buffer) const;
    // Waits for a frame that uses the buffer, then unbinds everything from it.
    void forget(const Buffer& buffer);

    augur_result request(const augur_frame_desc& desc);
    augur_result poll();
    augur_result collect(std::uint64_t timeout_us, augur_frame_result* out_result);
    void cancel();
    void hurry() override { cancel(); }

    augur_result results(std::uint32_t first, std::uint32_t count, augur_agent_result* out);
    augur_result tree(std::uint32_t agent, augur_tree_node* out, std::uint32_t* count);
    augur_result root(std::uint32_t agent, std::uint32_t* visits, float* values);
    augur_result advice(std::uint32_t agent, float* priors, float* value);
    augur_result reset_trees(std::uint32_t first, std::uint32_t count);
    augur_counters counters() const;
    LatencyWindow& latency(augur_latency_kind kind) { return latency_[kind - AUGUR_LATENCY_REQUEST]; }
    augur_latency stage_latency(std::uint32_t stage) const;
    const Timeline& timeline() const { return timeline_; }
    augur_backend answers_on() const { return backend_; }

    augur_result record_start(const char* path);
    augur_result record_stop();

  private:
    // What the bindings are for one backend.
    struct Wiring {
        std::vector<Source> sources;  // [components]; of adaptive planners one more, the urgency
        Sink actions{};
        bool usable = false;  // everything bound is visible to that backend
    };
    enum class State { idle, running, done };

    // A network with its working memory in this planner's engines, which goes before the network.
    struct Guide {
        std::shared_ptr<const LoadedNetwork> network;
        std::unique_ptr<NetworkSeat> on_cpu;
        std::unique_ptr<NetworkSeat> on_gpu;  // null where the planner has no GPU engine
        const std::unique_ptr<NetworkSeat>& on(augur_backend backend) const {
            return backend == AUGUR_BACKEND_CUDA ? on_gpu : on_cpu;
        }
    };

    Planner(Context& context, const Rules& rules, const augur_planner_desc& desc, const EngineDesc& engine_desc);
    augur_result make_engines(const Rules& rules, const Model* model);
    augur_result make_staging();
    augur_result make_guide(const Model& model, Guide* out);

    void wire();
    void wire_for(augur_backend backend, BackendBuffer* staged_actions, Wiring* out);
    augur_result check_touching(const Bound* fields, std::uint32_t first, std::uint32_t count,
                                const Bound& actions) const;
    augur_result settle_for_change();
    augur_result check_bound() const;
    augur_result check_gl() const;

    augur_result resolve_frame(const augur_frame_desc& desc, std::uint64_t now_ns, FrameWork* work) const;
    std::string source_name(std::uint32_t source) const;
    void share_frame(const augur_frame_desc& desc);
    void allot_frame();
    void count_allotment(const FrameOutput& output);
    augur_result submit();
    bool fall_back(augur_result result);
    augur_result forget_trees(std::uint32_t first, std::uint32_t count);
    augur_result advance(std::uint64_t timeout_ns, bool wait);
    // began_ns: of the call that found it done.
    void finish_frame(augur_result result, std::uint64_t began_ns);
    void fetch_gl();
    void store_gl();
    void settle_empty_frame(const FrameWork& work);
    augur_result answer_of(const FrameOutput& output) const;
    void count_frame(const augur_timeline_frame& frame, const FrameOutput& output);
    void warn_of_writes();
    void warn_of_full_trees(const FrameOutput& output);
    augur_result answer(augur_frame_result* out_result) const;
    augur_result check_collected(std::uint32_t agent) const;

    Context& context_;
    const std::shared_ptr<const LearnedRules> learned_;  // outlives the engines; null where rules are compiled
    const core::RulesInfo& rules_;
    const augur_planner_desc desc_;
    const EngineDesc engine_desc_;
    std::uint64_t default_budget_ns_;

    // Staging for actions of OpenGL buffers: packed, [A].
    MemoryBlock staged_actions_;
    std::unique_ptr<BackendBuffer> staged_actions_cpu_;
    std::unique_ptr<BackendBuffer> staged_actions_gpu_;

    Guide guide_;       // of the running frame; empty where no model guides
    Guide next_guide_;  // from the next request on, where not empty
    Guide old_guide_;   // the one before: given back with the next change, because that may wait for the GPU

    std::unique_ptr<Engine> gpu_engine_;  // null on the CPU backend, and where a model guides
    std::unique_ptr<Engine> cpu_engine_;  // answers, or stands by
    std::atomic<Engine*> engine_{nullptr};
    augur_backend backend_ = AUGUR_BACKEND_CPU;

    std::vector<Bound> fields_;   // as Wiring::sources
    std::vector<bool> optional_;  // as Wiring::sources
    Bound actions_;
    Wiring cpu_wiring_;
    Wiring gpu_wiring_;

    State state_ = State::idle;
    std::atomic<bool> running_{false};
    std::atomic<bool> cancel_asked_{false};
    FrameWork work_{};
    std::uint64_t next_frame_ = 0;
    std::uint64_t frame_cpu_ns_ = 0;        // of the host, inside request, poll and collect of this frame
    std::uint64_t frame_bytes_copied_ = 0;  // OpenGL copies of this frame
    augur_stage_span submit_span_{};
    augur_stage_span copy_span_{};
    bool fell_back_in_frame_ = false;
    bool budget_zero_ = false;
    bool forget_trees_ = false;  // of all agents, before the next frame

    FrameBudget::Member frame_share_;
    BudgetController costs_;  // of this planner's frames

    // Of the last finished frame.
    augur_result answer_ = AUGUR_OK;
    augur_frame_result result_{};
    std::uint32_t searched_agents_ = 0;  // that the engine can tell about

    augur_counters counters_{};
    LatencyWindow latency_[AUGUR_LATENCY_COLLECT];
    Timeline timeline_;
    Recorder recorder_;
    WriteWatch watch_;
};

// Waits for a running frame, then destroys a planner that the caller has alone. AUGUR_ERROR_STALE_ID when its context
// is being destroyed at the same time.
augur_result destroy_planner(Use<Planner>& planner);

// Waits until no frame uses the buffer, then forgets it.
augur_result unregister_buffer(Use<Buffer>& buffer);

}  // namespace augur

#endif  // AUGUR_RUNTIME_PLANNER_H
