// What the process around us does: floating point modes, fork, small stacks, and what we may not do to it.
#include <augur/augur.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <clocale>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "support/connect_four_host.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace augur {
namespace {

using test::ConnectFourHost;

std::uint64_t planned_hash(std::uint32_t workers) {
    ConnectFourHost host;
    host.planner_desc.exploration = 1.3f;
    host.planner_desc.discount = 0.97f;
    host.set_up(workers);
    augur_frame_result result{};
    EXPECT_GE(host.plan(ConnectFourHost::kAgents, &result), 0);
    return result.decision_hash;
}

class FloatingPoint : public ::testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Workers, FloatingPoint, ::testing::Values(0u, 2u));

TEST_P(FloatingPoint, ModeOfTheHostChangesNoAnswerAndComesBack) {
    const std::uint64_t expected = planned_hash(GetParam());
    for (const int rounding : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
        std::fesetround(rounding);
        EXPECT_EQ(planned_hash(GetParam()), expected) << rounding;
        EXPECT_EQ(std::fegetround(), rounding);
    }
    std::fesetround(FE_TONEAREST);
#if defined(__x86_64__)
    const unsigned int before = _mm_getcsr();
    constexpr unsigned int kFlushAndDenormalsAreZero = 0x8040;
    _mm_setcsr(before | kFlushAndDenormalsAreZero);
    const std::uint64_t flushed = planned_hash(GetParam());
    const unsigned int after = _mm_getcsr();
    _mm_setcsr(before);
    EXPECT_EQ(flushed, expected);
    EXPECT_EQ(after & kFlushAndDenormalsAreZero, kFlushAndDenormalsAreZero);
#endif
}

// Runs body in a forked child and gives its exit code.
template <class Body>
int in_child(const Body& body) {
    const pid_t child = fork();
    if (child == 0) _exit(body());
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

class Fork : public ::testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Workers, Fork, ::testing::Values(0u, 2u));

TEST_P(Fork, LeavesTheParentUnharmedAndTheChildWithAResult) {
    ConnectFourHost host;
    host.set_up(GetParam());
    ASSERT_GE(host.plan(), 0);
    const int code = in_child([&] {
        augur_frame_desc frame = augur_frame_desc_default();
        frame.agent_count = 1;
        if (augur_planner_request(host.planner, &frame) != AUGUR_ERROR_INVALID_STATE) return 1;
        if (augur_planner_collect(host.planner, 0, nullptr) != AUGUR_ERROR_INVALID_STATE) return 2;
        if (augur_planner_destroy(host.planner) != AUGUR_ERROR_INVALID_STATE) return 3;
        if (augur_buffer_unregister(host.buffer) != AUGUR_ERROR_INVALID_STATE) return 4;
        if (augur_context_destroy(host.context) != AUGUR_ERROR_INVALID_STATE) return 5;
        if (std::strstr(augur_last_message(), "fork") == nullptr) return 6;
        return 0;
    });
    EXPECT_EQ(code, 0);
    EXPECT_GE(host.plan(), 0);
}

TEST_P(Fork, ChildMayMakeItsOwnContext) {
    ConnectFourHost host;
    host.set_up(GetParam());
    EXPECT_EQ(in_child([&] {
                  augur_context_desc desc = augur_context_desc_default();
                  desc.backend = AUGUR_BACKEND_CPU;
                  desc.worker_threads = 0;
                  augur_context_id context{0};
                  if (augur_context_create(&desc, &context) != AUGUR_OK) return 1;
                  return augur_context_destroy(context) == AUGUR_OK ? 0 : 2;
              }),
              0);
}

