// One planner with the game's arrays bound to it: what an ordinary host of the library sets up.
#ifndef AUGUR_TESTS_BENCH_SESSION_H
#define AUGUR_TESTS_BENCH_SESSION_H

#include <augur/augur.hpp>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "case.h"
#include "device_memory.h"
#include "scenes.h"

namespace augur::bench {

// What a context is asked for.
struct MachineWish {
    augur_backend backend = AUGUR_BACKEND_CPU;
    std::uint32_t workers = 0;      // 0: as many as Augur chooses
    std::int32_t cuda_device = -1;  // -1: the one Augur chooses
    bool lent_context = false;      // on the GPU, the first device's, made by this program
    augur_gpu_sharing sharing = AUGUR_GPU_SHARING_PRIORITY;

    auto operator<=>(const MachineWish&) const = default;
};

// A context and what it found.
struct Machine {
    sdk::Context context;
    augur_capabilities capabilities{};
};

// Contexts, made when first asked for and kept: a GPU driver takes long to start.
class Machines {
  public:
    // Throws sdk::Error, or std::runtime_error where there is no context to lend.
    const Machine& get(const MachineWish& wish);

  private:
    std::map<MachineWish, std::unique_ptr<Machine>> machines_;
};

// The machine a case runs on.
const Machine& machine_for(const Case& c, augur_backend backend, Machines& machines);

// What a case is planned with.
struct Knowledge {
    sdk::Rules rules;
    sdk::Model model;  // empty where none guides the case

    Knowledge() = default;
    Knowledge(const Knowledge&) = delete;
    Knowledge& operator=(const Knowledge&) = delete;
    ~Knowledge() { static_cast<void>(rules.destroy()); }
};

// Throws sdk::Error, or std::runtime_error where a model runs in another precision.
std::unique_ptr<Knowledge> load_knowledge(const Case& c, const Machine& machine);

augur_planner_desc planner_desc(const Case& c, const Knowledge& knowledge);

// What a designer would have tuned in a case with everything.
augur_profile profile_of(const Case& c);

class Session {
  public:
    // Throws sdk::Error, or std::runtime_error where device memory cannot be had.
    Session(const Case& c, const Machine& machine, const Knowledge& knowledge);

    sdk::Planner& planner() { return planner_; }
    // From the frame that was collected to the next; host memory only.
    void go_on(World world);

  private:
    sdk::Buffer share(const Machine& machine, void* pointer, std::size_t size_bytes, augur_access access,
                      bool in_device_memory);

    std::vector<Board> boards_;
    std::vector<Unit> units_;
    std::vector<Pole> poles_;
    std::vector<std::int32_t> actions_;
    std::vector<float> urgencies_;
    std::uint64_t frame_ = 0;
    std::vector<std::unique_ptr<DeviceMemory>> device_arrays_;
    sdk::Buffer fields_buffer_, actions_buffer_, urgencies_buffer_;
    sdk::Planner planner_;  // goes first
};

}  // namespace augur::bench

#endif
