// Ids: what is dead, foreign or of another kind is told apart, and an object outlives every call inside it.
#include "runtime/handles.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace augur {
namespace {

class Counted final : public Object {
  public:
    static constexpr Kind kKind = Kind::planner;
    explicit Counted(std::atomic<int>& alive) : alive_(alive) { ++alive_; }
    ~Counted() override {
        value = -1;
        --alive_;
    }
    std::atomic<int> value{7};

  private:
    std::atomic<int>& alive_;
};

TEST(Handles, FindsWhatWasAdded) {
    std::atomic<int> alive{0};
    auto* object = new Counted(alive);
    const std::uint64_t id = handles::add(Kind::planner, 0, object);
    ASSERT_NE(id, 0u);
    Use<Counted> use;
    ASSERT_EQ(use.acquire(id), AUGUR_OK);
    EXPECT_EQ(use.get(), object);
    use.reset();
    delete handles::take_down(id);
    EXPECT_EQ(alive, 0);
}

TEST(Handles, RefusesWhatIsDeadOrMadeUp) {
    std::atomic<int> alive{0};
    const std::uint64_t id = handles::add(Kind::planner, 0, new Counted(alive));
    Object* out = nullptr;
    // Every single wrong bit is noticed.
    for (int bit = 0; bit < 64; ++bit)
        EXPECT_EQ(handles::acquire(id ^ (1ull << bit), Kind::planner, &out), AUGUR_ERROR_STALE_ID) << bit;
    EXPECT_EQ(handles::acquire(id, Kind::buffer, &out), AUGUR_ERROR_STALE_ID);
    EXPECT_EQ(handles::acquire(0, Kind::planner, &out), AUGUR_ERROR_STALE_ID);
    EXPECT_EQ(handles::acquire(UINT64_MAX, Kind::planner, &out), AUGUR_ERROR_STALE_ID);
    delete handles::take_down(id);
    EXPECT_EQ(handles::acquire(id, Kind::planner, &out), AUGUR_ERROR_STALE_ID);
    EXPECT_EQ(handles::take_down(id), nullptr);
    EXPECT_EQ(out, nullptr);
}

TEST(Handles, GivesAnotherIdWhenASlotIsUsedAgain) {
    std::atomic<int> alive{0};
    std::vector<std::uint64_t> ids;
    for (int i = 0; i < 5000; ++i) {
        const std::uint64_t id = handles::add(Kind::planner, 0, new Counted(alive));
        delete handles::take_down(id);
        ids.push_back(id);
    }
    std::sort(ids.begin(), ids.end());
    EXPECT_EQ(std::unique(ids.begin(), ids.end()), ids.end());
    EXPECT_EQ(alive, 0);
}

TEST(Handles, LetsOneCallAloneIn) {
    std::atomic<int> alive{0};
    const std::uint64_t id = handles::add(Kind::planner, 0, new Counted(alive));
    {
        Use<Counted> first, second, watcher;
        ASSERT_EQ(first.acquire_alone(id), AUGUR_OK);
        EXPECT_EQ(second.acquire_alone(id), AUGUR_ERROR_BUSY);
        EXPECT_EQ(watcher.acquire(id), AUGUR_OK);
        first.reset();
        EXPECT_EQ(second.acquire_alone(id), AUGUR_OK);
    }
    delete handles::take_down(id);
}

TEST(Handles, KeepsTheObjectWhileCallsAreInside) {
    // Readers hammer the id while it is taken down; none may ever see a destroyed object.
    for (int round = 0; round < 50; ++round) {
        std::atomic<int> alive{0};
        std::atomic<int> inside{0};
        const std::uint64_t id = handles::add(Kind::planner, 0, new Counted(alive));
        std::vector<std::thread> readers;
        for (int t = 0; t < 3; ++t) {
            readers.emplace_back([&, id] {
                for (;;) {
                    Use<Counted> use;
                    if (use.acquire(id) != AUGUR_OK) return;
                    ++inside;
                    EXPECT_EQ(use->value, 7);
                }
            });
        }
        while (inside < 10)
            std::this_thread::yield();
        delete handles::take_down(id);
        EXPECT_EQ(alive, 0);
        for (std::thread& reader : readers)
            reader.join();
    }
}

TEST(Handles, OfManyThreadsStayApart) {
    std::atomic<int> alive{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 500; ++i) {
                auto* mine = new Counted(alive);
                const std::uint64_t id = handles::add(Kind::planner, 0, mine);
                Use<Counted> use;
                EXPECT_EQ(use.acquire_alone(id), AUGUR_OK);
                EXPECT_EQ(use.get(), mine);
                delete use.take_down();
            }
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace augur