TEST(SmallStacks, AreEnoughForAFrame) {
    ConnectFourHost host;
    host.set_up(0);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    ASSERT_EQ(pthread_attr_setstacksize(&attributes, 128 * 1024), 0);
    pthread_t thread;
    const auto frame = [](void* data) -> void* {
        EXPECT_GE(static_cast<ConnectFourHost*>(data)->plan(), 0);
        augur_latency latency{};
        latency.struct_size = sizeof latency;
        EXPECT_EQ(augur_planner_latency(static_cast<ConnectFourHost*>(data)->planner, AUGUR_LATENCY_FRAME, &latency),
                  AUGUR_OK);
        return nullptr;
    };
    ASSERT_EQ(pthread_create(&thread, &attributes, frame, &host), 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
}

TEST(Process, IsLeftAsItWas) {
    const std::string locale = std::setlocale(LC_ALL, nullptr);
    const std::filesystem::path folder = std::filesystem::current_path();
    std::vector<struct sigaction> before(32), after(32);
    for (int number = 1; number < 32; ++number)
        sigaction(number, nullptr, &before[static_cast<std::size_t>(number)]);
    sigset_t mask_before, mask_after;
    sigemptyset(&mask_before);
    sigemptyset(&mask_after);
    pthread_sigmask(SIG_SETMASK, nullptr, &mask_before);
    {
        ConnectFourHost host;
        host.set_up(2);
        EXPECT_GE(host.plan(), 0);
    }
    for (int number = 1; number < 32; ++number) {
        sigaction(number, nullptr, &after[static_cast<std::size_t>(number)]);
        EXPECT_EQ(after[static_cast<std::size_t>(number)].sa_handler,
                  before[static_cast<std::size_t>(number)].sa_handler)
            << number;
    }
    pthread_sigmask(SIG_SETMASK, nullptr, &mask_after);
    for (int number = 1; number < 32; ++number)
        EXPECT_EQ(sigismember(&mask_before, number), sigismember(&mask_after, number)) << number;
    EXPECT_EQ(std::setlocale(LC_ALL, nullptr), locale);
    EXPECT_EQ(std::filesystem::current_path(), folder);
}

std::atomic<int> signals{0};

TEST(Signals, OfTheHostInTheMiddleOfFramesChangeNothing) {
    const std::uint64_t expected = planned_hash(2);
    struct sigaction tick {};
    struct sigaction before {};
    tick.sa_handler = [](int) { ++signals; };  // without SA_RESTART: system calls of ours are interrupted
    ASSERT_EQ(sigaction(SIGALRM, &tick, &before), 0);
    const itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
    signals = 0;
    ASSERT_EQ(setitimer(ITIMER_REAL, &often, nullptr), 0);
    const std::string path = (std::filesystem::temp_directory_path() / ("augur_signals_" + std::to_string(getpid())));
    for (int round = 0; round < 1000 && (round < 5 || signals < 100); ++round) {
        EXPECT_EQ(planned_hash(2), expected);
        ConnectFourHost host;
        host.set_up(1);
        ASSERT_EQ(augur_planner_record_start(host.planner, path.c_str()), AUGUR_OK) << augur_last_message();
        EXPECT_GE(host.plan(), 0);
        ASSERT_EQ(augur_planner_record_stop(host.planner), AUGUR_OK) << augur_last_message();
        augur_replay_report report{};
        report.struct_size = sizeof report;
        EXPECT_EQ(augur_replay(host.context, path.c_str(), &report), AUGUR_OK) << augur_last_message();
        EXPECT_EQ(report.frames_equal, 1u);
    }
    setitimer(ITIMER_REAL, &never, nullptr);
    struct sigaction ours {};
    ASSERT_EQ(sigaction(SIGALRM, &before, &ours), 0);
    EXPECT_EQ(ours.sa_handler, tick.sa_handler) << "the host's handler is where it was";
    EXPECT_GE(signals, 100);
    std::filesystem::remove(path);
}

// As a debugger does at a breakpoint: the whole process stands still in the middle of a frame.
TEST(Signals, ThatStopTheProcessInAFrameDoNotEndIt) {
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "ThreadSanitizer starts no threads in a forked process";
#endif
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        ConnectFourHost host;
        host.planner_desc.simulations = 20000;
        host.set_up(1);
        augur_frame_desc frame = augur_frame_desc_default();
        frame.agent_count = ConnectFourHost::kAgents;
        if (augur_planner_request(host.planner, &frame) != AUGUR_OK) _exit(1);
        raise(SIGSTOP);
        if (augur_planner_collect(host.planner, UINT64_MAX, nullptr) < 0) _exit(2);
        for (const std::int32_t action : host.actions)
            if (action < 0 || action > 6) _exit(3);
        _exit(augur_context_destroy(host.context) == AUGUR_OK ? 0 : 4);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, WUNTRACED), child);
    ASSERT_TRUE(WIFSTOPPED(status)) << status;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ASSERT_EQ(kill(child, SIGCONT), 0);
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << status;
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Workers, AnyNumberOfThemGivesTheSameDecisions) {
    const std::uint64_t expected = planned_hash(0);
    for (const std::uint32_t workers : {1u, 3u, 16u, 128u, 256u})
        EXPECT_EQ(planned_hash(workers), expected) << workers;
}

