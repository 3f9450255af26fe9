#include "backend/cuda/evaluator.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "backend/cuda/rows.cuh"
#include "core/advice.h"

namespace augur::cuda {

// Where rows come from and go to. data null: nowhere.
struct RowPlace {
    unsigned char* data;
    std::uint64_t stride_bytes;
    core::Format format;
    float scale, shift;
    bool direct;  // the network's kernels read or write it in place
};

// Written by the host before the launch.
struct alignas(16) EvaluatorOrder {
    RowPlace inputs[core::kNetworkInputs], outputs[core::kNetworkOutputs];
    std::uint32_t rows, reserved;
    std::uint64_t sequence;  // echoed in the report
};

// Written by the device when the outputs are in place; sequence last.
struct alignas(16) EvaluatorReport {
    std::uint64_t began, ended;  // device time
    std::uint64_t not_finite;
    std::uint64_t sequence;
};

struct EvaluatorMailbox {
    EvaluatorOrder order;
    EvaluatorReport report;
};

// In device memory.
struct EvaluatorState {
    EvaluatorOrder order;
    const float* inputs[core::kNetworkInputs];  // of the part that is being evaluated
    float* outputs[core::kNetworkOutputs];
    std::uint32_t first, rows;      // of the part
    std::uint32_t next;             // first row of the part after it
    std::uint32_t finished_blocks;  // of the last kernel
    unsigned long long not_finite;
    std::uint64_t began;
};

namespace {

constexpr unsigned kThreads = 256;
constexpr std::uint64_t kUnit = 256;
// What a batch's rows take on the device at most, but for single rows that take more: longer batches go in parts.
constexpr std::uint64_t kMostBytes = std::uint64_t{512} << 20;
constexpr std::uint32_t kPollsPerQuery = 256;
constexpr int kWarmUps = 2;

std::uint64_t now_ns() {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
            .count());
}

__device__ __forceinline__ std::uint64_t device_now() {
    std::uint64_t time;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
    return time;
}

// What does not change from batch to batch.
struct Evaluation {
    EvaluatorState* state;
    const EvaluatorOrder* order_host;
    EvaluatorReport* report_host;
    float* inputs[core::kNetworkInputs];  // [part_rows][count]: rows that are not read in place
    float* outputs[core::kNetworkOutputs];
    std::uint32_t input_sizes[core::kNetworkInputs], output_sizes[core::kNetworkOutputs];
    std::uint32_t input_count, output_count;
    std::uint32_t part_rows;
};

// One block: brings the order into device memory, one read of pinned memory.
__global__ void begin_kernel(Evaluation evaluation) {
    EvaluatorState& state = *evaluation.state;
    if (threadIdx.x == 0) {
        state.began = device_now();
        state.next = 0;
        state.finished_blocks = 0;
        state.not_finite = 0;
    }
    const auto* from = reinterpret_cast<const volatile std::uint64_t*>(evaluation.order_host);
    auto* to = reinterpret_cast<std::uint64_t*>(&state.order);
    for (std::uint32_t i = threadIdx.x; i < sizeof(EvaluatorOrder) / 8; i += blockDim.x)
        to[i] = from[i];
}

// One thread for an input or output: where the next part's rows are. `loops`: says whether parts follow.
__global__ void part_kernel(Evaluation evaluation, bool loops, cudaGraphConditionalHandle loop) {
    EvaluatorState& state = *evaluation.state;
    const std::uint32_t first = state.next, left = state.order.rows - first;
    const std::uint32_t i = threadIdx.x;
    const auto at = [&](const RowPlace& place) { return place.data + first * place.stride_bytes; };
    if (i < evaluation.input_count)
        state.inputs[i] = state.order.inputs[i].direct ? reinterpret_cast<const float*>(at(state.order.inputs[i]))
                                                       : evaluation.inputs[i];
    if (i < evaluation.output_count) {
        const RowPlace& place = state.order.outputs[i];
        state.outputs[i] = place.data == nullptr ? nullptr
                           : place.direct        ? reinterpret_cast<float*>(at(place))
                                                 : evaluation.outputs[i];
    }
    __syncthreads();
    if (i != 0) return;
    state.first = first;
    state.rows = left < evaluation.part_rows ? left : evaluation.part_rows;
    state.next = first + state.rows;
    if (loops) cudaGraphSetConditional(loop, state.next < state.order.rows ? 1 : 0);
}

// Rows that the network does not read where they are.
__global__ void __launch_bounds__(kThreads) read_kernel(Evaluation evaluation) {
    const EvaluatorState& state = *evaluation.state;
    for (std::uint32_t i = 0; i < evaluation.input_count; ++i) {
        const RowPlace place = state.order.inputs[i];
        if (place.direct) continue;
        const std::uint32_t size = evaluation.input_sizes[i];
        for_each_number(state.rows, size, [&](std::uint32_t row, std::uint32_t n) {
            const unsigned char* from =
                place.data + (static_cast<std::uint64_t>(state.first) + row) * place.stride_bytes;
            evaluation.inputs[i][static_cast<std::size_t>(row) * size + n] =
                number_at(from, place.format, n) * place.scale + place.shift;
        });
    }
}

// Looks at all outputs, and brings those that are not in place there. The last block of the last part reports.
__global__ void __launch_bounds__(kThreads) write_kernel(Evaluation evaluation) {
    EvaluatorState& state = *evaluation.state;
    std::uint32_t not_finite = 0;
    for (std::uint32_t o = 0; o < evaluation.output_count; ++o) {
        const float* from = state.outputs[o];
        if (from == nullptr) continue;
        const RowPlace place = state.order.outputs[o];
        const std::uint32_t size = evaluation.output_sizes[o];
        for_each_number(state.rows, size, [&](std::uint32_t row, std::uint32_t n) {
            const float x = from[static_cast<std::size_t>(row) * size + n];
            not_finite += core::finite(x) ? 0 : 1;
            if (place.direct) return;
            unsigned char* to = place.data + (static_cast<std::uint64_t>(state.first) + row) * place.stride_bytes;
            reinterpret_cast<float*>(to)[n] = x;
        });
    }
    if (not_finite > 0) atomicAdd(&state.not_finite, static_cast<unsigned long long>(not_finite));
    __threadfence_system();  // outputs may live in the host's memory
    __syncthreads();
    if (threadIdx.x != 0) return;
    if (atomicAdd(&state.finished_blocks, 1u) != gridDim.x - 1) return;
    state.finished_blocks = 0;
    if (state.next < state.order.rows) return;
    __threadfence();
    volatile EvaluatorReport& report = *evaluation.report_host;
    report.began = state.began;
    report.not_finite = *const_cast<const volatile unsigned long long*>(&state.not_finite);
    report.ended = device_now();
    __threadfence_system();
    report.sequence = state.order.sequence;
    __threadfence_system();
}

std::uint32_t size_of(const core::NetworkView& net, const std::uint32_t* tensors, std::uint32_t i) {
    return net.tensors[tensors[i]].count;
}

}  // namespace

