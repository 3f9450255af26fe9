// Everything that decides about time, together, on a machine and a clock that are simulated: the scheduler that shares
// a frame, the controllers that plan by their shares, and what makes searches end in time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/after_search.h"
#include "core/deadline_guard.h"
#include "runtime/budget_controller.h"
#include "runtime/scheduler.h"
#include "support/split_mix.h"

namespace augur {
namespace {

constexpr std::uint64_t kUs = 1000, kMs = 1000 * kUs, kStart = 10000000 * kMs;

// A planner with a budget on a GPU that draws from `begins` to `ends` after each request: a search that runs then goes
// on when the drawing is done. What happens in a frame is what the CUDA backend and the runtime do.
struct BesideDrawing {
    std::uint64_t budget = 4 * kMs, begins = 2 * kMs, ends = 10 * kMs;
    double simulation_ns = 10.0;
    std::uint64_t wanted = 1000000, overhead = 20 * kUs, choosing = 15 * kUs;
    BudgetController controller;
    core::DeadlineGuard guard;
    core::AfterSearch after;
    struct Frame {
        std::uint64_t planned, simulations;
        bool late, cut;
    };

    Frame run() {
        Frame frame{std::min(controller.plan(guard.limited(budget), 16), wanted), 0, false, false};
        if (frame.planned == 0) return frame;
        const std::uint64_t told = guard.limited(after.time_to_search(budget));
        const auto by_itself =
            overhead + static_cast<std::uint64_t>(simulation_ns * static_cast<double>(frame.planned));
        std::uint64_t worked_until = std::min(by_itself, told), done = worked_until + choosing;
        frame.cut = by_itself > told;
        std::uint64_t search_end = worked_until;
        if (done > begins && worked_until < ends) {  // caught: it sees the clock again when the drawing is done
            done = ends + choosing;
            if (worked_until > begins) {
                worked_until = begins;
                search_end = ends;
                frame.cut = true;
            }
        }
        frame.simulations = static_cast<std::uint64_t>(static_cast<double>(worked_until - overhead) / simulation_ns);
        frame.late = done > budget + budget / 20;
        const std::uint64_t took = done - (frame.cut ? told : search_end);
        if (!frame.cut) guard.ended_by_itself(told, search_end);
        if (!frame.cut || !guard.ended(told, after.beyond(took))) after.learn(took, frame.cut);
        controller.learn(done, search_end - overhead, frame.simulations, frame.cut);
        return frame;
    }
};

TEST(FrameControl, PlansForTheTimeThatIsLeftBesideTheDrawing) {
    BesideDrawing gpu;
    for (int i = 0; i < 200; ++i)
        gpu.run();
    ASSERT_TRUE(gpu.guard.active()) << "searches are told to end before the drawing";
    int late = 0, cut = 0;
    std::uint64_t simulations = 0;
    constexpr int kFrames = 3000;
    for (int i = 0; i < kFrames; ++i) {
        const BesideDrawing::Frame frame = gpu.run();
        late += frame.late ? 1 : 0;
        cut += frame.cut ? 1 : 0;
        simulations += frame.simulations;
    }
    EXPECT_LE(late, kFrames / 100);
    // A plan for the whole budget would be cut in every frame, and with it the agents that come last.
    EXPECT_LE(cut, kFrames / 20);
    EXPECT_GE(static_cast<double>(simulations) / kFrames, 0.55 * 200000) << "of what 2 ms could do";
}

TEST(FrameControl, TheTimeComesBackWhenNothingIsDrawn) {
    BesideDrawing gpu;
    for (int i = 0; i < 1000; ++i)
        gpu.run();
    gpu.begins = gpu.ends = UINT64_MAX / 2;
    for (int i = 0; i < 20000; ++i)
        gpu.run();
    int late = 0;
    std::uint64_t simulations = 0;
    for (int i = 0; i < 1000; ++i) {
        const BesideDrawing::Frame frame = gpu.run();
        late += frame.late ? 1 : 0;
        simulations += frame.simulations;
    }
    EXPECT_EQ(late, 0);
    EXPECT_GE(simulations / 1000, 340000u) << "15/16 of 4 ms at 10 ns";
}

// Planners and an evaluation on one machine, one after the other, sharing frames.
struct Game {
    struct Client {
        std::uint32_t number;
        double weight;
        std::uint64_t wanted;  // simulations
        double simulation_ns;  // on this machine
        BudgetController controller;
        std::uint64_t unsearched_in_a_row = 0, most_unsearched = 0;
    };
    Scheduler scheduler;
    std::vector<Client> planners;
    std::uint32_t model = scheduler.add(false);
    BudgetController model_costs;
    std::uint64_t evaluation_ns = 0;  // of the machine; 0: none is made
    double load = 1.0;                // how much slower everything is
    test::SplitMix64 random{11};
    std::uint64_t now = kStart;

    void add(double weight, std::uint64_t wanted, double simulation_ns) {
        planners.push_back({scheduler.add(true), weight, wanted, simulation_ns, {}});
    }

