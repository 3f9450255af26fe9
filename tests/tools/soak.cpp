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

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/process_memory.h"
#include "tools/soak_game.h"

namespace augur::test {
namespace {

struct Options {
    double minutes = 1;
    std::string backend = "cpu";
    std::uint64_t seed = 1;
    augur_backend kind() const { return backend == "cuda" ? AUGUR_BACKEND_CUDA : AUGUR_BACKEND_CPU; }
};

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

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
        auto made = std::make_unique<Game>(options_.kind(), sharing, options_.seed + 1 + number, false);
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
    Game first(options.kind(), AUGUR_GPU_SHARING_PRIORITY, options.seed, true);
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