CudaEvaluator::CudaEvaluator(const CudaNetwork& network, std::uint32_t row_capacity, std::shared_ptr<Device> device)
    : network_(network), device_(std::move(device)), row_capacity_(row_capacity) {}

CudaEvaluator::~CudaEvaluator() {
    if (!device_->health().lost()) {
        const ContextScope scope(*device_);
        for (EvaluatorLane& lane : lanes_)
            if (lane.stream != nullptr) cudaStreamSynchronize(lane.stream);
        if (running_) finished();
        for (EvaluatorLane& lane : lanes_) {
            lane.graph = nullptr;
            if (lane.owns_stream && lane.stream != nullptr) cudaStreamDestroy(lane.stream);
        }
        if (turn_ != nullptr) {
            device_->sharing().forget(turn_);
            cudaEventDestroy(turn_);
        }
        if (mailbox_ != nullptr) cudaFreeHost(mailbox_);
        if (block_ != nullptr) cudaFree(block_);
    }
    device_->release(reserved_);
}

CudaEvaluator::Places CudaEvaluator::place(std::uint32_t rows) const {
    const core::NetworkView& net = network_.program().network;
    Places places{};
    const auto take = [&](std::uint64_t bytes) {
        const std::uint64_t at = places.bytes;
        places.bytes += (bytes + kUnit - 1) / kUnit * kUnit;
        return at;
    };
    for (std::uint32_t i = 0; i < net.input_count; ++i)
        places.inputs[i] = take(std::uint64_t{rows} * size_of(net, net.inputs, i) * sizeof(float));
    for (std::uint32_t o = 0; o < net.output_count; ++o)
        places.outputs[o] = take(std::uint64_t{rows} * size_of(net, net.outputs, o) * sizeof(float));
    places.scratch = take(network_.scratch_bytes(rows));
    places.state = take(sizeof(EvaluatorState));
    return places;
}