    void plan_one(Client& client) {
        constexpr std::uint64_t kLeast = 64, kOverhead = 20 * kUs;
        const Scheduler::Share share = scheduler.request(
            client.number,
            {client.weight, client.controller.expected_ns(client.wanted), client.controller.expected_ns(kLeast), false},
            now);
        const std::uint64_t time = !share.put_off && share.deadline_ns > now ? share.deadline_ns - now : 0;
        const std::uint64_t planned = time == 0 ? 0 : std::min(client.controller.plan(time, kLeast), client.wanted);
        if (planned == 0) {
            client.most_unsearched = std::max(client.most_unsearched, ++client.unsearched_in_a_row);
            scheduler.done(client.number);
            return;
        }
        client.unsearched_in_a_row = 0;
        const double wobble = 1.0 + 0.05 * (static_cast<double>(random.below(2001)) - 1000.0) / 1000.0;
        const double cost = client.simulation_ns * load * wobble;
        const double room = time > kOverhead ? static_cast<double>(time - kOverhead) : 0.0;
        const auto possible = static_cast<std::uint64_t>(room / cost);
        const std::uint64_t done = std::max<std::uint64_t>(1, std::min(planned, possible));
        const auto search = static_cast<std::uint64_t>(cost * static_cast<double>(done));
        client.controller.learn(search + kOverhead, search, done, done < planned);
        simulations += done;
        now += search + kOverhead;
        scheduler.done(client.number);
    }

    std::uint64_t simulations = 0;  // of the last frame

    // How long it took.
    std::uint64_t frame(std::uint64_t budget) {
        const std::uint64_t began = now;
        simulations = 0;
        scheduler.begin_frame(now, budget);
        const std::size_t half = planners.size() / 2;
        for (std::size_t i = 0; i < planners.size(); ++i) {
            if (i == half && evaluation_ns != 0) evaluate();
            plan_one(planners[i]);
        }
        const std::uint64_t took = now - began;
        now = began + std::max<std::uint64_t>(16666 * kUs, took);
        return took;
    }
    // Of a frame, over fifty of them.
    std::uint64_t mean_simulations(std::uint64_t budget) {
        std::uint64_t all = 0;
        for (int i = 0; i < 50; ++i) {
            frame(budget);
            all += simulations;
        }
        return all / 50;
    }
    void evaluate() {
        scheduler.request(model, {1.0, model_costs.expected_ns(256), model_costs.expected_ns(256), true}, now);
        const auto took = static_cast<std::uint64_t>(static_cast<double>(evaluation_ns) * load);
        model_costs.learn(took, took, 256, false);
        now += took;
        scheduler.done(model);
    }
};

Game six_planners() {
    Game game;
    game.evaluation_ns = 700 * kUs;
    for (int i = 0; i < 6; ++i)
        game.add(i == 0 ? 4.0 : 1.0, 100000, 8.0 + 3.0 * i);
    return game;
}

TEST(FrameControl, PlannersAndAnEvaluationKeepOneBudget) {
    Game game = six_planners();
    for (int i = 0; i < 30; ++i)
        game.frame(4 * kMs);
    int late = 0;
    for (int i = 0; i < 2000; ++i)
        late += game.frame(4 * kMs) > 4 * kMs + 200 * kUs ? 1 : 0;
    EXPECT_EQ(late, 0);
    EXPECT_GT(game.simulations, 100000u) << "3.3 ms of it are there for searches";
    for (const Game::Client& client : game.planners)
        EXPECT_LE(client.most_unsearched, 3u);
}

TEST(FrameControl, ABurstOfPlannersIsTakenInAndForgotten) {
    Game game = six_planners();
    for (int i = 0; i < 200; ++i)
        game.frame(4 * kMs);
    const std::uint64_t before = game.mean_simulations(4 * kMs);
    for (int i = 0; i < 250; ++i)  // more than have time for the least of a search
        game.add(1.0, 100000, 20.0);
    int late = 0;
    for (int i = 0; i < 60; ++i)
        late += game.frame(4 * kMs) > 4 * kMs + 400 * kUs ? 1 : 0;
    EXPECT_LE(late, 8) << "while nothing is known of them";
    for (const Game::Client& client : game.planners)
        EXPECT_LE(client.unsearched_in_a_row, 30u) << "everybody comes to its turn";
    while (game.planners.size() > 6) {
        game.scheduler.remove(game.planners.back().number);
        game.planners.pop_back();
    }
    for (int i = 0; i < 30; ++i)
        game.frame(4 * kMs);
    const std::uint64_t after = game.mean_simulations(4 * kMs);
    EXPECT_NEAR(static_cast<double>(after), static_cast<double>(before), 0.1 * static_cast<double>(before));
}

TEST(FrameControl, ALoadThatComesAndGoesIsFollowedWithoutSwinging) {
    Game game = six_planners();
    for (int i = 0; i < 200; ++i)
        game.frame(4 * kMs);
    int late = 0, turns = 0;
    for (int phase = 0; phase < 8; ++phase) {
        game.load = phase % 2 == 0 ? 3.0 : 1.0;
        std::vector<std::uint64_t> done;
        for (int i = 0; i < 150; ++i) {
            late += game.frame(4 * kMs) > 4 * kMs + 400 * kUs ? 1 : 0;
            if (i >= 50) done.push_back(game.simulations);
        }
        const auto [low, high] = std::minmax_element(done.begin(), done.end());
        turns += *high > *low + *low / 4 ? 1 : 0;
    }
    EXPECT_EQ(turns, 0) << "fifty frames after a change plans stand still, but for what the machine wobbles";
    EXPECT_LE(late, 8 * 6);
}

TEST(FrameControl, APauseOfAMinuteMakesOneFrameLate) {
    Game game = six_planners();
    for (int i = 0; i < 200; ++i)
        game.frame(4 * kMs);
    int late = 0;
    for (int i = 0; i < 600; ++i) {
        if (i % 120 == 60) game.now += 60000 * kMs;  // between frames
        late += game.frame(4 * kMs) > 4 * kMs + 200 * kUs ? 1 : 0;
    }
    EXPECT_EQ(late, 0);
    EXPECT_GT(game.simulations, 100000u);
}

}  // namespace
}  // namespace augur
