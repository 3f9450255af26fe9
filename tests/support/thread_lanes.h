// Lanes that are threads: a group of Width that goes through collective code as the lanes of a GPU's warp do, on the
// host, where sanitizers see it.
#ifndef AUGUR_TESTS_SUPPORT_THREAD_LANES_H
#define AUGUR_TESTS_SUPPORT_THREAD_LANES_H

#include <array>
#include <barrier>
#include <cstdint>
#include <thread>
#include <vector>

#include "core/lanes.h"

namespace augur::test {

template <int Width>
class LaneGroup {
  public:
    struct Lanes {
        static constexpr int kWidth = Width;
        LaneGroup* group;
        int rank;

        int index() const { return rank; }
        bool leader() const { return rank == 0; }
        void sync() const { group->barrier_.arrive_and_wait(); }
        bool any(bool mine) const { return ballot(mine) != 0; }
        bool all(bool mine) const { return ballot(!mine) == 0; }
        std::uint32_t ballot(bool mine) const {
            return group->combine(rank, mine ? 1u << rank : 0u, [](std::uint64_t a, std::uint64_t b) { return a | b; });
        }
        std::int32_t sum(std::int32_t mine) const {
            return static_cast<std::int32_t>(group->combine(rank, static_cast<std::uint32_t>(mine),
                                                            [](std::uint64_t a, std::uint64_t b) { return a + b; }));
        }
        std::uint32_t lowest(std::uint32_t mine) const {
            return group->combine(rank, mine, [](std::uint64_t a, std::uint64_t b) { return a < b ? a : b; });
        }
    };

    // work(lanes) on every lane at once; returns when all have returned.
    template <class F>
    void run(const F& work) {
        std::vector<std::thread> threads;
        for (int rank = 0; rank < Width; ++rank)
            threads.emplace_back([this, rank, &work] { work(Lanes{this, rank}); });
        for (std::thread& thread : threads)
            thread.join();
    }

  private:
    template <class F>
    std::uint32_t combine(int rank, std::uint64_t mine, const F& both) {
        words_[static_cast<std::size_t>(rank)] = mine;
        barrier_.arrive_and_wait();
        std::uint64_t all = words_[0];
        for (std::size_t i = 1; i < Width; ++i)
            all = both(all, words_[i]);
        barrier_.arrive_and_wait();
        return static_cast<std::uint32_t>(all);
    }

    std::array<std::uint64_t, Width> words_{};
    std::barrier<> barrier_{Width};
};

}  // namespace augur::test

#endif