// A process that may use one core: one worker, so that a host which only polls sees its frame done.
TEST(Workers, AreOneWhereOneCoreIsAllThereIs) {
    const std::uint64_t expected = planned_hash(0);
    std::thread([expected] {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
        ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
        ConnectFourHost host;
        host.planner_desc.exploration = 1.3f;
        host.planner_desc.discount = 0.97f;
        host.set_up(0xffffffffu);  // the default
        augur_capabilities capabilities{};
        capabilities.struct_size = sizeof capabilities;
        ASSERT_EQ(augur_context_capabilities(host.context, &capabilities), AUGUR_OK);
        EXPECT_EQ(capabilities.worker_count, 1u);
        augur_frame_desc frame = augur_frame_desc_default();
        frame.agent_count = ConnectFourHost::kAgents;
        ASSERT_EQ(augur_planner_request(host.planner, &frame), AUGUR_OK);
        while (augur_planner_poll(host.planner) == AUGUR_NOT_READY)
            std::this_thread::yield();
        augur_frame_result result{};
        result.struct_size = sizeof result;
        ASSERT_GE(augur_planner_collect(host.planner, 0, &result), 0);
        EXPECT_EQ(result.decision_hash, expected);
    }).join();
}

// The engine's own job system.
TEST(Workers, OfTheHostGiveTheSameDecisions) {
    const std::uint64_t expected = planned_hash(0);
    struct Jobs {
        std::vector<std::thread> threads;
    } jobs;
    ConnectFourHost host;
    host.planner_desc.exploration = 1.3f;
    host.planner_desc.discount = 0.97f;
    host.context_desc.task_system = {[](void* user, augur_task_fn run, void* data, std::uint32_t count) -> void* {
                                         auto& self = *static_cast<Jobs*>(user);
                                         for (std::uint32_t i = 0; i < count; ++i)
                                             self.threads.emplace_back([=] { run(data, i); });
                                         return user;
                                     },
                                     [](void* user, void*) {
                                         auto& self = *static_cast<Jobs*>(user);
                                         for (std::thread& thread : self.threads)
                                             thread.join();
                                         self.threads.clear();
                                     },
                                     &jobs, 3};
    host.set_up(0);
    augur_capabilities capabilities{};
    capabilities.struct_size = sizeof capabilities;
    ASSERT_EQ(augur_context_capabilities(host.context, &capabilities), AUGUR_OK);
    EXPECT_EQ(capabilities.worker_count, 3u);
    augur_frame_result result{};
    ASSERT_GE(host.plan(ConnectFourHost::kAgents, &result), 0);
    EXPECT_EQ(result.decision_hash, expected);
}

