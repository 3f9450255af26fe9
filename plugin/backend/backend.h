// The seam between the runtime and the machines that search. No CUDA type passes through it.
//
// A Backend makes Engines and attaches buffers. An Engine searches one planner's frames: submit, then poll or wait
// until done. All times are nanoseconds of the process's steady clock (runtime/system.h: now_ns).
#ifndef AUGUR_BACKEND_BACKEND_H
#define AUGUR_BACKEND_BACKEND_H

#include <augur/buffer.h>
#include <augur/context.h>
#include <augur/inspect.h>
#include <augur/planner.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/advice.h"
#include "core/allotment.h"
#include "core/network_program.h"
#include "core/rules_info.h"

namespace augur {

// Where failures and warnings are written; implemented by the runtime over the host's logger.
class Log {
  public:
    virtual ~Log() = default;
    virtual void write(augur_severity severity, augur_result code, const char* text) = 0;
};

// The host's allocator or malloc. allocate returns null when there is no memory; memory is not zeroed.
class Memory {
  public:
    virtual ~Memory() = default;
    virtual void* allocate(std::size_t size_bytes, std::size_t alignment) = 0;
    virtual void release(void* pointer, std::size_t size_bytes) = 0;
};

// Runs CPU work on threads of ours or on the host's task system.
class Tasks {
  public:
    virtual ~Tasks() = default;
    virtual std::uint32_t worker_count() const = 0;  // 0: work is done by whoever calls finish
    // Calls run(data, index) for index < count, in any order. Returns at once. One batch at a time per token.
    virtual void* enqueue(augur_task_fn run, void* data, std::uint32_t count) = 0;
    // Returns when every run of the batch has returned; helps where no worker does it.
    virtual void finish(void* token) = 0;
};

class BackendNetwork;

// What a network's heads mean to a search.
struct NetworkUse {
    const BackendNetwork* network;
    core::ValueKind value_kind;
    float value_scale;
};

// A game whose plies are played by networks of one backend; all shapes checked (augur_rules_learned).
struct LearnedGame {
    NetworkUse representation, dynamics, prediction;
    std::uint32_t observation_count;  // O
    std::uint32_t state_count;        // S
    std::uint32_t action_count;       // K
    std::uint32_t player_count;       // 1 or 2
    std::uint32_t state_output;       // of dynamics
    std::uint32_t reward_output;      // of dynamics; core::kNoHead: no rewards
    float observation_scale, observation_shift;
};

// Everything an engine is made for; all fields resolved and checked (no "default" markers left).
struct EngineDesc {
    const core::RulesInfo* rules;
    std::uint32_t agent_capacity;  // A
    augur_search search;
    augur_selection selection;
    augur_execution execution;
    std::uint32_t simulations;  // S, most per agent and frame
    std::uint32_t horizon;
    float exploration;
    std::int32_t discount;          // Q16
    std::uint32_t node_capacity;    // N per tree
    std::uint32_t leaves_per_wave;  // W, TREE only
    bool early_stop;
    bool transpositions;
    std::uint64_t seed;
    bool guided;                       // by a network, which comes with each frame
    std::uint32_t considered_actions;  // GUMBEL
    float gumbel_scale;                // GUMBEL
    const LearnedGame* learned;  // on the engine's backend; no network comes with a frame; null: rules are compiled
    bool adaptive;               // frames may divide their simulations among the agents (core/allotment.h)
    std::uint32_t least_simulations;  // adaptive: of an agent that is searched, where there are so many
    augur_carry_over carry_over;      // FOREST without GUMBEL, compiled rules; else NONE
    bool count_carried;               // visits carried over are simulations of a frame that are done
    bool drop_late;                   // actions that come after the deadline are not written
};

struct EngineMemory {
    std::uint32_t bytes_per_node;
    std::uint64_t device_bytes;
    std::uint64_t host_bytes;
};

// Memory of the host as one backend sees it. Made by Backend::attach.
class BackendBuffer {
  public:
    virtual ~BackendBuffer() = default;
};

// A network as one backend runs it, from all planners and threads. Made by Backend::make_network.
class BackendNetwork {
  public:
    virtual ~BackendNetwork() = default;
    virtual const core::NetworkProgram& program() const = 0;
    virtual std::uint64_t memory_bytes() const = 0;  // that it holds, on the machine it runs on
};

// A network's working memory in one engine. Made by Engine::make_seat; lives no longer than engine and network.
class NetworkSeat {
  public:
    virtual ~NetworkSeat() = default;
    virtual std::uint64_t memory_bytes() const = 0;
};

// Where one component of a field lives.
struct Source {
    BackendBuffer* buffer;  // null: not bound, every agent has the field's default value
    std::uint64_t offset_bytes;
    std::uint64_t stride_bytes;
    augur_format format;
};

// One component of a field as core reads it. data: the buffer's bytes, where they lie for the reader; null: not bound.
// word: the first that it fills; the next one's afterwards.
inline core::SourceView component_view(const Source& from, const unsigned char* data, const kit::FieldInfo& field,
                                       std::uint32_t& word) {
    const core::SourceView view = {data != nullptr ? data + from.offset_bytes : nullptr,
                                   from.stride_bytes,
                                   static_cast<core::Format>(from.format),
                                   word,
                                   field.kind,
                                   field.scale,
                                   field.minimum,
                                   field.maximum,
                                   field.default_value};
    word += field.kind == kit::FieldKind::bits64 ? 2 : 1;
    return view;
}

// Where the chosen actions go.
struct Sink {
    BackendBuffer* buffer;
    std::uint64_t offset_bytes;
    std::uint64_t stride_bytes;
    augur_format format;
};

// One frame's work.
struct FrameWork {
    std::uint64_t frame;        // number in the random key
    std::uint32_t agent_count;  // 1 .. A
    std::uint32_t simulations;  // of an agent, at most; 0 .. S; 0: first legal action, no search
    std::uint64_t request_ns;   // when the host called
    std::uint64_t deadline_ns;  // 0: none
    const Source* sources;  // one per component of every field (one for a whole row), in the rules' order; copied by
                            // submit
    std::uint32_t source_count;
    Sink actions;
    NetworkSeat* seat;  // guided engines: of the network to use; null otherwise and where the game is learned
    core::AllotmentOrder allotment;  // adaptive engines; most is simulations
    Source urgency;                  // where it is on: one number per agent; buffer null: all are equal
    float urgency_weight;            // of the request: phase_weight * depth_weight
};

// What a finished frame says of itself.
struct FrameOutput {
    std::uint64_t decision_hash;
    std::uint64_t simulations;
    std::uint64_t done_ns;           // steady clock, actions ready
    std::uint64_t bytes_copied;      // by the engine, between host and device
    std::uint32_t flag_counts[16];   // agents carrying each augur_agent_flag bit
    std::uint32_t agents_flagged;    // agents with any flag other than EARLY_STOP, PROVEN, ONLY_ACTION
    core::AllotmentReport allotted;  // where the frame's allotment was on
    bool deadline_hit;               // the search was ended by the deadline for at least one agent
    bool cancelled;
    std::uint32_t trees_carried;  // begun with a subtree of the last frame's tree
    std::uint32_t trees_warmed;   // begun with a share of the last root's statistics
    std::uint32_t trees_reset;    // begun anew although there was a tree
    std::uint64_t nodes_carried;
    std::uint64_t search_until_ns;               // since the request: when the search was told to end; 0: no deadline
    std::uint32_t multiprocessors;               // of a GPU, that the search could use
    bool parts_measured;                         // the parts of the search, in this frame
    bool actions_dropped;                        // they came after the deadline and were not written
    augur_stage_span stages[AUGUR_STAGE_COUNT];  // SUBMIT, COPY and COLLECT are filled in by the runtime
};

class Engine {
  public:
    virtual ~Engine() = default;  // waits for a running frame
    // Starts a frame; never waits, never allocates. AUGUR_OK, or an error with nothing started.
    virtual augur_result submit(const FrameWork& work) = 0;
    // AUGUR_OK done, AUGUR_NOT_READY, or the error that ended the frame (AUGUR_ERROR_DEVICE_LOST: nothing was written).
    virtual augur_result poll() = 0;
    // As poll, but waits up to timeout_ns (UINT64_MAX: until done).
    virtual augur_result wait(std::uint64_t timeout_ns) = 0;
    // Asks the running frame to end at its next boundary. Any thread.
    virtual void cancel() = 0;
    // Of the last finished frame.
    virtual const FrameOutput& output() const = 0;
    virtual augur_result results(std::uint32_t first, std::uint32_t count, augur_agent_result* out) = 0;
    // Nodes of one agent's tree, parents before children, capacity the room in out; *needed is always set.
    virtual augur_result tree(std::uint32_t agent, augur_tree_node* out, std::uint32_t capacity,
                              std::uint32_t* needed) = 0;
    // Visits and mean value of the K root actions of the first decider.
    virtual augur_result root(std::uint32_t agent, std::uint32_t* visits, float* values) = 0;
    virtual EngineMemory memory() const = 0;
    // Of a budget from the request on, as much as a search would be given now: less where searches that ran longer were
    // caught in something that does not let them end.
    virtual std::uint64_t usable_budget(std::uint64_t budget_ns) const { return budget_ns; }
    // Forgets the trees of agents first .. first + count - 1: their next frame begins anew. No frame may be running.
    virtual augur_result reset_trees(std::uint32_t, std::uint32_t) { return AUGUR_OK; }
    // The form that the search has with a seat (null where none comes with the frames); AUTO: there is but one.
    virtual augur_execution execution(const NetworkSeat*) const { return AUGUR_EXECUTION_AUTO; }
    // Guided engines: priors [K] and value at the root, either may be null.
    virtual augur_result advice(std::uint32_t, float*, float*) { return AUGUR_ERROR_UNSUPPORTED; }
    // Guided engines. Frames may be running meanwhile: they keep the seat they were submitted with.
    virtual augur_result make_seat(const NetworkUse&, std::unique_ptr<NetworkSeat>*, std::string& message) {
        message = "this engine is guided by no network";
        return AUGUR_ERROR_UNSUPPORTED;
    }
};

// Where the numbers of one input are: row r's n-th at offset + r * stride + n * size of format. As the network sees
// them: number * scale + shift.
struct RowSource {
    BackendBuffer* buffer;
    std::uint64_t offset_bytes;
    std::uint64_t stride_bytes;  // from row to row
    augur_format format;
    float scale, shift;
};

// Where the F32 numbers of one output go, in the same way; buffer null: nowhere.
struct RowSink {
    BackendBuffer* buffer;
    std::uint64_t offset_bytes;
    std::uint64_t stride_bytes;
};

struct EvaluationWork {
    RowSource inputs[core::kNetworkInputs];
    RowSink outputs[core::kNetworkOutputs];
    std::uint32_t rows;
    std::uint64_t request_ns;
};

struct EvaluationOutput {
    std::uint64_t done_ns;     // steady clock
    std::uint64_t not_finite;  // numbers among the outputs that are NaN or infinite; written as they are
    std::uint64_t began_ns;    // steady clock, a worker or the device took it up
};

// Evaluates rows of a network outside of any search; one batch at a time.
class Evaluator {
  public:
    virtual ~Evaluator() = default;  // waits for a running batch
    // Starts a batch of 1 .. row_capacity rows; never waits, never allocates.
    virtual augur_result submit(const EvaluationWork& work) = 0;
    // AUGUR_OK done, AUGUR_NOT_READY, or the error that ended it.
    virtual augur_result wait(std::uint64_t timeout_ns) = 0;
    virtual const EvaluationOutput& output() const = 0;
    virtual std::uint64_t memory_bytes() const = 0;
};

struct DeviceMemory {
    std::uint64_t held_bytes = 0;  // by everything made from the backend
    std::uint64_t free_bytes = 0;  // of the whole device, as its driver tells
    std::uint64_t total_bytes = 0;
};

class Backend {
  public:
    virtual ~Backend() = default;
    virtual augur_backend kind() const = 0;
    virtual void describe(augur_capabilities& out) const = 0;  // device and memory fields
    // Games that this backend can search; null past the end.
    virtual const core::RulesInfo* game(std::uint32_t index) const = 0;
    virtual augur_result memory(const EngineDesc& desc, EngineMemory* out, std::string& message) const = 0;
    virtual augur_result make_engine(const EngineDesc& desc, std::unique_ptr<Engine>* out, std::string& message) = 0;
    // Of a seat that an engine of this desc makes for the network.
    virtual std::uint64_t seat_bytes(const EngineDesc&, const NetworkUse&) const { return 0; }
    // Networks; a backend without any answers AUGUR_ERROR_UNSUPPORTED. The program's arrays stay alive and in place as
    // long as the network.
    virtual augur_result make_network(const core::NetworkProgram&, std::unique_ptr<BackendNetwork>*,
                                      std::string& message) {
        message = "this backend runs no networks";
        return AUGUR_ERROR_UNSUPPORTED;
    }
    // row_capacity: most rows of a batch.
    virtual augur_result make_evaluator(const BackendNetwork&, std::uint32_t, std::unique_ptr<Evaluator>*,
                                        std::string& message) {
        message = "this backend runs no networks";
        return AUGUR_ERROR_UNSUPPORTED;
    }
    // Makes the host's memory usable. The OpenGL context is current for OpenGL buffers. message: why not, with numbers.
    virtual augur_result attach(const augur_buffer_desc& desc, std::unique_ptr<BackendBuffer>* out,
                                std::string& message) = 0;
    // AUGUR_OK, or AUGUR_ERROR_DEVICE_LOST for good.
    virtual augur_result health() const = 0;
    virtual DeviceMemory device_memory() const { return {}; }
};

// What the host lends, for the factories below.
struct BackendHost {
    Log* log;
    Memory* memory;
    Tasks* tasks;
    std::int32_t cuda_device;
    void* cuda_context;
    void* cuda_stream;
    std::uint64_t gpu_memory_cap_bytes;
    augur_gpu_sharing gpu_sharing;
    std::uint32_t partition_multiprocessors;  // 0: an eighth
};

// Never fails for lack of hardware.
std::unique_ptr<Backend> make_cpu_backend(const BackendHost& host);

// A CPU view of host memory that the CPU engine reads and writes: what CpuBackend::attach makes for HOST buffers, and
// what the runtime makes for its staging copy of an OpenGL buffer.
std::unique_ptr<BackendBuffer> make_host_view(void* data);

// Null with the reason where there is no usable device: _NO_DEVICE, _DRIVER_TOO_OLD, _UNSUPPORTED (built without CUDA),
// ...
augur_result make_cuda_backend(const BackendHost& host, std::unique_ptr<Backend>* out, std::string& message);

// What the CUDA backend needs and sees, without creating anything.
struct CudaProbe {
    augur_result result;
    std::uint32_t device_count;
    std::uint32_t driver_version;   // e.g. 13000; 0: none
    std::uint32_t runtime_version;  // 0: built without CUDA
    std::string text;
};
CudaProbe probe_cuda();

}  // namespace augur

#endif  // AUGUR_BACKEND_BACKEND_H
