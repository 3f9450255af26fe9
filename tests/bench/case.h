// One benchmark: what is planned, how, on which device, and what it is compared with.
#ifndef AUGUR_TESTS_BENCH_CASE_H
#define AUGUR_TESTS_BENCH_CASE_H

#include <augur/augur.h>

#include <cstdint>
#include <vector>

namespace augur::bench {

// balance: the learned rules of assets/models, a pole on a cart.
enum class Game { connect_four, skirmish, balance };

// What a case is about; decides how it runs and which of its figures the ratio is made of.
enum class Kind {
    frames,     // request, then a collect that waits, again and again
    budget,     // the same under a budget in microseconds: how late the actions come
    host_cost,  // request, and a collect of a frame that is done: what the game's thread pays
    telemetry,  // a frame that is watched beside one that is not, in turns
    memory,     // what a planner takes
    crossover,  // as frames; one of a row of agent counts on both backends
};

// What becomes of the world between two frames.
enum class World {
    still,     // nothing
    played,    // the chosen actions are played and answered; a game that is over begins again
    replaced,  // each agent finds itself where another one was
    moving,    // every unit goes a small way
};

enum class Metric {
    median_ms,          // of a whole frame, from the request call until collect returned
    search_ms,          // of the search stage alone
    searched_per_s,     // millions of simulations per second of the search stage
    simulations_per_s,  // millions
    per_worker,         // millions of simulations per second and CPU worker
    overrun_us,         // p99 of a whole frame less its budget
    host_us,            // median CPU time of request and collect together
    host_p99_us,        // p99 of it
    telemetry_percent,  // of a frame: what watching it adds
    carry_us,           // of the stage that carries trees over
    memory_mb,          // millions of bytes: GPU memory on the GPU, host memory on the CPU
};

enum class Where { cpu, cuda, both };

// A figure to compare with. "target" is what Augur is held to; every other name is somebody else's measurement.
struct Baseline {
    const char* name;
    Metric metric;
    double value;
    Where where;
};

struct Case {
    const char* name = "";
    Kind kind = Kind::frames;
    Game game = Game::connect_four;
    std::uint32_t agents = 0;
    std::uint32_t simulations = 0;
    std::uint32_t horizon = 0;  // 0: the rules' own
    augur_search search = AUGUR_SEARCH_FOREST;
    augur_execution execution = AUGUR_EXECUTION_AUTO;
    bool early_stop = false;    // false: a tree ends before its last simulation only where the outcome is proven
    bool empty_boards = false;  // Connect Four: all agents at the start of the game, where nothing is proven soon
    // Trees go on from frame to frame. In a world that stands still, after a few frames every tree is full and makes
    // room for the frame by leaving half of its nodes behind.
    augur_carry_over carry_over = AUGUR_CARRY_OVER_NONE;
    World world = World::still;
    bool device_memory = false;  // the game's arrays are CUDA device memory
    bool everything = false;     // host_cost: what one planner pays where all is on at once: it is set from a profile,
                                 // divides its simulations by urgency, carries trees over, shares each frame's budget
                                 // with another planner, and has its stages read
    augur_gpu_sharing sharing = AUGUR_GPU_SHARING_PRIORITY;  // left out where the machine cannot do it
    bool lent_context = false;  // the host lends its CUDA context: no block has more than 47 KB of shared memory
    // Of the model that guides the search, assets/models/GAME.onnx; AUTO: none guides. Of all three of learned rules.
    augur_precision model = AUGUR_PRECISION_AUTO;
    std::uint32_t budget_us = 0;
    std::uint32_t workers = 0;  // CPU workers; 0: as many as there are cores
    Where where = Where::both;
    std::vector<Baseline> baselines = {};
};

// Every case there is, in the order in which they run.
const std::vector<Case>& all_cases();

}  // namespace augur::bench

#endif