augur_result CudaEvaluator::take_memory(std::string& message) {
    DeviceHealth& health = device_->health();
    part_rows_ = row_capacity_;
    while (part_rows_ > 1 && place(part_rows_).bytes > kMostBytes)
        part_rows_ = (part_rows_ + 1) / 2;
    const Places places = place(part_rows_);
    if (!device_->reserve(places.bytes)) {
        message = "evaluating " + std::to_string(row_capacity_) + " rows needs " + std::to_string(places.bytes) +
                  " bytes of GPU memory, gpu_memory_cap_bytes is " + std::to_string(device_->cap());
        return AUGUR_ERROR_OUT_OF_MEMORY;
    }
    reserved_ = places.bytes;
    augur_result result = health.check(cudaMalloc(&block_, places.bytes), "cudaMalloc", message);
    if (result != AUGUR_OK) {
        message += " for " + std::to_string(places.bytes) + " bytes";
        return result;
    }
    block_bytes_ = places.bytes;
    state_ = reinterpret_cast<EvaluatorState*>(static_cast<unsigned char*>(block_) + places.state);
    void* mailbox = nullptr;
    void* seen = nullptr;
    result =
        health.check(cudaHostAlloc(&mailbox, sizeof(EvaluatorMailbox), cudaHostAllocMapped), "cudaHostAlloc", message);
    if (result != AUGUR_OK) return result;
    mailbox_ = new (mailbox) EvaluatorMailbox{};
    result = health.check(cudaHostGetDevicePointer(&seen, mailbox, 0), "cudaHostGetDevicePointer", message);
    device_mailbox_ = static_cast<EvaluatorMailbox*>(seen);
    if (result != AUGUR_OK) return result;
    return health.check(cudaEventCreateWithFlags(&turn_, cudaEventDisableTiming), "cudaEventCreate", message);
}

augur_result CudaEvaluator::make_stream(std::uint32_t number, std::string& message) {
    EvaluatorLane& lane = lanes_[number];
    lane.stream = device_->host_stream();
    if (lane.stream != nullptr) return AUGUR_OK;
    const ContextScope scope(*device_, lane_context(number));
    lane.owns_stream = true;
    return device_->health().check(cudaStreamCreateWithPriority(&lane.stream, cudaStreamNonBlocking,
                                                                device_->sharing().evaluation_lane(number).priority),
                                   "cudaStreamCreateWithPriority", message);
}

