// One planner with the game's arrays bound to it: what an ordinary host of the library sets up.
#ifndef AUGUR_TESTS_BENCH_SESSION_H
#define AUGUR_TESTS_BENCH_SESSION_H

#include <augur/augur.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "case.h"
#include "device_memory.h"
#include "scenes.h"

namespace augur::bench {

// A context and what it found.
struct Machine {
    sdk::Context context;
    augur_capabilities capabilities{};
};

// Contexts, made when first asked for and kept: a GPU driver takes long to start.
class Machines {
  public:
    // workers: 0 for as many as Augur chooses. cuda_device: -1 for the one Augur chooses. Throws sdk::Error.
    // lent_context: on the GPU, the first device's, made by this program. Throws std::runtime_error where there is
    // none.
    const Machine& get(augur_backend backend, std::uint32_t workers = 0, std::int32_t cuda_device = -1,
                       bool lent_context = false);

  private:
    std::map<std::tuple<augur_backend, std::uint32_t, std::int32_t, bool>, std::unique_ptr<Machine>> machines_;
};

// The machine a case runs on.
const Machine& machine_for(const Case& c, augur_backend backend, Machines& machines);

// Empty where no model guides the case.
sdk::Model load_model(const Case& c, const Machine& machine);

augur_planner_desc planner_desc(const Case& c, const Machine& machine, const sdk::Model& model);

class Session {
  public:
    // Throws sdk::Error, or std::runtime_error where device memory cannot be had.
    Session(const Case& c, const Machine& machine, const sdk::Model& model);

    sdk::Planner& planner() { return planner_; }

  private:
    sdk::Buffer share(const Machine& machine, void* pointer, std::size_t size_bytes, augur_access access,
                      bool in_device_memory);

    std::vector<Board> boards_;
    std::vector<Unit> units_;
    std::vector<std::int32_t> actions_;
    std::vector<std::unique_ptr<DeviceMemory>> device_arrays_;
    sdk::Buffer fields_buffer_, actions_buffer_;
    sdk::Planner planner_;  // goes first
};

}  // namespace augur::bench

#endif