// A job system that does everything inside finish.
TEST(Workers, OfAHostThatWorksOnlyInFinishGiveTheSameDecisions) {
    const std::uint64_t expected = planned_hash(0);
    struct Lazy {
        augur_task_fn run = nullptr;
        void* data = nullptr;
        std::uint32_t count = 0;
    } lazy;
    ConnectFourHost host;
    host.planner_desc.exploration = 1.3f;
    host.planner_desc.discount = 0.97f;
    host.context_desc.task_system = {[](void* user, augur_task_fn run, void* data, std::uint32_t count) -> void* {
                                         *static_cast<Lazy*>(user) = {run, data, count};
                                         return nullptr;
                                     },
                                     [](void* user, void*) {
                                         const Lazy work = *static_cast<Lazy*>(user);
                                         for (std::uint32_t i = 0; i < work.count; ++i)
                                             work.run(work.data, i);
                                     },
                                     &lazy, 2};
    host.set_up(0);
    augur_frame_result result{};
    ASSERT_GE(host.plan(ConnectFourHost::kAgents, &result), 0);
    EXPECT_EQ(result.decision_hash, expected);
}

// A job system whose finish runs other jobs of the game, which plan too.
TEST(Workers, OfTheHostMayPlanWhileTheyWaitButNotDestroy) {
    struct Stealing {
        ConnectFourHost* other = nullptr;
        augur_context_id own{0};
        augur_result planned = AUGUR_ERROR_INTERNAL;
        augur_result destroyed = AUGUR_OK, unregistered = AUGUR_OK, ended = AUGUR_OK;
        augur_result destroyed_in_enqueue = AUGUR_OK;
        augur_buffer_id own_buffer{0};
        augur_planner_id own_planner{0};
    } stealing;
    ConnectFourHost other;
    other.set_up(0);
    stealing.other = &other;
    ConnectFourHost host;
    host.context_desc.task_system = {[](void* user, augur_task_fn run, void* data, std::uint32_t count) -> void* {
                                         auto& self = *static_cast<Stealing*>(user);
                                         self.destroyed_in_enqueue = augur_context_destroy(self.own);
                                         for (std::uint32_t i = 0; i < count; ++i)
                                             run(data, i);
                                         return nullptr;
                                     },
                                     [](void* user, void*) {
                                         auto& self = *static_cast<Stealing*>(user);
                                         self.planned = self.other->plan();
                                         self.destroyed = augur_context_destroy(self.own);
                                         self.unregistered = augur_buffer_unregister(self.own_buffer);
                                         self.ended = augur_planner_destroy(self.own_planner);
                                     },
                                     &stealing, 2};
    host.set_up(0);
    stealing.own = host.context;
    stealing.own_buffer = host.buffer;
    stealing.own_planner = host.planner;
    ASSERT_GE(host.plan(), 0);
    ASSERT_GE(host.plan(), 0);  // the next frame finishes the tasks of the last one
    EXPECT_GE(stealing.planned, 0);
    EXPECT_EQ(stealing.destroyed, AUGUR_ERROR_BUSY);
    EXPECT_EQ(stealing.destroyed_in_enqueue, AUGUR_ERROR_BUSY);
    EXPECT_EQ(stealing.unregistered, AUGUR_ERROR_BUSY);
    EXPECT_EQ(stealing.ended, AUGUR_ERROR_BUSY);
}

TEST(SelfTest, FindsTheCpuUsable) {
    augur_self_test_report report{};
    report.struct_size = sizeof report;
    ASSERT_EQ(augur_self_test(&report), AUGUR_OK);
    EXPECT_EQ(report.cpu, AUGUR_OK) << report.text;
    EXPECT_NE(std::strstr(report.text, "CPU works"), nullptr) << report.text;
    if (report.cuda == AUGUR_OK) {
        EXPECT_EQ(report.backends_agree, 1u) << report.text;
    } else {
        EXPECT_LT(report.cuda, 0);
        EXPECT_EQ(report.backends_agree, 0u);
    }
    EXPECT_EQ(augur_self_test(nullptr), AUGUR_ERROR_INVALID_ARGUMENT);
    report.struct_size = 3;
    EXPECT_EQ(augur_self_test(&report), AUGUR_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace augur
