// The networks of a learned game in a planner's CPU search: what they know of every node, and each worker's room to ask
// them.
#ifndef AUGUR_BACKEND_CPU_LEARNED_H
#define AUGUR_BACKEND_CPU_LEARNED_H

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/guided.h"
#include "core/latent_game.h"

namespace augur {

class CpuLearned {
  public:
    // rows: of a batch, see CpuSeat::rows_of.
    CpuLearned(const LearnedGame& game, std::uint32_t rows, std::uint32_t workers, Memory* memory);
    ~CpuLearned();
    CpuLearned(const CpuLearned&) = delete;
    CpuLearned& operator=(const CpuLearned&) = delete;

    // False where there is no memory.
    bool allocate();
    std::uint64_t memory_bytes() const { return block_bytes_; }
    const LearnedGame& game() const { return game_; }

    // Before a frame. latents: [A][nodes][S], kept by the engine. observations: from where agents' rows are read until
    // the search is done.
    void begin(float* latents, std::uint32_t nodes, const Source& observations);
    // Whether every number that an agent sees is finite. room: the worker whose memory is used.
    bool sees_numbers(std::uint32_t worker, std::uint32_t agent);

    // The batch of one worker, for core::GuidedSearch.
    struct Batch {
        CpuLearned& learned;
        std::uint32_t worker;

        template <class Header>
        void ask(std::uint32_t row, std::uint32_t agent, std::uint32_t node, const Header& header) const {
            if (node == 0)
                learned.ask_root(worker, row, agent);
            else
                learned.ask_ply(worker, row, agent, header.parent, header.action[0]);
        }
        void run_roots(std::uint32_t rows) const { learned.run_roots(worker, rows); }
        void run(std::uint32_t rows) const { learned.run_plies(worker, rows); }
        core::Heard heard(std::uint32_t row) const { return learned.heard(worker, row); }
        float* latent(std::uint32_t agent, std::uint32_t node) const { return learned.latent(agent, node); }
        std::uint32_t state_count() const { return learned.game_.state_count; }
        core::Advice advice(std::uint32_t row) const { return learned.advice(worker, row); }
        bool has_value() const { return true; }
    };

  private:
    // A network and where a worker finds its numbers.
    struct Part {
        const CpuNetwork& network;
        std::uint32_t rows;
        std::vector<std::uint32_t> inputs, outputs;  // numbers of a row

        Part(const NetworkUse& use, std::uint32_t most_rows);
    };
    struct Place {
        float* observations;  // [rows][O]
        float* plies[2];      // inputs of dynamics: [rows][S] and [rows][K], or [rows][S + K]
        float* representation[core::kNetworkOutputs];
        float* dynamics[core::kNetworkOutputs];
        float* prediction[core::kNetworkOutputs];
        std::byte* scratch;
        bool* sound;          // [rows]: the state is finite
        const float* states;  // [rows][S], of the last run
    };

    std::size_t place(void* base);
    float* latent(std::uint32_t agent, std::uint32_t node) const {
        return latents_ + (static_cast<std::size_t>(agent) * nodes_ + node) * game_.state_count;
    }
    void read_observation(std::uint32_t agent, float* out) const;
    void ask_root(std::uint32_t worker, std::uint32_t row, std::uint32_t agent);
    void ask_ply(std::uint32_t worker, std::uint32_t row, std::uint32_t agent, std::uint32_t parent,
                 std::uint32_t action);
    void run_roots(std::uint32_t worker, std::uint32_t rows);
    void run_plies(std::uint32_t worker, std::uint32_t rows);
    // Looks at the new states of rows and runs the prediction on them; those that are not finite become zeros.
    void predict(Place& place, float* states, std::uint32_t rows) const;
    core::Heard heard(std::uint32_t worker, std::uint32_t row) const;
    core::Advice advice(std::uint32_t worker, std::uint32_t row) const;

    const LearnedGame game_;
    const Part representation_, dynamics_, prediction_;
    std::uint32_t policy_, value_;  // outputs of prediction
    Memory* const memory_;
    std::vector<Place> places_;  // [workers]; a worker changes its own only
    void* block_ = nullptr;
    std::size_t block_bytes_;

    float* latents_ = nullptr;
    std::uint32_t nodes_ = 0;
    const unsigned char* rows_ = nullptr;  // agent 0's observation
    RowSource source_{};
};

}  // namespace augur

#endif  // AUGUR_BACKEND_CPU_LEARNED_H