augur_result CudaEvaluator::build_graph(std::uint32_t number, std::string& message) {
    DeviceHealth& health = device_->health();
    const Lane& place_on = device_->sharing().evaluation_lane(number);
    const ContextScope scope(*device_, place_on.context);
    const core::NetworkView& net = network_.program().network;
    const Places places = place(part_rows_);
    auto* base = static_cast<unsigned char*>(block_);
    Evaluation evaluation{};
    evaluation.state = state_;
    evaluation.order_host = &device_mailbox_->order;
    evaluation.report_host = &device_mailbox_->report;
    evaluation.input_count = net.input_count;
    evaluation.output_count = net.output_count;
    evaluation.part_rows = part_rows_;
    std::uint64_t read = 0, written = 0;
    for (std::uint32_t i = 0; i < net.input_count; ++i) {
        evaluation.inputs[i] = reinterpret_cast<float*>(base + places.inputs[i]);
        evaluation.input_sizes[i] = size_of(net, net.inputs, i);
        read = std::max(read, std::uint64_t{part_rows_} * evaluation.input_sizes[i]);
    }
    for (std::uint32_t o = 0; o < net.output_count; ++o) {
        evaluation.outputs[o] = reinterpret_cast<float*>(base + places.outputs[o]);
        evaluation.output_sizes[o] = size_of(net, net.outputs, o);
        written = std::max(written, std::uint64_t{part_rows_} * evaluation.output_sizes[o]);
    }
    NetworkBatch batch{};
    batch.scratch = base + places.scratch;
    batch.row_capacity = part_rows_;
    batch.rows = &state_->rows;
    batch.input_table = state_->inputs;
    batch.output_table = state_->outputs;
    const auto blocks_for = [&](std::uint64_t numbers) {
        const auto most = std::uint64_t{place_on.multiprocessors} * 8;
        return static_cast<unsigned>(std::clamp<std::uint64_t>((numbers + kThreads - 1) / kThreads, 1, most));
    };
    const auto add_part = [&](GraphChain& chain, bool loops, cudaGraphConditionalHandle loop) {
        chain.add(part_kernel, 1, 32, evaluation, loops, loop);
        chain.add(read_kernel, blocks_for(read), kThreads, evaluation);
        network_.add_to(chain, batch);
        chain.add(write_kernel, blocks_for(written), kThreads, evaluation);
        return chain.error();
    };
    FrameGraph& graph = *(lanes_[number].graph = std::make_unique<FrameGraph>(*device_));
    augur_result result = graph.create(message);
    if (result != AUGUR_OK) return result;
    GraphChain chain(graph.graph(), place_on.priority);
    chain.add(begin_kernel, 1, 128, evaluation);
    cudaError_t error = cudaSuccess;
    if (part_rows_ == row_capacity_) {
        error = add_part(chain, false, {});
    } else {
        cudaGraphConditionalHandle loop{};
        error = cudaGraphConditionalHandleCreate(&loop, graph.graph(), 1, cudaGraphCondAssignDefault);
        const cudaGraph_t body = error == cudaSuccess ? chain.add_while(loop) : nullptr;
        if (body != nullptr) {
            GraphChain parts(body, place_on.priority);
            error = add_part(parts, true, loop);
        }
        if (error == cudaSuccess) error = chain.error();
    }
    result = health.check(error, "building the graph of the network", message);
    return result == AUGUR_OK ? graph.finish(lanes_[number].stream, message) : result;
}

augur_result CudaEvaluator::create(std::string& message) {
    const ContextScope scope(*device_);
    augur_result result = take_memory(message);
    for (lane_ = 0; lane_ < device_->sharing().lane_count() && result == AUGUR_OK; ++lane_) {
        result = make_stream(lane_, message);
        if (result == AUGUR_OK) result = build_graph(lane_, message);
        const ContextScope in_lane(*device_, lane_context(lane_));
        // Nothing is to be loaded for the first time in a frame.
        for (int i = 0; i < kWarmUps && result == AUGUR_OK; ++i) {
            mailbox_->order = {};
            mailbox_->order.sequence = ++sequence_;
            result = launch();
            if (result == AUGUR_OK)
                result = device_->health().check(cudaStreamSynchronize(lanes_[lane_].stream), "the first empty batch",
                                                 message);
            if (result == AUGUR_OK)
                clock_.observe(launched_ns_, mailbox_->report.began, mailbox_->report.ended, now_ns());
        }
    }
    lane_ = 0;
    return result;
}

augur_result CudaEvaluator::launch() {
    std::atomic_thread_fence(std::memory_order_release);
    launched_ns_ = now_ns();
    const EvaluatorLane& lane = lanes_[lane_];
    return device_->health().check(device_->sharing().take_turn(
        lane.stream, turn_, [&] { return cudaGraphLaunch(lane.graph->executable(), lane.stream); }));
}

// Where a buffer's bytes are for this batch. Remembers the buffer for end and finish.
unsigned char* CudaEvaluator::open(BackendBuffer* buffer, augur_result& result) {
    if (buffer == nullptr || result != AUGUR_OK) return nullptr;
    auto* cuda_buffer = static_cast<CudaBuffer*>(buffer);
    unsigned char* data = cuda_buffer->begin(lanes_[lane_].stream, result);
    if (std::find(buffers_, buffers_ + buffer_count_, cuda_buffer) == buffers_ + buffer_count_)
        buffers_[buffer_count_++] = cuda_buffer;
    return data;
}

