// A backend that does what a test tells it to: finish when released, fail on command, be a GPU that gets lost.
//
// Its game "fake" has the fields position (fixed, 2), health (integer) and mask (64 bits, optional), and four actions.
// A frame's actions are health modulo 4; the decision hash is a sum over (agent, health).
#ifndef AUGUR_TESTS_SUPPORT_FAKE_BACKEND_H
#define AUGUR_TESTS_SUPPORT_FAKE_BACKEND_H

#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "backend/backend.h"
#include "runtime/context.h"
#include "runtime/system.h"

namespace augur::fake {

inline constexpr kit::FieldInfo kFields[] = {
    {"position", "Where it stands.", kit::FieldKind::fixed, 2, 256, -100000, 100000},
    {"health", "What is left of it.", kit::FieldKind::integer, 1, 1, 0, 1000},
    {"mask", "What it may do.", kit::FieldKind::bits64, 1, 1, 0, 0, true, 0},
};
inline constexpr const char* kActionNames[] = {"north", "east", "south", "west"};
inline constexpr core::RulesInfo kRules = {
    "fake", kActionNames, kFields, 3,    5, 4, 1,   kit::Turn::single, false, false, 16, 20,
    10,     65536,        1.5f,    1.0f, 0, 0, 1.5f};

// What a test sets and reads; put in place by Scope.
struct Control {
    // GPU only where gpu is true.
    bool gpu = false;
    augur_result make_gpu = AUGUR_OK;  // answer of the factory
    CudaProbe probe{AUGUR_ERROR_NO_DEVICE, 0, 13000, 13000, "a fake driver"};
    std::atomic<bool> hold{false};       // frames do not finish
    std::atomic<bool> lost{false};       // the GPU is lost: poll, wait and submit say so
    std::atomic<int> lost_at_submit{0};  // lost from the n-th submit on (1: the first); 0: never
    std::atomic<int> submits{0};
    std::atomic<int> cancels{0};
    std::atomic<int> engines{0};  // alive
    std::atomic<int> views{0};    // alive
    augur_result make_engine = AUGUR_OK;
    int make_engine_fails_at = 1;        // with make_engine: the n-th engine from here on
    augur_result attach_gpu = AUGUR_OK;  // for host memory
    augur_result attach_gl = AUGUR_OK;   // for OpenGL buffers on the GPU
    bool attach_gl_names_the_buffer = false;
    augur_result finish = AUGUR_OK;  // of every frame
    std::uint64_t engine_bytes = 0;  // taken from the context's memory by every engine
    std::uint32_t flags = 0;         // of every agent
    bool deadline_hit = false;
    std::uint64_t extra_ns = 0;              // added to done_ns
    augur_result make_network = AUGUR_OK;    // of the GPU
    augur_result make_evaluator = AUGUR_OK;  // of the GPU
    std::atomic<int> networks{0};            // alive, of the GPU
    std::mutex mutex;                        // of the next two while threads run
    FrameWork last_work{};
    EngineDesc last_desc{};
    Tasks* tasks = nullptr;
    Log* log = nullptr;
};

inline Control* control = nullptr;

class View final : public BackendBuffer {
  public:
    explicit View(void* data) : data_(static_cast<unsigned char*>(data)) { ++control->views; }
    ~View() override { --control->views; }
    unsigned char* data() const { return data_; }

  private:
    unsigned char* data_;
};

class FakeEngine final : public Engine {
  public:
    FakeEngine(const EngineDesc& desc, const BackendHost& host, bool gpu)
        : desc_(desc), memory_(*host.memory), gpu_(gpu) {
        ++control->engines;
    }
    ~FakeEngine() override {
        if (block_ != nullptr) memory_.release(block_, control->engine_bytes);
        --control->engines;
    }
    bool allocate() {
        if (control->engine_bytes == 0) return true;
        block_ = memory_.allocate(control->engine_bytes, 256);
        return block_ != nullptr;
    }

