// The same promise as a host sees it, through libaugur alone: one decision hash whoever does the work, whatever the
// arrays look like, and in which order agents were planned before.

#include <augur/augur.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "support/balance_host.h"

namespace {

// A task system of the host that starts its tasks in the order a test wants.
struct HostTasks {
    enum class Order { kAtOnce, kLastFirst, kThreads } order;
    struct Batch {
        augur_task_fn run;
        void* data;
        std::uint32_t count;
        std::vector<std::thread> threads;
    };

    static void* AUGUR_CALL enqueue(void* user, augur_task_fn run, void* data, std::uint32_t count) {
        const auto* self = static_cast<HostTasks*>(user);
        auto* batch = new Batch{run, data, count, {}};
        if (self->order == Order::kAtOnce) {
            for (std::uint32_t i = 0; i < count; ++i)
                run(data, i);
            batch->count = 0;
        } else if (self->order == Order::kThreads) {
            for (std::uint32_t i = 0; i < count; ++i)
                batch->threads.emplace_back([run, data, i] { run(data, i); });
            batch->count = 0;
        }
        return batch;
    }
    static void AUGUR_CALL finish(void*, void* token) {
        auto* batch = static_cast<Batch*>(token);
        for (std::uint32_t i = batch->count; i-- > 0;)
            batch->run(batch->data, i);
        for (std::thread& thread : batch->threads)
            thread.join();
        delete batch;
    }
};

struct HostMachine {
    const char* name;
    augur_backend backend;
    std::uint32_t workers;
    int task_order;  // -1: no task system of the host
    augur_execution execution;
};

void PrintTo(const HostMachine& machine, std::ostream* out) {
    *out << machine.name;
}

constexpr HostMachine kMachines[] = {
    {"caller", AUGUR_BACKEND_CPU, 0, -1, AUGUR_EXECUTION_AUTO},
    {"one_worker", AUGUR_BACKEND_CPU, 1, -1, AUGUR_EXECUTION_AUTO},
    {"two_workers", AUGUR_BACKEND_CPU, 2, -1, AUGUR_EXECUTION_AUTO},
    {"seven_workers", AUGUR_BACKEND_CPU, 7, -1, AUGUR_EXECUTION_AUTO},
    {"host_tasks_at_once", AUGUR_BACKEND_CPU, 4, static_cast<int>(HostTasks::Order::kAtOnce), AUGUR_EXECUTION_AUTO},
    {"host_tasks_last_first", AUGUR_BACKEND_CPU, 4, static_cast<int>(HostTasks::Order::kLastFirst),
     AUGUR_EXECUTION_AUTO},
    {"host_tasks_threads", AUGUR_BACKEND_CPU, 4, static_cast<int>(HostTasks::Order::kThreads), AUGUR_EXECUTION_AUTO},
    {"cuda_resident", AUGUR_BACKEND_CUDA, 0, -1, AUGUR_EXECUTION_RESIDENT},
    {"cuda_waves", AUGUR_BACKEND_CUDA, 0, -1, AUGUR_EXECUTION_WAVES},
};

constexpr std::uint32_t kUnits = 100;
constexpr int kFrames = 4;

struct Unit {
    float position[2];
    std::int32_t health;
    std::int16_t kind;
    std::uint8_t team;
    std::uint8_t padding;
    std::int32_t action;
};

// Two armies that meet, moved a little each frame by what was planned, so that later frames depend on earlier answers.
std::vector<Unit> make_armies() {
    std::vector<Unit> units(kUnits);
    for (std::uint32_t i = 0; i < kUnits; ++i) {
        Unit& unit = units[i];
        const std::uint32_t rank = i / 2;
        unit.position[0] = 100.0f + static_cast<float>(i % 2) * 5.0f + static_cast<float>(rank % 10) * 1.25f;
        unit.position[1] = 80.0f + static_cast<float>(rank / 10) * 1.5f;
        unit.health = i % 13 == 0 ? 0 : 20 + static_cast<std::int32_t>(i % 16);
        unit.kind = static_cast<std::int16_t>(rank % 3);
        unit.team = static_cast<std::uint8_t>(i % 2);
        unit.padding = 0;
        unit.action = -77;
    }
    return units;
}

void move_units(std::vector<Unit>& units) {
    constexpr float kX[8] = {1, 1, 0, -1, -1, -1, 0, 1};
    constexpr float kY[8] = {0, 1, 1, 1, 0, -1, -1, -1};
    for (Unit& unit : units) {
        if (unit.action < 0 || unit.action > 7) continue;
        unit.position[0] += 0.5f * kX[unit.action];
        unit.position[1] += 0.5f * kY[unit.action];
    }
}

struct Answer {
    std::vector<std::uint64_t> hashes;
    std::vector<std::int32_t> actions;
    bool operator==(const Answer&) const = default;
};

class Session {
  public:
    ~Session() { augur_context_destroy(context_); }

