// The demo's use of Augur: one context, one game, one planner, and what they report.
#pragma once

#include <augur/augur.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "app/gl.h"
#include "app/options.h"
#include "app/samples.h"

namespace augur::demo {

/// How urgency falls off around what an agent has to fear; see augur_profile.
struct UrgencyCurve {
    float peak = 6.0f;  ///< beside it; far from it urgency is 1
    float fall = 1.5f;  ///< exponent of the nearness
    float at(float nearness) const { return 1.0f + (peak - 1.0f) * std::pow(nearness, fall); }
};

/// What a user can change about the search. Everything but budgets, weights and the curve needs a new planner.
struct SearchSettings {
    BackendChoice backend = BackendChoice::kAuto;
    std::uint32_t simulations = 32;  ///< per agent and frame
    std::uint32_t budget_us = 0;     ///< 0: no time limit
    std::uint32_t horizon = 0;       ///< plies; 0: the rules' own
    float exploration = 0.0f;        ///< 0: the rules' own
    std::uint32_t selection = AUGUR_SELECTION_PUCT;
    std::uint32_t execution = AUGUR_EXECUTION_AUTO;
    std::uint32_t leaves_per_wave = 0;     ///< of one large tree; 0: an eighth of the simulations
    std::uint32_t considered_actions = 0;  ///< of Gumbel selection; 0: 16
    float gumbel_scale = 1.0f;             ///< of Gumbel selection
    std::uint32_t precision = AUGUR_PRECISION_AUTO;
    bool adaptive = false;                ///< simulations is the mean; agents get more or fewer by their urgency
    std::uint32_t most_simulations = 0;   ///< adaptive: of one agent; 0: four times simulations
    std::uint32_t least_simulations = 0;  ///< adaptive: the fewest worth a search; 0: Augur's own
    UrgencyCurve urgency;                 ///< adaptive: of the scene's agents
    std::uint32_t gpu_sharing = AUGUR_GPU_SHARING_PRIORITY;
    std::uint32_t partition_multiprocessors = 0;       ///< of the search, where each has a part; 0: an eighth
    std::uint32_t frame_budget_us = 0;                 ///< of all that shares a frame; 0: budget_us
    std::uint32_t carry_over = AUGUR_CARRY_OVER_NONE;  ///< where the scene's search can do it
    bool count_carried = false;
    float phase_weight = 1.0f;  ///< against what else shares a frame's budget
    float depth_weight = 1.0f;
    float priority = 1.0f;
    std::uint32_t late_actions = AUGUR_LATE_ACTIONS_WRITE;
    bool early_stop = true;
    std::uint64_t seed = 1;
    std::string model;  ///< file of the network that guides the search; empty: none, rollouts
};

/// What a scene asks of a planner.
struct PlannerNeeds {
    const char* rules = "";
    std::uint32_t agents = 1;
    std::uint32_t search = AUGUR_SEARCH_FOREST;
    std::uint32_t most_carried = AUGUR_CARRY_OVER_WARM_START;  ///< augur_carry_over that its rules allow
};

/// Figures of the run, all frames together.
struct RunFigures {
    std::uint64_t frames = 0;
    std::uint64_t simulations = 0;
    std::uint64_t plan_ns = 0;  ///< request to actions ready, all frames
    std::uint64_t deadline_misses = 0;
    std::uint64_t fallbacks = 0;
    std::uint64_t bytes_copied = 0;
    std::uint64_t model_fallbacks = 0;                    ///< agents to whom the model gave a number that is none
    std::uint64_t decision_hash = 0xcbf29ce484222325ull;  ///< FNV-1a over the hash of every frame, in order
};

enum class PlanState { kNone, kRunning, kDone, kFailed };

/// Every failure leaves a sentence in message(); the demo shows it and goes on without plans. Frame thread only.
class PlannerSession {
  public:
    explicit PlannerSession(GlLoader loader);
    PlannerSession(const PlannerSession&) = delete;
    PlannerSession& operator=(const PlannerSession&) = delete;
    ~PlannerSession() { close(); }

    /// Makes context, rules and planner anew. Buffers registered before are gone afterwards.
    bool open(const PlannerNeeds& needs, const SearchSettings& settings);
    void close();
    bool is_open() const { return planner_.value != 0; }
    /// For what else the game makes from it; zero while closed.
    augur_context_id context() const { return context_; }
    /// True after an open() that failed because of the model: it is missing, damaged or does not fit the game.
    bool model_refused() const { return model_refused_; }

    bool register_gl(const GlBuffer& buffer, augur_access access, augur_buffer_id& out);
    bool register_host(void* pointer, std::size_t size_bytes, augur_access access, augur_buffer_id& out);
    bool bind(const char* field, augur_buffer_id buffer, augur_format format, std::size_t offset, std::size_t stride);
    bool bind_actions(augur_buffer_id buffer, augur_format format, std::size_t offset, std::size_t stride);
    bool bind_urgency(augur_buffer_id buffer, augur_format format, std::size_t offset, std::size_t stride);

