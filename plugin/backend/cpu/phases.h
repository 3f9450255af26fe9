// A row of phases, each cut into pieces that any number of workers share.
#ifndef AUGUR_BACKEND_CPU_PHASES_H
#define AUGUR_BACKEND_CPU_PHASES_H

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>

namespace augur {

template <std::uint32_t Count>
class Phases {
  public:
    // pieces of each phase; phases without pieces are passed over. No worker may be running.
    void reset(const std::array<std::uint32_t, Count>& pieces) {
        for (std::uint32_t p = 0; p < Count; ++p) {
            pieces_[p] = pieces[p];
            claimed_[p].store(0, std::memory_order_relaxed);
            completed_[p].store(0, std::memory_order_relaxed);
            closed_[p].store(pieces[p] == 0, std::memory_order_relaxed);
        }
    }

    // Takes the next piece of a phase; false when all are taken.
    bool claim(std::uint32_t phase, std::uint32_t* piece) {
        if (claimed_[phase].load(std::memory_order_relaxed) >= pieces_[phase]) return false;
        *piece = claimed_[phase].fetch_add(1, std::memory_order_relaxed);
        return *piece < pieces_[phase];
    }

    // Takes all pieces that are left without working on them; how many, for complete.
    std::uint32_t abandon(std::uint32_t phase) {
        const std::uint32_t taken = claimed_[phase].exchange(pieces_[phase], std::memory_order_relaxed);
        return taken < pieces_[phase] ? pieces_[phase] - taken : 0;
    }

    // Marks pieces as done. True for the worker that completed the phase: it must call close.
    bool complete(std::uint32_t phase, std::uint32_t pieces = 1) {
        return completed_[phase].fetch_add(pieces, std::memory_order_acq_rel) + pieces == pieces_[phase];
    }

    void close(std::uint32_t phase) { closed_[phase].store(true, std::memory_order_release); }

    void wait_for(std::uint32_t phase) const {
        while (!closed_[phase].load(std::memory_order_acquire))
            pause();
    }

    static void pause() { std::this_thread::yield(); }

  private:
    std::array<std::uint32_t, Count> pieces_{};
    std::array<std::atomic<std::uint32_t>, Count> claimed_{};
    std::array<std::atomic<std::uint32_t>, Count> completed_{};
    std::array<std::atomic<bool>, Count> closed_{};
};

}  // namespace augur

#endif  // AUGUR_BACKEND_CPU_PHASES_H
