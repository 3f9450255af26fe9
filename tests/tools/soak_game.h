// What the soak plays: a context with planners of every kind and a model that is evaluated beside them.
#ifndef AUGUR_TESTS_TOOLS_SOAK_GAME_H
#define AUGUR_TESTS_TOOLS_SOAK_GAME_H

#include <algorithm>
#include <augur/augur.hpp>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/bindings.h"

namespace augur::test {

inline constexpr std::uint32_t kAgents = 400, kRows = 128, kFeatures = 42, kActions = 7;
inline constexpr std::int32_t kUnwritten = -77;

class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint32_t below(std::uint32_t n) {
        state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
        return static_cast<std::uint32_t>((state_ >> 33) % n);
    }
    bool one_in(std::uint32_t n) { return below(n) == 0; }

  private:
    std::uint64_t state_;
};

// One planner of one kind, made again now and then.
class Seat {
  public:
    enum class Kind { forest, waves, dropping, adaptive, tree, guided, skirmish, guided_skirmish };

    Seat(Kind kind, sdk::Context& context, const sdk::Model& model) : kind_(kind), context_(context), model_(model) {
        if (is_skirmish())
            units_ = bench::random_battle(kAgents, 7);
        else
            boards_ = bench::random_boards(kAgents, 7);
        urgencies_.assign(kAgents, 1.0f);
        actions_.assign(kAgents, kUnwritten);
        make();
    }

    void make() {
        planner_ = {};
        buffers_.clear();
        augur_planner_desc desc = augur_planner_desc_default();
        desc.rules = sdk::unwrap(context_.rules(is_skirmish() ? "skirmish" : "connect_four")).id();
        desc.agent_capacity = capacity();
        desc.simulations = kind_ == Kind::tree ? 500 : 24;
        desc.search = kind_ == Kind::tree ? AUGUR_SEARCH_TREE : AUGUR_SEARCH_FOREST;
        desc.adaptive = kind_ == Kind::adaptive ? 1 : 0;
        if (is_guided()) desc.model = model_.id();
        if (kind_ == Kind::waves) desc.execution = AUGUR_EXECUTION_WAVES;
        if (kind_ == Kind::dropping) desc.late_actions = AUGUR_LATE_ACTIONS_DROP;
        if (kind_ == Kind::skirmish) desc.carry_over = AUGUR_CARRY_OVER_WARM_START;
        if (kind_ == Kind::adaptive || kind_ == Kind::guided) desc.carry_over = AUGUR_CARRY_OVER_SUBTREE;
        planner_ = sdk::unwrap(context_.make_planner(desc));
        if (is_skirmish())
            bench::bind_units(planner_, share(units_.data(), units_.size() * sizeof(bench::Unit), AUGUR_ACCESS_READ));
        else
            bench::bind_boards(planner_,
                               share(boards_.data(), boards_.size() * sizeof(bench::Board), AUGUR_ACCESS_READ));
        if (kind_ == Kind::adaptive)
            sdk::unwrap(planner_.bind_urgency<float>(
                share(urgencies_.data(), urgencies_.size() * sizeof(float), AUGUR_ACCESS_READ)));
        sdk::unwrap(planner_.bind_actions<std::int32_t>(
            share(actions_.data(), actions_.size() * sizeof(std::int32_t), AUGUR_ACCESS_WRITE)));
    }

    void request(Random& random) {
        agents_ = random.one_in(50) ? 0 : 1 + random.below(capacity());
        for (float& urgency : urgencies_)
            urgency = static_cast<float>(random.below(8));
        std::fill(actions_.begin(), actions_.end(), kUnwritten);
        if (random.one_in(30)) sdk::unwrap(planner_.reset_trees(capacity() / 3, capacity() / 3));
        augur_frame_desc frame = augur_frame_desc_default();
        frame.agent_count = agents_;
        if (random.one_in(3)) frame.budget_us = random.below(3000);
        if (random.one_in(40)) frame.budget_us = -5;
        frame.phase_weight = 0.5f + static_cast<float>(random.below(4));
        sdk::unwrap(planner_.request(frame));
        if (is_guided() && random.one_in(20)) sdk::unwrap(planner_.set_model(model_));
        if (random.one_in(25)) sdk::unwrap(planner_.cancel());
    }