    /// Begins a frame in which everything of the context shares the frame's budget of the settings, or the search's own
    /// where that is 0; `shared` false: it ends that.
    bool begin_frame(bool shared);

    /// Starts a frame. `moment` is its part of the random key: the same moment of the game gives the same answer. Its
    /// budget is the one in the settings last given to open() or set_frame().
    bool request(std::uint32_t agent_count, std::uint64_t moment);
    /// Takes the frame in when it is done; waits up to `timeout_us` for it.
    PlanState collect(std::uint64_t timeout_us);
    /// Waits for a running frame and drops it.
    void finish();
    bool running() const { return running_; }

    /// Takes what a frame can be told: budgets and weights. The curve is the scene's affair, and kept here with the
    /// rest.
    void set_frame(const SearchSettings& settings) {
        settings_.budget_us = settings.budget_us;
        settings_.frame_budget_us = settings.frame_budget_us;
        settings_.urgency = settings.urgency;
        settings_.phase_weight = settings.phase_weight;
        settings_.depth_weight = settings.depth_weight;
    }

    const SearchSettings& settings() const { return settings_; }
    const augur_capabilities& capabilities() const { return capabilities_; }
    const augur_rules_info& rules() const { return rules_info_; }
    const augur_frame_result& last_frame() const { return last_frame_; }
    const augur_planner_memory_info& memory() const { return memory_; }
    bool has_model() const { return is_open() && model_.value != 0; }
    bool has_reward() const { return has_model() && !reward_output_.empty(); }  ///< the model says something of rewards
    /// What is known of the model; all zero without one.
    const augur_model_info& model() const { return model_info_; }
    const char* precision_name() const;
    /// augur_backend that answers; the CPU's in a context with a GPU where that is lost, or cannot run the model.
    std::uint32_t backend() const { return backend_; }
    bool answers_elsewhere() const { return is_open() && backend_ != capabilities_.backend; }
    /// What the plans are made on.
    std::string device() const;
    const RunFigures& figures() const { return figures_; }
    const Samples& request_ms() const { return request_ms_; }
    const Samples& search_ms() const { return search_ms_; }
    const Samples& plan_ms() const { return plan_ms_; }
    /// Until a worker or the GPU began, and how long collecting held the game up.
    const Samples& wait_ms() const { return wait_ms_; }
    const Samples& collect_ms() const { return collect_ms_; }
    /// The part of each plan's search that was spent in the model; empty without one.
    const Samples& evaluate_ms() const { return evaluate_ms_; }
    const std::string& message() const { return message_; }
    void dismiss_message() { message_.clear(); }

    bool counters(augur_counters& out);
    bool latency(augur_latency_kind kind, augur_latency& out);
    /// The timeline's newest frame.
    bool newest(augur_timeline_frame& out);
    bool memory_usage(augur_memory_usage& out);
    /// The last frames, oldest first.
    const std::vector<augur_timeline_frame>& timeline();
    bool tree(std::uint32_t agent, std::vector<augur_tree_node>& out);
    bool root(std::uint32_t agent, std::vector<std::uint32_t>& visits, std::vector<float>& values);
    /// What the model said of the agent's present state: shares of the actions [K], and a value for the agent.
    bool advice(std::uint32_t agent, std::vector<float>& priors, float& value);
    /// Runs the model on its own on one state and gives the numbers of its reward head. `features`: as many numbers as
    /// rules().feature_count. False where the model has no such head.
    bool reward(const std::vector<float>& features, std::vector<float>& out);
    bool result_of(std::uint32_t agent, augur_agent_result& out);
    const char* action_name(std::int32_t action) const;
    bool write_trace(const std::string& path);

  private:
    bool check(augur_result result, const std::string& what);
    bool open_model();
    bool open_reward();
    bool open_planner(const PlannerNeeds& needs);
    void note_stages();
    void note_fallbacks();
    static void on_log(void* user, augur_severity severity, augur_result code, const char* text);

    GlLoader loader_;
    augur_context_id context_{};
    augur_rules_id rules_{};
    augur_model_id model_{};
    augur_planner_id planner_{};
    std::vector<augur_buffer_id> buffers_;
    SearchSettings settings_;
    augur_capabilities capabilities_{};
    augur_rules_info rules_info_{};
    augur_planner_memory_info memory_{};
    augur_model_info model_info_{};
    std::vector<float> reward_input_;   // [F], the model reads it
    std::vector<float> reward_output_;  // the model writes it; empty where it has no reward head
    augur_evaluation_desc reward_desc_{};
    std::uint32_t backend_ = AUGUR_BACKEND_AUTO;
    std::uint64_t fallbacks_seen_ = 0;  // of the present planner's model
    augur_frame_result last_frame_{};
    RunFigures figures_;
    Samples request_ms_{65536};
    Samples search_ms_{65536};
    Samples plan_ms_{65536};
    Samples wait_ms_{65536};
    Samples collect_ms_{65536};
    Samples evaluate_ms_{65536};
    std::vector<augur_timeline_frame> timeline_;
    std::string message_;
    std::string printed_;
    bool running_ = false;
    bool model_refused_ = false;
};

}  // namespace augur::demo