    augur_result submit(const FrameWork& work) override {
        const int number = ++control->submits;
        if (gpu_ && control->lost_at_submit != 0 && number >= control->lost_at_submit) control->lost = true;
        if (gpu_ && control->lost) return AUGUR_ERROR_DEVICE_LOST;
        work_ = work;
        cancelled_ = false;
        finished_ = false;
        const std::lock_guard lock(control->mutex);
        control->last_work = work;
        return AUGUR_OK;
    }
    augur_result poll() override {
        if (gpu_ && control->lost) return AUGUR_ERROR_DEVICE_LOST;
        if (finished_) return AUGUR_OK;
        if (control->hold && !cancelled_) return AUGUR_NOT_READY;
        if (control->finish < 0) return control->finish;
        run();
        return AUGUR_OK;
    }
    augur_result wait(std::uint64_t timeout_ns) override {
        const std::uint64_t began = system::now_ns();
        for (;;) {
            const augur_result result = poll();
            if (result != AUGUR_NOT_READY || system::now_ns() - began >= timeout_ns) return result;
            std::this_thread::yield();
        }
    }
    void cancel() override {
        ++control->cancels;
        cancelled_ = true;
    }
    const FrameOutput& output() const override { return output_; }
    augur_result results(std::uint32_t first, std::uint32_t count, augur_agent_result* out) override {
        if (gpu_ && control->lost) return AUGUR_ERROR_DEVICE_LOST;
        for (std::uint32_t i = 0; i < count; ++i)
            out[i] = {static_cast<std::int32_t>(health(first + i) % 4), 0.5f, work_.simulations, control->flags};
        return AUGUR_OK;
    }
    augur_result tree(std::uint32_t, augur_tree_node* out, std::uint32_t capacity, std::uint32_t* needed) override {
        *needed = 3;
        if (capacity < 3) return AUGUR_ERROR_SIZE;
        for (std::uint32_t i = 0; i < 3; ++i)
            out[i] = {
                i == 0 ? 0xffffffffu : 0u, static_cast<std::int32_t>(i) - 1, 1, 0, 0, i == 0 ? 0u : 1u, 0, 0, 0, 0};
        return AUGUR_OK;
    }
    augur_result root(std::uint32_t, std::uint32_t* visits, float* values) override {
        for (std::uint32_t a = 0; a < 4; ++a) {
            if (visits != nullptr) visits[a] = a;
            if (values != nullptr) values[a] = 0.25f * static_cast<float>(a);
        }
        return AUGUR_OK;
    }
    EngineMemory memory() const override { return {16, gpu_ ? 1000u : 0u, 100}; }

  private:
    std::uint32_t health(std::uint32_t agent) const {
        if (work_.source_count < 3) return 0;
        const Source& source = work_.sources[2];
        std::int32_t value = 0;
        if (source.buffer == nullptr) return 0;
        const unsigned char* at =
            static_cast<View*>(source.buffer)->data() + source.offset_bytes + agent * source.stride_bytes;
        if (source.format == AUGUR_FORMAT_I16) {
            std::int16_t narrow = 0;
            std::memcpy(&narrow, at, 2);
            value = narrow;
        } else {
            std::memcpy(&value, at, 4);
        }
        return static_cast<std::uint32_t>(value);
    }
    void run() {
        output_ = {};
        for (std::uint32_t i = 0; i < work_.agent_count; ++i) {
            const auto action = static_cast<std::int32_t>(health(i) % 4);
            unsigned char* at = static_cast<View*>(work_.actions.buffer)->data() + work_.actions.offset_bytes +
                                i * work_.actions.stride_bytes;
            const bool narrow = work_.actions.format == AUGUR_FORMAT_U8 || work_.actions.format == AUGUR_FORMAT_I8;
            std::memcpy(at, &action, narrow ? 1 : work_.actions.format == AUGUR_FORMAT_I32 ? 4 : 2);
            output_.decision_hash += (i + 1) * 1000003ull * (health(i) + 7);
        }
        for (std::uint32_t bit = 0; bit < 16; ++bit)
            output_.flag_counts[bit] = (control->flags >> bit & 1u) != 0 ? work_.agent_count : 0;
        constexpr std::uint32_t kHarmless = AUGUR_AGENT_EARLY_STOP | AUGUR_AGENT_PROVEN | AUGUR_AGENT_ONLY_ACTION;
        output_.agents_flagged = (control->flags & ~kHarmless) != 0 ? work_.agent_count : 0;
        output_.simulations = static_cast<std::uint64_t>(work_.agent_count) * work_.simulations;
        output_.done_ns = system::now_ns() + control->extra_ns;
        output_.cancelled = cancelled_;
        output_.deadline_hit = control->deadline_hit;
        output_.bytes_copied = gpu_ ? 12 : 0;
        output_.stages[AUGUR_STAGE_SEARCH] = {100, 300};
        finished_ = true;
    }