    void collect() {
        const augur_frame_result result = sdk::unwrap(planner_.collect());
        simulations += result.simulations;
        const std::int32_t most = is_skirmish() ? 64 : 7;
        for (std::uint32_t i = 0; i < kAgents; ++i) {
            const bool written = i < agents_ && result.actions_dropped == 0;
            const bool right =
                written ? actions_[i] >= AUGUR_ACTION_NONE && actions_[i] < most : actions_[i] == kUnwritten;
            wrong_actions += right ? 0 : 1;
        }
        if (result.actions_dropped != 0 && (kind_ != Kind::dropping || result.deadline_missed == 0)) ++wrong_actions;
    }

    // What an overlay or a profiler asks for, of the frame that was collected last.
    void look(Random& random) {
        sdk::unwrap(planner_.counters());
        for (const auto kind : {AUGUR_LATENCY_REQUEST, AUGUR_LATENCY_SEARCH, AUGUR_LATENCY_FRAME, AUGUR_LATENCY_WAIT,
                                AUGUR_LATENCY_COLLECT})
            sdk::unwrap(planner_.latency(kind));
        sdk::unwrap(planner_.stage_latency(static_cast<augur_stage>(random.below(AUGUR_STAGE_COUNT))));
        augur_timeline_frame frames[8];
        sdk::unwrap(planner_.timeline(frames));
        if (agents_ == 0) return;
        const std::uint32_t agent = random.below(agents_);
        augur_agent_result result{};
        sdk::unwrap(planner_.results(agent, std::span(&result, 1)));
        std::uint32_t visits[64];
        sdk::unwrap(planner_.root(agent, visits, {}));
        if (random.one_in(20)) sdk::unwrap(planner_.tree(agent));
        if (is_guided()) sdk::unwrap(planner_.advice(agent));
    }

    std::uint64_t simulations = 0, wrong_actions = 0;

  private:
    bool is_skirmish() const { return kind_ == Kind::skirmish || kind_ == Kind::guided_skirmish; }
    bool is_guided() const { return kind_ == Kind::guided || kind_ == Kind::guided_skirmish; }
    std::uint32_t capacity() const { return kind_ == Kind::tree ? 2 : kAgents; }

    const sdk::Buffer& share(void* pointer, std::size_t size_bytes, augur_access access) {
        augur_buffer_desc desc = augur_buffer_desc_default();
        desc.pointer = pointer;
        desc.size_bytes = size_bytes;
        desc.access = static_cast<std::uint32_t>(access);
        buffers_.push_back(sdk::unwrap(context_.register_buffer(desc)));
        return buffers_.back();
    }

    const Kind kind_;
    sdk::Context& context_;
    const sdk::Model& model_;
    std::vector<bench::Board> boards_;
    std::vector<bench::Unit> units_;
    std::vector<float> urgencies_;
    std::vector<std::int32_t> actions_;
    std::uint32_t agents_ = 0;
    std::vector<sdk::Buffer> buffers_;
    sdk::Planner planner_;  // goes first
};

inline sdk::Model load(const sdk::Context& context, const char* name, std::uint32_t rows) {
    const std::string path = std::string(AUGUR_SOURCE_DIR) + "/assets/models/" + name;
    augur_model_desc desc = augur_model_desc_default();
    desc.path = path.c_str();
    desc.row_capacity = rows;
    return sdk::unwrap(context.make_model(desc));
}

// Batches of a model in the game's own arrays.
class Batches {
  public:
    Batches(const sdk::Context& context, sdk::Model& model)
        : model_(model), in_(kRows * kFeatures), out_(kRows * kActions) {
        for (std::size_t i = 0; i < in_.size(); ++i)
            in_[i] = static_cast<float>(i * 7 % 3) - 1.0f;
        buffers_.push_back(sdk::unwrap(context.register_memory(std::span(in_), AUGUR_ACCESS_READ)));
        buffers_.push_back(sdk::unwrap(context.register_memory(std::span(out_), AUGUR_ACCESS_WRITE)));
        desc_.inputs[0].buffer = buffers_[0].id();
        desc_.outputs[0].buffer = buffers_[1].id();
        for (augur_rows* rows : {&desc_.inputs[0], &desc_.outputs[0]}) {
            rows->format = AUGUR_FORMAT_F32;
            rows->scale = 1.0f;
        }
    }

