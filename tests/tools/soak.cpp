// Plays for as long as it is told, in every way that a frame can go, and looks whether memory grows.
//
//   augur_soak [--minutes N] [--backend cpu|cuda] [--seed N]
//
// Two games, each with a thread and a context of its own. In each several planners: forests and a large tree, one
// kernel and waves, rollouts and networks, with and without budgets, urgencies, trees carried over, late actions
// dropped, shared frame budgets (of the second game begun by a third thread), cancelled frames, frames without agents,
// planners that are destroyed and made again, a model that is swapped while a frame runs, and batches of a model beside
// the searches. After each frame something of it is looked at: counters, distributions, stages, results, a tree, a
// trace. The first game lives from the beginning to the end; the second is destroyed and made again sixty times, with
// another way of sharing the GPU each time.
//
// Exit code 0: no growth, no illegal or missing action, no failed call; 1 otherwise. Growth: what is allocated on the
// host at most in the last third is more than 1 % above what it was in the first, or memory of the GPU ever above what
// it was in the first tenth. Resident memory is told too, and judged only where nothing else is known: allocators and
// GPU drivers keep and give back several MB at a time. Memory is looked at between frames of both games. Says once a
// minute how it goes.

#include <algorithm>
#include <atomic>
#include <augur/augur.hpp>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "bench/bindings.h"
#include "support/process_memory.h"

namespace augur::test {
namespace {

constexpr std::uint32_t kAgents = 400, kRows = 128, kFeatures = 42, kActions = 7;
constexpr std::int32_t kUnwritten = -77;

struct Options {
    double minutes = 1;
    std::string backend = "cpu";
    std::uint64_t seed = 1;
};

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

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

// Once every hundred frames. Of memory whose growth is asked about: at most in the first third, and in the last.
class Samples {
  public:
    void add(std::uint64_t bytes) { bytes_.push_back(bytes); }
    std::uint64_t early() const { return most(0, bytes_.size() / 3); }
    std::uint64_t late() const { return most(bytes_.size() - bytes_.size() / 3, bytes_.size()); }
    bool grew_by(double share) const {
        return static_cast<double>(late()) > static_cast<double>(early()) * (1 + share);
    }

  private:
    std::uint64_t most(std::size_t first, std::size_t end) const {
        std::uint64_t bytes = 0;
        for (std::size_t i = first; i < end; ++i)
            bytes = std::max(bytes, bytes_[i]);
        return bytes;
    }
    std::vector<std::uint64_t> bytes_;
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

sdk::Model load(const sdk::Context& context, const char* name, std::uint32_t rows) {
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
    Game(const Options& options, augur_gpu_sharing sharing, std::uint64_t seed, bool begins_frames)
        : random_(seed),
          begins_frames_(begins_frames),
          trace_((std::filesystem::temp_directory_path() / ("augur_soak_" + std::to_string(seed) + ".json")).string()) {
        augur_context_desc desc = augur_context_desc_default();
        desc.backend = options.backend == "cuda" ? AUGUR_BACKEND_CUDA : AUGUR_BACKEND_CPU;
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

// The second game: plays on a thread of its own, is made anew now and then, and stands still when it is asked to.
class SecondGame {
  public:
    SecondGame(const Options& options, double begin, double end)
        : options_(options),
          begin_(begin),
          each_((end - begin) / 60),
          player_([this] { guard(&SecondGame::play); }),
          beginner_([this] { guard(&SecondGame::begin_frames); }) {}
    ~SecondGame() { stop(); }

    void stop() {
        stop_ = true;
        for (std::thread* thread : {&player_, &beginner_})
            if (thread->joinable()) thread->join();
    }
    // look(game) while it stands still between two frames. Throws what went wrong on its threads.
    template <class Look>
    void hold(const Look& look) {
        std::unique_lock lock(mutex_);
        asked_to_stand_ = true;
        changed_.wait(lock, [this] { return stands_ || !failure_.empty(); });
        if (!failure_.empty()) throw std::runtime_error("in the second game: " + failure_);
        look(*game_);
        asked_to_stand_ = false;
        changed_.notify_all();
    }
    std::atomic<std::uint64_t> frames{0}, simulations{0}, wrong{0}, games{0};

  private:
    void guard(void (SecondGame::*work)()) {
        std::string failure;
        try {
            (this->*work)();
            return;
        } catch (const std::exception& error) {
            failure = error.what();
        }
        const std::lock_guard lock(mutex_);
        failure_ = failure;
        changed_.notify_all();
    }

    void play() {
        constexpr augur_gpu_sharing kWays[] = {AUGUR_GPU_SHARING_ADAPTIVE, AUGUR_GPU_SHARING_PARTITION,
                                               AUGUR_GPU_SHARING_TURNS, AUGUR_GPU_SHARING_AUTO,
                                               AUGUR_GPU_SHARING_PLAIN};
        while (!stop_) {
            const std::uint64_t number = games++;
            make(kWays[number % std::size(kWays)], number);
            const double until = begin_ + each_ * static_cast<double>(number + 1);
            while (!stop_ && seconds_now() < until) {
                game_->frame();
                ++frames;
                stand_if_asked();
            }
            simulations += game_->simulations();
            wrong += game_->wrong();
        }
        std::unique_lock lock(mutex_);
        stands_ = true;
        changed_.notify_all();
    }
    void make(augur_gpu_sharing sharing, std::uint64_t number) {
        {
            const std::lock_guard lock(mutex_);
            game_.reset();  // before the next, lest there be two of them
        }
        auto made = std::make_unique<Game>(options_, sharing, options_.seed + 1 + number, false);
        const std::lock_guard lock(mutex_);
        game_ = std::move(made);
    }
    void stand_if_asked() {
        std::unique_lock lock(mutex_);
        if (!asked_to_stand_) return;
        stands_ = true;
        changed_.notify_all();
        changed_.wait(lock, [this] { return !asked_to_stand_; });
        stands_ = false;
    }
    // Frames of the game, whoever plans in them.
    void begin_frames() {
        Random random(options_.seed + 99);
        while (!stop_) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1 + random.below(10)));
            const std::lock_guard lock(mutex_);
            if (game_ != nullptr) game_->begin_frame(random.one_in(4) ? INT64_MAX : random.below(8000));
        }
    }