    EngineDesc desc_;
    Memory& memory_;
    bool gpu_;
    void* block_ = nullptr;
    FrameWork work_{};
    FrameOutput output_{};
    std::atomic<bool> cancelled_{false};
    bool finished_ = false;
};

// Networks are the CPU backend's; those of the GPU hold kGpuNetworkBytes more.
inline constexpr std::uint64_t kGpuNetworkBytes = 1000000;

class FakeNetwork final : public BackendNetwork {
  public:
    FakeNetwork(std::unique_ptr<BackendNetwork> inner, bool gpu) : inner_(std::move(inner)), gpu_(gpu) {
        if (gpu_) ++control->networks;
    }
    ~FakeNetwork() override {
        if (gpu_) --control->networks;
    }
    const BackendNetwork& inner() const { return *inner_; }
    const core::NetworkProgram& program() const override { return inner_->program(); }
    std::uint64_t memory_bytes() const override { return inner_->memory_bytes() + (gpu_ ? kGpuNetworkBytes : 0); }

  private:
    std::unique_ptr<BackendNetwork> inner_;
    bool gpu_;
};

class FakeEvaluator final : public Evaluator {
  public:
    FakeEvaluator(std::unique_ptr<Evaluator> inner, bool gpu) : inner_(std::move(inner)), gpu_(gpu) {}
    augur_result submit(const EvaluationWork& work) override {
        const int number = ++control->submits;
        if (gpu_ && control->lost_at_submit != 0 && number >= control->lost_at_submit) control->lost = true;
        if (gpu_ && control->lost) return AUGUR_ERROR_DEVICE_LOST;
        EvaluationWork seen = work;
        views_.clear();
        for (RowSource& source : seen.inputs)
            source.buffer = see(source.buffer);
        for (RowSink& sink : seen.outputs)
            sink.buffer = see(sink.buffer);
        work_ = seen;
        started_ = false;
        return AUGUR_OK;
    }
    augur_result wait(std::uint64_t timeout_ns) override {
        if (gpu_ && control->lost) return AUGUR_ERROR_DEVICE_LOST;
        if (gpu_ && control->hold) return AUGUR_NOT_READY;
        if (!started_) inner_->submit(work_);
        started_ = true;
        return inner_->wait(timeout_ns);
    }
    const EvaluationOutput& output() const override { return inner_->output(); }
    std::uint64_t memory_bytes() const override { return inner_->memory_bytes() + (gpu_ ? kGpuNetworkBytes : 0); }

  private:
    BackendBuffer* see(BackendBuffer* buffer) {
        if (buffer == nullptr) return nullptr;
        views_.push_back(make_host_view(static_cast<View*>(buffer)->data()));
        return views_.back().get();
    }