    // False, with the reason, where this machine has no such backend.
    bool open(const HostMachine& machine, std::string& why_not) {
        augur_context_desc desc = augur_context_desc_default();
        desc.backend = machine.backend;
        desc.worker_threads = machine.workers;
        if (machine.task_order >= 0) {
            tasks_.order = static_cast<HostTasks::Order>(machine.task_order);
            desc.task_system = {HostTasks::enqueue, HostTasks::finish, &tasks_, machine.workers};
        }
        const augur_result result = augur_context_create(&desc, &context_);
        if (result < 0) why_not = std::string(augur_result_name(result)) + ": " + augur_last_message();
        return result >= 0;
    }

    void bind(augur_planner_id planner, augur_buffer_id buffer, const char* field, augur_format format,
              std::size_t offset) {
        const augur_binding binding = {buffer, format, 0, offset, sizeof(Unit)};
        const augur_result result = std::string(field) == "actions" ? augur_planner_bind_actions(planner, &binding)
                                                                    : augur_planner_bind(planner, field, &binding);
        ASSERT_GE(result, 0) << field << ": " << augur_last_message();
    }

    Answer play(std::uint32_t simulations, augur_execution execution) {
        std::vector<Unit> units = make_armies();
        augur_buffer_desc buffer_desc = augur_buffer_desc_default();
        buffer_desc.access = AUGUR_ACCESS_READ_WRITE;
        buffer_desc.pointer = units.data();
        buffer_desc.size_bytes = units.size() * sizeof(Unit);
        augur_buffer_id buffer{};
        EXPECT_GE(augur_buffer_register(context_, &buffer_desc, &buffer), 0) << augur_last_message();
        augur_planner_desc desc = augur_planner_desc_default();
        EXPECT_GE(augur_rules_builtin(context_, "skirmish", &desc.rules), 0);
        desc.agent_capacity = kUnits;
        desc.simulations = simulations;
        desc.execution = execution;
        desc.seed = 7;
        augur_planner_id planner{};
        EXPECT_GE(augur_planner_create(context_, &desc, &planner), 0) << augur_last_message();
        bind(planner, buffer, "position", AUGUR_FORMAT_F32, offsetof(Unit, position));
        bind(planner, buffer, "health", AUGUR_FORMAT_I32, offsetof(Unit, health));
        bind(planner, buffer, "kind", AUGUR_FORMAT_I16, offsetof(Unit, kind));
        bind(planner, buffer, "team", AUGUR_FORMAT_U8, offsetof(Unit, team));
        bind(planner, buffer, "actions", AUGUR_FORMAT_I32, offsetof(Unit, action));
        Answer answer;
        for (int frame = 0; frame < kFrames; ++frame) {
            augur_frame_desc frame_desc = augur_frame_desc_default();
            frame_desc.agent_count = kUnits;
            EXPECT_GE(augur_planner_request(planner, &frame_desc), 0) << augur_last_message();
            augur_frame_result result{};
            result.struct_size = sizeof result;
            EXPECT_GE(augur_planner_collect(planner, UINT64_MAX, &result), 0) << augur_last_message();
            answer.hashes.push_back(result.decision_hash);
            for (const Unit& unit : units)
                answer.actions.push_back(unit.action);
            move_units(units);
        }
        EXPECT_GE(augur_planner_destroy(planner), 0);
        EXPECT_GE(augur_buffer_unregister(buffer), 0);
        return answer;
    }