    const Options options_;
    const double begin_, each_;
    std::atomic<bool> stop_{false};
    std::mutex mutex_;  // of all that follows; the game itself is the player's own
    std::condition_variable changed_;
    bool asked_to_stand_ = false, stands_ = false;
    std::string failure_;
    std::unique_ptr<Game> game_;
    std::thread player_, beginner_;
};

int run(const Options& options) {
    const double begin = seconds_now(), end = begin + options.minutes * 60;
    Game first(options, AUGUR_GPU_SHARING_PRIORITY, options.seed, true);
    SecondGame second(options, begin, end);

    double next_word = begin + 60;  // a minute that was played is not lost when the last one is
    std::uint64_t early_device = 0, most_device = 0;
    Samples allocated, resident;
    for (double now = begin; now < end; now = seconds_now()) {
        first.frame();
        if (first.frames % 100 != 0) continue;
        std::uint64_t own = 0, all = 0, device = 0;
        second.hold([&](const Game& other) {
            own = allocated_bytes();
            all = resident_bytes();
            device = first.device_bytes() + other.device_bytes();
        });
        allocated.add(own);
        resident.add(all);
        if (now < begin + (end - begin) / 10) early_device = std::max(early_device, device);
        most_device = std::max(most_device, device);
        if (now < next_word) continue;
        std::printf("%.0f minutes: %llu and %llu frames, %.2f MB allocated, %.1f MB resident, %.1f MB of the GPU\n",
                    (now - begin) / 60, static_cast<unsigned long long>(first.frames),
                    static_cast<unsigned long long>(second.frames.load()), static_cast<double>(own) * 1e-6,
                    static_cast<double>(all) * 1e-6, static_cast<double>(device) * 1e-6);
        std::fflush(stdout);
        next_word += 60;
    }
    second.stop();
    const std::uint64_t frames = first.frames + second.frames, simulations = first.simulations() + second.simulations,
                        wrong = first.wrong() + second.wrong;
    const bool grew =
        (allocated.late() > 0 ? allocated.grew_by(0.01) : resident.grew_by(0.05)) || most_device > early_device;
    const auto mb = [](std::uint64_t bytes) { return static_cast<double>(bytes) * 1e-6; };
    std::printf(
        "%s: %.1f minutes, %llu frames of two times %zu planners, the second game made %llu times, %.3g "
        "simulations, %llu wrong actions or outputs\n",
        options.backend.c_str(), options.minutes, static_cast<unsigned long long>(frames), first.planners(),
        static_cast<unsigned long long>(second.games.load()), static_cast<double>(simulations),
        static_cast<unsigned long long>(wrong));
    std::printf(
        "at most in the first third and in the last: %.2f and %.2f MB allocated, %.1f and %.1f MB resident; of the "
        "GPU in the first tenth and in all: %.1f and %.1f MB: %s\n",
        mb(allocated.early()), mb(allocated.late()), mb(resident.early()), mb(resident.late()), mb(early_device),
        mb(most_device), grew ? "GREW" : "no growth");
    return grew || wrong > 0 || first.frames < 1000 || second.frames < 1000 ? 1 : 0;
}

}  // namespace
}  // namespace augur::test

int main(int argc, char** argv) {
    augur::test::Options options;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string name = argv[i];
        if (name == "--minutes")
            options.minutes = std::atof(argv[i + 1]);
        else if (name == "--backend")
            options.backend = argv[i + 1];
        else if (name == "--seed")
            options.seed = std::strtoull(argv[i + 1], nullptr, 10);
    }
    if (!(options.minutes > 0) || argc % 2 == 0) {
        std::fprintf(stderr, "usage: augur_soak [--minutes N] [--backend cpu|cuda] [--seed N]\n");
        return 2;
    }
    try {
        return augur::test::run(options);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "augur_soak: %s\n", error.what());
        return 1;
    }
}