    std::unique_ptr<Evaluator> inner_;
    bool gpu_;
    std::vector<std::unique_ptr<BackendBuffer>> views_;
    EvaluationWork work_{};
    bool started_ = false;
};

class FakeBackend final : public Backend {
  public:
    FakeBackend(const BackendHost& host, bool gpu) : host_(host), gpu_(gpu), networks_(make_cpu_backend(host)) {
        control->tasks = host.tasks;
        control->log = host.log;
    }
    augur_backend kind() const override { return gpu_ ? AUGUR_BACKEND_CUDA : AUGUR_BACKEND_CPU; }
    void describe(augur_capabilities& out) const override {
        std::snprintf(out.device_name, sizeof out.device_name, gpu_ ? "fake GPU" : "fake CPU");
    }
    const core::RulesInfo* game(std::uint32_t index) const override { return index == 0 ? &kRules : nullptr; }
    augur_result memory(const EngineDesc&, EngineMemory* out, std::string&) const override {
        *out = {16, gpu_ ? 1000u : 0u, 100};
        return AUGUR_OK;
    }
    augur_result make_engine(const EngineDesc& desc, std::unique_ptr<Engine>* out, std::string& message) override {
        {
            const std::lock_guard lock(control->mutex);
            control->last_desc = desc;
        }
        if (control->make_engine < 0 && --control->make_engine_fails_at <= 0) {
            message = "the test said so";
            return control->make_engine;
        }
        auto engine = std::make_unique<FakeEngine>(desc, host_, gpu_);
        if (!engine->allocate()) {
            message = "no memory";
            return AUGUR_ERROR_OUT_OF_MEMORY;
        }
        *out = std::move(engine);
        return AUGUR_OK;
    }
    augur_result attach(const augur_buffer_desc& desc, std::unique_ptr<BackendBuffer>* out,
                        std::string& message) override {
        message = "the test said so";
        if (control->attach_gl_names_the_buffer) message += ", of buffer " + std::to_string(desc.gl_buffer);
        if (gpu_ && desc.kind == AUGUR_BUFFER_OPENGL && control->attach_gl < 0) return control->attach_gl;
        if (gpu_ && desc.kind == AUGUR_BUFFER_HOST && control->attach_gpu < 0) return control->attach_gpu;
        *out = std::make_unique<View>(desc.pointer);
        return AUGUR_OK;
    }
    augur_result make_network(const core::NetworkProgram& program, std::unique_ptr<BackendNetwork>* out,
                              std::string& message) override {
        message = "the test said so";
        if (gpu_ && control->make_network < 0) return control->make_network;
        std::unique_ptr<BackendNetwork> inner;
        const augur_result result = networks_->make_network(program, &inner, message);
        if (result == AUGUR_OK) *out = std::make_unique<FakeNetwork>(std::move(inner), gpu_);
        return result;
    }
    augur_result make_evaluator(const BackendNetwork& network, std::uint32_t row_capacity,
                                std::unique_ptr<Evaluator>* out, std::string& message) override {
        message = "the test said so";
        if (gpu_ && control->make_evaluator < 0) return control->make_evaluator;
        std::unique_ptr<Evaluator> inner;
        const augur_result result =
            networks_->make_evaluator(static_cast<const FakeNetwork&>(network).inner(), row_capacity, &inner, message);
        if (result == AUGUR_OK) *out = std::make_unique<FakeEvaluator>(std::move(inner), gpu_);
        return result;
    }
    augur_result health() const override { return gpu_ && control->lost ? AUGUR_ERROR_DEVICE_LOST : AUGUR_OK; }

  private:
    BackendHost host_;
    bool gpu_;
    std::unique_ptr<Backend> networks_;
};

inline BackendFactory factory() {
    BackendFactory out;
    out.make_cpu = [](const BackendHost& host) -> std::unique_ptr<Backend> {
        return std::make_unique<FakeBackend>(host, false);
    };
    out.make_cuda = [](const BackendHost& host, std::unique_ptr<Backend>* backend, std::string& message) {
        if (!control->gpu) {
            message = "no fake GPU";
            return control->make_gpu < 0 ? control->make_gpu : AUGUR_ERROR_NO_DEVICE;
        }
        *backend = std::make_unique<FakeBackend>(host, true);
        return AUGUR_OK;
    };
    out.probe = [] { return control->probe; };
    return out;
}

// Puts a control in place for the length of a test. A second one inside it takes over until it ends.
struct Scope : Control {
    Scope() : before(control) { control = this; }
    ~Scope() { control = before; }
    Control* before;
};

}  // namespace augur::fake

#endif  // AUGUR_TESTS_SUPPORT_FAKE_BACKEND_H
