// CPU work on threads of ours and on the host's task system.
#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "runtime/host_tasks.h"
#include "runtime/log.h"
#include "runtime/thread_pool.h"
#include "support/captured_log.h"

namespace augur {
namespace {

struct Counts {
    explicit Counts(std::size_t n) : runs(n) {}
    static void AUGUR_CALL run(void* data, std::uint32_t index) {
        auto* self = static_cast<Counts*>(data);
        if (std::fegetround() != FE_TONEAREST) ++self->wrong_modes;
        ++self->runs[index];
    }
    void expect_once_each() const {
        for (std::size_t i = 0; i < runs.size(); ++i)
            EXPECT_EQ(runs[i], 1) << i;
        EXPECT_EQ(wrong_modes, 0);
    }
    std::vector<std::atomic<int>> runs;
    std::atomic<int> wrong_modes{0};
};

class ThreadPoolOf : public ::testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Workers, ThreadPoolOf, ::testing::Values(0u, 1u, 2u, 7u));

TEST_P(ThreadPoolOf, RunsEveryIndexOnce) {
    ThreadPool pool(GetParam());
    EXPECT_EQ(pool.worker_count(), GetParam());
    for (int round = 0; round < 200; ++round) {
        Counts counts(static_cast<std::size_t>(round % 17) + 1);
        void* token = pool.enqueue(&Counts::run, &counts, static_cast<std::uint32_t>(counts.runs.size()));
        pool.finish(token);
        counts.expect_once_each();
    }
}

TEST_P(ThreadPoolOf, RunsBatchesOfSeveralThreadsAtOnce) {
    ThreadPool pool(GetParam());
    std::vector<std::thread> hosts;
    for (int t = 0; t < 3; ++t) {
        hosts.emplace_back([&pool] {
            for (int round = 0; round < 100; ++round) {
                Counts counts(9);
                pool.finish(pool.enqueue(&Counts::run, &counts, 9));
                counts.expect_once_each();
            }
        });
    }
    for (std::thread& host : hosts)
        host.join();
}

TEST_P(ThreadPoolOf, WorksInTheDefaultFloatingPointModeAndKeepsTheHosts) {
    std::fesetround(FE_UPWARD);
    {
        ThreadPool pool(GetParam());
        Counts counts(64);
        pool.finish(pool.enqueue(&Counts::run, &counts, 64));
        counts.expect_once_each();
    }
    EXPECT_EQ(std::fegetround(), FE_UPWARD);
    std::fesetround(FE_TONEAREST);
}

TEST_P(ThreadPoolOf, TakesMoreBatchesThanItHasPlacesFor) {
    ThreadPool pool(GetParam());
    std::vector<std::unique_ptr<Counts>> counts;
    std::vector<void*> tokens;
    for (std::size_t i = 0; i < TaskBatchPool::kCapacity + 20; ++i) {
        counts.push_back(std::make_unique<Counts>(3));
        tokens.push_back(pool.enqueue(&Counts::run, counts.back().get(), 3));
    }
    for (void* token : tokens)
        pool.finish(token);
    for (const auto& count : counts)
        count->expect_once_each();
}

TEST(ThreadPool, DoesNothingForAnEmptyBatch) {
    ThreadPool pool(1);
    Counts counts(1);
    pool.finish(pool.enqueue(&Counts::run, &counts, 0));
    EXPECT_EQ(counts.runs[0], 0);
}

// A host's task system that a test can make misbehave.
struct Jobs {
    augur_task_system system(std::uint32_t workers = 4) {
        return {[](void* user, augur_task_fn run, void* data, std::uint32_t count) -> void* {
                    return static_cast<Jobs*>(user)->enqueue(run, data, count);
                },
                [](void* user, void* token) { static_cast<Jobs*>(user)->finish(token); }, this, workers};
    }
    std::function<void*(augur_task_fn, void*, std::uint32_t)> enqueue;
    std::function<void(void*)> finish = [](void*) {};
};

class HostTasksTest : public ::testing::Test {
  protected:
    test::CapturedLog captured;
    ContextLog log{captured.logger()};
    Jobs jobs;
};

TEST_F(HostTasksTest, RunOnTheHostsThreads) {
    std::vector<std::thread> threads;
    int finishes = 0;
    jobs.enqueue = [&](augur_task_fn run, void* data, std::uint32_t count) -> void* {
        for (std::uint32_t i = 0; i < count; ++i)
            threads.emplace_back([=] {
                std::fesetround(FE_DOWNWARD);
                run(data, i);
                EXPECT_EQ(std::fegetround(), FE_DOWNWARD) << "the host's mode comes back";
            });
        return &threads;
    };
    jobs.finish = [&](void* token) {
        EXPECT_EQ(token, &threads);
        ++finishes;
        for (std::thread& thread : threads)
            thread.join();
        threads.clear();
    };
    HostTasks tasks(jobs.system(), log);
    EXPECT_EQ(tasks.worker_count(), 4u);
    for (int round = 0; round < 20; ++round) {
        Counts counts(5);
        tasks.finish(tasks.enqueue(&Counts::run, &counts, 5));
        counts.expect_once_each();
    }
    EXPECT_EQ(finishes, 20);
}

TEST_F(HostTasksTest, RunOnceAlsoWhereTheHostRunsThemTwiceOrLeavesSomeOut) {
    jobs.enqueue = [&](augur_task_fn run, void* data, std::uint32_t) -> void* {
        run(data, 0);
        run(data, 0);
        run(data, 4000000000u);
        return nullptr;
    };
    HostTasks tasks(jobs.system(), log);
    Counts counts(8);
    tasks.finish(tasks.enqueue(&Counts::run, &counts, 8));
    counts.expect_once_each();
}

TEST_F(HostTasksTest, RunWhereTheHostDoesNothingAtAll) {
    jobs.enqueue = [](augur_task_fn, void*, std::uint32_t) -> void* { return nullptr; };
    HostTasks tasks(jobs.system(), log);
    Counts counts(8);
    tasks.finish(tasks.enqueue(&Counts::run, &counts, 8));
    counts.expect_once_each();
}

TEST_F(HostTasksTest, RunWhereTheHostThrows) {
    jobs.enqueue = [](augur_task_fn run, void* data, std::uint32_t) -> void* {
        run(data, 0);
        throw std::runtime_error("no");
    };
    jobs.finish = [](void*) { throw std::runtime_error("no"); };
    HostTasks tasks(jobs.system(), log);
    Counts counts(8);
    tasks.finish(tasks.enqueue(&Counts::run, &counts, 8));
    counts.expect_once_each();
    ASSERT_GE(captured.messages().size(), 1u);
    EXPECT_EQ(captured.messages()[0].code, AUGUR_ERROR_CALLBACK);
}

}  // namespace
}  // namespace augur
