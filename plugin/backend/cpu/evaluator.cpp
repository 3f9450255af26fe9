#include "backend/cpu/evaluator.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "backend/cpu/arena.h"
#include "backend/cpu/clock.h"
#include "backend/cpu/host_view.h"
#include "backend/cpu/read_row.h"
#include "core/advice.h"

namespace augur {

namespace {

// Whether rows can be read or written where they lie: floats, one row after the other, as they are.
bool packed(std::uint64_t stride_bytes, std::uint32_t count) {
    return stride_bytes == count * sizeof(float);
}
bool direct(const RowSource& source, std::uint32_t count) {
    return source.format == AUGUR_FORMAT_F32 && source.scale == 1.0f && source.shift == 0.0f &&
           packed(source.stride_bytes, count);
}

const unsigned char* row_of(const RowSource& source, std::uint32_t row) {
    return static_cast<const HostView*>(source.buffer)->data() + source.offset_bytes + row * source.stride_bytes;
}
unsigned char* row_of(const RowSink& sink, std::uint32_t row) {
    return static_cast<HostView*>(sink.buffer)->data() + sink.offset_bytes + row * sink.stride_bytes;
}

}  // namespace

CpuEvaluator::CpuEvaluator(const CpuNetwork& network, std::uint32_t row_capacity, Memory* memory, Tasks* tasks)
    : network_(network),
      piece_(std::min(kPiece, row_capacity)),
      memory_(memory),
      tasks_(tasks),
      places_(std::max(1u, tasks->worker_count())) {
    const core::NetworkView& net = network.program().network;
    for (std::uint32_t i = 0; i < net.input_count; ++i)
        input_sizes_.push_back(net.tensors[net.inputs[i]].count);
    for (std::uint32_t i = 0; i < net.output_count; ++i)
        output_sizes_.push_back(net.tensors[net.outputs[i]].count);
}

CpuEvaluator::~CpuEvaluator() {
    finish_tasks();
    if (block_ != nullptr) memory_->release(block_, block_bytes_);
}

std::size_t CpuEvaluator::place(void* base) {
    Arena arena(base);
    for (Place& place : places_) {
        for (std::size_t i = 0; i < input_sizes_.size(); ++i)
            place.inputs[i] = arena.take<float>(static_cast<std::size_t>(piece_) * input_sizes_[i]);
        for (std::size_t i = 0; i < output_sizes_.size(); ++i)
            place.outputs[i] = arena.take<float>(static_cast<std::size_t>(piece_) * output_sizes_[i]);
        place.scratch = arena.take<std::byte>(network_.scratch_bytes(piece_));
    }
    return arena.size_bytes();
}

bool CpuEvaluator::allocate() {
    block_bytes_ = place(nullptr);
    block_ = allocate_touched(*memory_, block_bytes_);
    if (block_ == nullptr) return false;
    place(block_);
    return true;
}

void CpuEvaluator::finish_tasks() {
    if (!token_pending_) return;
    token_pending_ = false;
    tasks_->finish(token_);
}

augur_result CpuEvaluator::submit(const EvaluationWork& work) {
    finish_tasks();
    work_ = work;
    pieces_ = (work.rows + piece_ - 1) / piece_;
    claimed_.store(0, std::memory_order_relaxed);
    completed_.store(0, std::memory_order_relaxed);
    not_finite_.store(0, std::memory_order_relaxed);
    done_.store(false, std::memory_order_relaxed);
    token_ = tasks_->enqueue(&CpuEvaluator::run_entry, this, static_cast<std::uint32_t>(places_.size()));
    token_pending_ = true;
    return AUGUR_OK;
}

augur_result CpuEvaluator::wait(std::uint64_t timeout_ns) {
    constexpr std::uint64_t kForever = 1ull << 62;
    // Without workers the caller does the work; one that waits as long as it takes helps.
    if (!done_.load(std::memory_order_acquire) && (tasks_->worker_count() == 0 || timeout_ns > kForever))
        finish_tasks();
    if (!done_.load(std::memory_order_acquire) && timeout_ns > 0) {
        std::unique_lock lock(mutex_);
        const auto ready = [this] { return done_.load(std::memory_order_acquire); };
        if (timeout_ns > kForever)
            finished_.wait(lock, ready);
        else
            finished_.wait_for(lock, std::chrono::nanoseconds(timeout_ns), ready);
    }
    return done_.load(std::memory_order_acquire) ? AUGUR_OK : AUGUR_NOT_READY;
}

void CpuEvaluator::run(std::uint32_t worker) {
    for (;;) {
        const std::uint32_t piece = claimed_.fetch_add(1, std::memory_order_relaxed);
        if (piece >= pieces_) return;
        if (piece == 0) began_ns_ = clock_ns();
        const std::uint32_t first = piece * piece_;
        run_piece(worker, first, std::min(piece_, work_.rows - first));
        if (completed_.fetch_add(1, std::memory_order_acq_rel) + 1 != pieces_) continue;
        output_ = {clock_ns(), not_finite_.load(std::memory_order_relaxed), began_ns_};
        const std::lock_guard lock(mutex_);
        done_.store(true, std::memory_order_release);
        finished_.notify_all();
    }
}

void CpuEvaluator::run_piece(std::uint32_t worker, std::uint32_t first, std::uint32_t rows) {
    const Place& place = places_[worker];
    const float* inputs[core::kNetworkInputs] = {};
    float* outputs[core::kNetworkOutputs] = {};
    for (std::size_t i = 0; i < input_sizes_.size(); ++i) {
        const RowSource& source = work_.inputs[i];
        if (direct(source, input_sizes_[i])) {
            inputs[i] = reinterpret_cast<const float*>(row_of(source, first));
            continue;
        }
        for (std::uint32_t r = 0; r < rows; ++r)
            read_row(row_of(source, first + r), source, input_sizes_[i],
                     place.inputs[i] + static_cast<std::size_t>(r) * input_sizes_[i]);
        inputs[i] = place.inputs[i];
    }
    for (std::size_t i = 0; i < output_sizes_.size(); ++i) {
        const RowSink& sink = work_.outputs[i];
        if (sink.buffer == nullptr) continue;
        outputs[i] = packed(sink.stride_bytes, output_sizes_[i]) ? reinterpret_cast<float*>(row_of(sink, first))
                                                                 : place.outputs[i];
    }
    network_.run(inputs, outputs, rows, place.scratch);
    std::uint64_t not_finite = 0;
    for (std::size_t i = 0; i < output_sizes_.size(); ++i) {
        const RowSink& sink = work_.outputs[i];
        if (sink.buffer == nullptr) continue;
        const std::uint32_t size = output_sizes_[i];
        for (std::uint32_t r = 0; r < rows; ++r) {
            const float* row = outputs[i] + static_cast<std::size_t>(r) * size;
            for (std::uint32_t n = 0; n < size; ++n)
                not_finite += core::finite(row[n]) ? 0 : 1;
            if (outputs[i] == place.outputs[i]) std::memcpy(row_of(sink, first + r), row, size * sizeof(float));
        }
    }
    if (not_finite > 0) not_finite_.fetch_add(not_finite, std::memory_order_relaxed);
}

}  // namespace augur