    void start(Random& random) {
        desc_.row_count = 1 + random.below(kRows);
        std::fill(out_.begin(), out_.end(), NAN);
        sdk::unwrap(model_.evaluate(desc_));
    }
    void finish() {
        const augur_evaluation_result result = sdk::unwrap(model_.wait());
        for (std::size_t i = 0; i < out_.size(); ++i)
            wrong += std::isfinite(out_[i]) == (i < std::size_t{desc_.row_count} * kActions) ? 0 : 1;
        wrong += result.not_finite;
        sdk::unwrap(model_.latency(AUGUR_LATENCY_FRAME));
    }

    std::uint64_t wrong = 0;

  private:
    sdk::Model& model_;
    std::vector<float> in_, out_;
    std::vector<sdk::Buffer> buffers_;
    augur_evaluation_desc desc_ = augur_evaluation_desc_default();
};

// A context and what plays in it.
class Game {
  public:
    Game(augur_backend backend, augur_gpu_sharing sharing, std::uint64_t seed, bool begins_frames)
        : random_(seed),
          begins_frames_(begins_frames),
          trace_((std::filesystem::temp_directory_path() / ("augur_soak_" + std::to_string(seed) + ".json")).string()) {
        augur_context_desc desc = augur_context_desc_default();
        desc.backend = static_cast<std::uint32_t>(backend);
        desc.gpu_sharing = static_cast<std::uint32_t>(sharing);
        context_ = sdk::unwrap(sdk::Context::create(desc));
        boards_ = load(context_, "connect_four.onnx", kRows);
        battle_ = load(context_, "skirmish.onnx", 0);
        batches_ = std::make_unique<Batches>(context_, boards_);
        using Kind = Seat::Kind;
        for (const Kind kind :
             {Kind::forest, Kind::waves, Kind::dropping, Kind::adaptive, Kind::tree, Kind::guided, Kind::skirmish})
            seats_.emplace_back(kind, context_, boards_);
        seats_.emplace_back(Kind::guided_skirmish, context_, battle_);
    }
    ~Game() { std::filesystem::remove(trace_); }

    void frame() {
        if (begins_frames_ && random_.one_in(3)) begin_frame(random_.below(8000));
        const bool evaluates = !random_.one_in(3);
        if (evaluates) batches_->start(random_);
        for (Seat& seat : seats_)
            seat.request(random_);
        for (Seat& seat : seats_)
            seat.collect();
        if (evaluates) batches_->finish();
        any_seat().look(random_);
        ++frames;
        if (frames % 500 == 0) any_seat().make();
        if (frames % 700 == 0) sdk::unwrap(context_.write_trace(trace_.c_str()));
    }
    // Any thread.
    void begin_frame(std::int64_t budget_us) const { sdk::unwrap(context_.begin_frame(budget_us)); }

    std::uint64_t device_bytes() const { return sdk::unwrap(context_.memory()).device_bytes; }
    std::size_t planners() const { return seats_.size(); }
    std::uint64_t simulations() const {
        std::uint64_t all = 0;
        for (const Seat& seat : seats_)
            all += seat.simulations;
        return all;
    }
    // Actions and outputs that are not what they must be.
    std::uint64_t wrong() const {
        std::uint64_t all = batches_->wrong;
        for (const Seat& seat : seats_)
            all += seat.wrong_actions;
        return all;
    }
    std::uint64_t frames = 0;

  private:
    Seat& any_seat() { return seats_[random_.below(static_cast<std::uint32_t>(seats_.size()))]; }

    Random random_;
    const bool begins_frames_;
    const std::string trace_;
    sdk::Context context_;
    sdk::Model boards_, battle_;
    std::unique_ptr<Batches> batches_;
    std::vector<Seat> seats_;
};

}  // namespace augur::test

#endif  // AUGUR_TESTS_TOOLS_SOAK_GAME_H