  private:
    augur_context_id context_{};
    HostTasks tasks_{};
};

const Answer& reference() {
    static const Answer answer = [] {
        Session session;
        std::string error;
        EXPECT_TRUE(session.open(kMachines[0], error)) << error;
        return session.play(32, AUGUR_EXECUTION_AUTO);
    }();
    return answer;
}

class HostParity : public testing::TestWithParam<HostMachine> {};

TEST_P(HostParity, AGameOfFramesComesToTheSame) {
    Session session;
    std::string why_not;
    if (!session.open(GetParam(), why_not)) {
        ASSERT_EQ(GetParam().backend, AUGUR_BACKEND_CUDA) << why_not;
        GTEST_SKIP() << why_not;
    }
    const Answer answer = session.play(32, GetParam().execution);
    EXPECT_EQ(answer.hashes, reference().hashes);
    EXPECT_EQ(answer.actions, reference().actions);
    // A second planner in the same context begins again.
    EXPECT_EQ(session.play(32, GetParam().execution), answer);
}

// The learned rules that ship, in INT8, through games of some plies.
augur::test::BalanceOutcome play_learned(const HostMachine& machine) {
    const char* tests = std::getenv("AUGUR_TESTS_DIR");
    const std::string root = tests != nullptr ? std::string(tests) + "/.." : std::string(AUGUR_SOURCE_DIR);
    augur::test::BalanceSettings settings;
    settings.precision = AUGUR_PRECISION_INT8;
    settings.games = 40;
    settings.plies = 12;
    settings.simulations = 24;
    settings.workers = machine.workers;
    settings.backend = machine.backend;
    return augur::test::play_balance(root + "/assets/models/balance", settings);
}

TEST_P(HostParity, LearnedRulesComeToTheSame) {
    Session session;
    std::string why_not;
    if (!session.open(GetParam(), why_not)) {
        ASSERT_EQ(GetParam().backend, AUGUR_BACKEND_CUDA) << why_not;
        GTEST_SKIP() << why_not;
    }
    static const augur::test::BalanceOutcome reference = play_learned(kMachines[0]);
    ASSERT_TRUE(reference.played && reference.exact);
    const augur::test::BalanceOutcome outcome = play_learned(GetParam());
    ASSERT_TRUE(outcome.played) << augur_last_message();
    EXPECT_TRUE(outcome.exact);
    EXPECT_EQ(outcome.backend, GetParam().backend);
    EXPECT_EQ(outcome.hash, reference.hash);
    EXPECT_EQ(outcome.simulations, reference.simulations);
}

INSTANTIATE_TEST_SUITE_P(Machines, HostParity, testing::ValuesIn(kMachines),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(HostParityOfFrames, FramesDifferFromEachOtherAndFromFewerSimulations) {
    const Answer& answer = reference();
    ASSERT_EQ(answer.hashes.size(), static_cast<std::size_t>(kFrames));
    for (int frame = 1; frame < kFrames; ++frame) {
        EXPECT_NE(answer.hashes[static_cast<std::size_t>(frame)], answer.hashes[0]);
    }
    Session session;
    std::string error;
    ASSERT_TRUE(session.open(kMachines[0], error)) << error;
    EXPECT_NE(session.play(16, AUGUR_EXECUTION_AUTO).hashes, answer.hashes);
}

}  // namespace