augur_result CudaEvaluator::fill_order(const EvaluationWork& work) {
    const core::NetworkView& net = network_.program().network;
    EvaluatorOrder& order = mailbox_->order;
    augur_result result = AUGUR_OK;
    buffer_count_ = 0;
    order = {};
    for (std::uint32_t i = 0; i < net.input_count; ++i) {
        const RowSource& from = work.inputs[i];
        unsigned char* data = open(from.buffer, result);
        if (data == nullptr) return result != AUGUR_OK ? result : AUGUR_ERROR_INTERNAL;
        const bool packed = from.format == AUGUR_FORMAT_F32 && from.scale == 1.0f && from.shift == 0.0f &&
                            from.stride_bytes == size_of(net, net.inputs, i) * sizeof(float);
        order.inputs[i] = {data + from.offset_bytes,
                           from.stride_bytes,
                           static_cast<core::Format>(from.format),
                           from.scale,
                           from.shift,
                           packed && static_cast<CudaBuffer*>(from.buffer)->on_device()};
    }
    for (std::uint32_t o = 0; o < net.output_count; ++o) {
        const RowSink& to = work.outputs[o];
        if (to.buffer == nullptr) continue;
        unsigned char* data = open(to.buffer, result);
        if (data == nullptr) return result != AUGUR_OK ? result : AUGUR_ERROR_INTERNAL;
        const bool packed = to.stride_bytes == size_of(net, net.outputs, o) * sizeof(float);
        order.outputs[o] = {data + to.offset_bytes,
                            to.stride_bytes,
                            core::Format::f32,
                            1.0f,
                            0.0f,
                            packed && static_cast<CudaBuffer*>(to.buffer)->on_device()};
    }
    order.rows = work.rows;
    order.sequence = ++sequence_;
    return result;
}

augur_result CudaEvaluator::submit(const EvaluationWork& work) {
    DeviceHealth& health = device_->health();
    if (health.lost()) return AUGUR_ERROR_DEVICE_LOST;
    if (device_->host_captures()) return AUGUR_ERROR_CAPTURE_CONFLICT;
    lane_ = device_->sharing().begin_evaluation();
    const ContextScope scope(*device_, lane_context(lane_));
    augur_result result = fill_order(work);
    if (result == AUGUR_OK) result = launch();
    for (std::uint32_t i = 0; i < buffer_count_; ++i)
        buffers_[i]->end(lanes_[lane_].stream);
    running_ = result == AUGUR_OK;
    for (std::uint32_t i = 0; i < buffer_count_ && !running_; ++i)
        buffers_[i]->finish();
    if (!running_) device_->sharing().end_evaluation();
    result_ = result;
    return result;
}

void CudaEvaluator::end_running() {
    running_ = false;
    device_->sharing().end_evaluation();
}

// Whether the running batch is done; then its buffers and its report are.
bool CudaEvaluator::finished() {
    if (const_cast<const volatile EvaluatorReport&>(mailbox_->report).sequence != mailbox_->order.sequence)
        return false;
    std::atomic_thread_fence(std::memory_order_acquire);
    end_running();
    const EvaluatorReport& report = mailbox_->report;
    clock_.observe(launched_ns_, report.began, report.ended, now_ns());
    for (std::uint32_t i = 0; i < buffer_count_; ++i)
        buffers_[i]->finish();
    output_ = {clock_.to_host(report.ended), report.not_finite, clock_.to_host(report.began)};
    return true;
}

augur_result CudaEvaluator::wait(std::uint64_t timeout_ns) {
    const std::uint64_t start = now_ns();
    while (running_) {
        if (finished()) return result_ = AUGUR_OK;
        if (++polls_ % kPollsPerQuery == 0) {
            const ContextScope scope(*device_, lane_context(lane_));
            if (!device_->host_captures() &&
                device_->health().check(cudaStreamQuery(lanes_[lane_].stream)) == AUGUR_ERROR_DEVICE_LOST) {
                end_running();
                return result_ = AUGUR_ERROR_DEVICE_LOST;
            }
        }
        if (now_ns() - start >= timeout_ns) return AUGUR_NOT_READY;
        std::this_thread::yield();
    }
    return result_;
}

}  // namespace augur::cuda
