// Plays for as long as it is told, in every way that a frame can go, and looks whether memory grows.
//
//   augur_soak [--minutes N] [--backend cpu|cuda] [--seed N]
//
// Several planners and a model in one context: forests and a large tree, rollouts and networks, with and without
// budgets, urgencies, trees carried over, shared frame budgets, cancelled frames, frames without agents, planners that
// are destroyed and made again, a model that is swapped while a frame runs. Exit code 0: no growth, no illegal or
// missing action, no failed call; 1 otherwise. Growth: what is allocated on the host at most in the last third is more
// than 1 % above what it was in the first, or memory of the GPU ever above what it was in the first tenth. Resident
// memory is told too, and judged only where nothing else is known: allocators and GPU drivers keep and give back
// several MB at a time. Says once a minute how it goes.

#include <algorithm>
#include <augur/augur.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "bench/bindings.h"
#include "support/process_memory.h"

namespace augur::test {
namespace {

constexpr std::uint32_t kAgents = 400;
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
    enum class Kind { forest, adaptive, tree, guided, skirmish, guided_skirmish };

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
            const bool right =
                i < agents_ ? actions_[i] >= AUGUR_ACTION_NONE && actions_[i] < most : actions_[i] == kUnwritten;
            wrong_actions += right ? 0 : 1;
        }
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

sdk::Model load(const sdk::Context& context, const char* name) {
    const std::string path = std::string(AUGUR_SOURCE_DIR) + "/assets/models/" + name;
    augur_model_desc desc = augur_model_desc_default();
    desc.path = path.c_str();
    return sdk::unwrap(context.make_model(desc));
}

int run(const Options& options) {
    augur_context_desc desc = augur_context_desc_default();
    desc.backend = options.backend == "cuda" ? AUGUR_BACKEND_CUDA : AUGUR_BACKEND_CPU;
    sdk::Context context = sdk::unwrap(sdk::Context::create(desc));
    const sdk::Model boards = load(context, "connect_four.onnx"), battle = load(context, "skirmish.onnx");
    using Kind = Seat::Kind;
    std::vector<Seat> seats;
    for (const Kind kind : {Kind::forest, Kind::adaptive, Kind::tree, Kind::guided, Kind::skirmish})
        seats.emplace_back(kind, context, boards);
    seats.emplace_back(Kind::guided_skirmish, context, battle);

    Random random(options.seed);
    const double begin = seconds_now(), end = begin + options.minutes * 60;
    double next_word = begin + 60;  // a minute that was played is not lost when the last one is
    std::uint64_t frames = 0, early_device = 0, most_device = 0;
    Samples allocated, resident;
    for (double now = begin; now < end; now = seconds_now()) {
        if (random.one_in(3)) sdk::unwrap(context.begin_frame(random.below(8000)));
        for (Seat& seat : seats)
            seat.request(random);
        for (Seat& seat : seats)
            seat.collect();
        ++frames;
        if (frames % 500 == 0) seats[random.below(static_cast<std::uint32_t>(seats.size()))].make();
        if (frames % 100 != 0) continue;
        const std::uint64_t own = allocated_bytes(), all = resident_bytes(),
                            device = sdk::unwrap(context.memory()).device_bytes;
        allocated.add(own);
        resident.add(all);
        if (now < begin + (end - begin) / 10) early_device = std::max(early_device, device);
        most_device = std::max(most_device, device);
        if (now < next_word) continue;
        std::printf("%.0f minutes: %llu frames, %.2f MB allocated, %.1f MB resident, %.1f MB of the GPU\n",
                    (now - begin) / 60, static_cast<unsigned long long>(frames), static_cast<double>(own) * 1e-6,
                    static_cast<double>(all) * 1e-6, static_cast<double>(device) * 1e-6);
        std::fflush(stdout);
        next_word += 60;
    }
    std::uint64_t simulations = 0, wrong_actions = 0;
    for (const Seat& seat : seats) {
        simulations += seat.simulations;
        wrong_actions += seat.wrong_actions;
    }
    const bool grew =
        (allocated.late() > 0 ? allocated.grew_by(0.01) : resident.grew_by(0.05)) || most_device > early_device;
    const auto mb = [](std::uint64_t bytes) { return static_cast<double>(bytes) * 1e-6; };
    std::printf("%s: %.1f minutes, %llu frames of %zu planners, %.3g simulations, %llu wrong actions\n",
                options.backend.c_str(), options.minutes, static_cast<unsigned long long>(frames), seats.size(),
                static_cast<double>(simulations), static_cast<unsigned long long>(wrong_actions));
    std::printf(
        "at most in the first third and in the last: %.2f and %.2f MB allocated, %.1f and %.1f MB resident; of the "
        "GPU in the first tenth and in all: %.1f and %.1f MB: %s\n",
        mb(allocated.early()), mb(allocated.late()), mb(resident.early()), mb(resident.late()), mb(early_device),
        mb(most_device), grew ? "GREW" : "no growth");
    return grew || wrong_actions > 0 || frames < 1000 ? 1 : 0;
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
