#include "backend/cuda/network.h"

#include <algorithm>
#include <new>
#include <vector>

#include "backend/cuda/network_kernels.h"
#include "backend/cuda/network_pack.h"
#include "backend/cuda/network_plan.h"

namespace augur::cuda {
namespace {

using core::NetworkOp;
using Home = PlannedTensor::Home;
using Kind = PlannedWork::Kind;

constexpr std::uint64_t kUnit = 256;

std::uint64_t rounded(std::uint64_t bytes) {
    return (bytes + kUnit - 1) / kUnit * kUnit;
}

// What stands behind the tensors in a scratch: sums of shared tiles, and the counters that say when they are whole.
struct Workspace {
    std::uint64_t parts = 0, counters = 0;  // offsets
    std::uint32_t counter_count = 0;
    std::uint64_t end = 0;
};

// Adds one batch's kernels to a graph.
class Adder {
  public:
    Adder(const core::NetworkProgram& program, const NetworkPlan& plan, unsigned char* block, Machine machine,
          GraphChain& chain, const NetworkBatch& batch)
        : program_(program), plan_(plan), block_(block), machine_(machine), chain_(chain), batch_(batch) {}

    static MatrixShare share_of(const core::NetworkProgram& program, const PlannedWork& work, std::uint32_t rows,
                                Machine machine) {
        const core::NetworkStep& step = program.network.steps[work.step];
        const bool is_dense = step.op == NetworkOp::dense;
        const std::uint64_t pixels =
            std::uint64_t{rows} * (is_dense ? step.m : step.window.out_height * step.window.out_width);
        return share_matrix(pixels, is_dense ? step.n : step.window.out_channels, chunks_of(program, work),
                            machine.multiprocessors);
    }

    static Workspace workspace(const core::NetworkProgram& program, const NetworkPlan& plan, std::uint32_t rows,
                               std::uint64_t begin, Machine machine) {
        Workspace space;
        std::uint64_t part_bytes = 0, tiles = 0;
        for (const PlannedWork& work : plan.works) {
            if (work.kind != Kind::matrix) continue;
            const MatrixShare share = share_of(program, work, rows, machine);
            if (share.splits == 1) continue;
            part_bytes = std::max(part_bytes, share.part_bytes);
            tiles = std::max(tiles, share.tiles);
        }
        space.parts = begin;
        space.counters = begin + rounded(part_bytes);
        space.counter_count = static_cast<std::uint32_t>(tiles);
        space.end = space.counters + rounded(tiles * sizeof(std::uint32_t));
        return space;
    }

    void run() {
        layout_ = lay_out(plan_, batch_.row_capacity);
        space_ = workspace(program_, plan_, batch_.row_capacity, layout_.bytes, machine_);
        if (space_.counter_count > 0)
            add_clear(chain_, reinterpret_cast<std::uint32_t*>(scratch() + space_.counters), space_.counter_count);
        for (const PlannedWork& work : plan_.works)
            add(work);
    }

  private:
    static std::uint32_t chunks_of(const core::NetworkProgram& program, const PlannedWork& work) {
        const core::NetworkStep& step = program.network.steps[work.step];
        const std::uint32_t taps =
            step.op == NetworkOp::dense ? 1 : step.window.kernel_h * (work.folded ? 1 : step.window.kernel_w);
        const std::uint32_t bytes =
            work.repeats * taps * work.input_channels * (program.precision == core::Precision::int8 ? 1 : 2);
        return (bytes + kMatrixChunk - 1) / kMatrixChunk;
    }

    unsigned char* scratch() const { return static_cast<unsigned char*>(batch_.scratch); }
    RowCount rows() const { return {batch_.row_capacity, batch_.rows}; }
    template <class T>
    T* in_block(std::uint64_t offset) const {
        return offset == kNothing ? nullptr : reinterpret_cast<T*>(block_ + offset);
    }

    // Inputs are only read, whatever the type of their addresses.
    static void* const* as_table(const void* at) { return static_cast<void* const*>(at); }

    Address address(std::uint32_t t) const {
        const PlannedTensor& tensor = plan_.tensors[t];
        switch (tensor.home) {
            case Home::constant:
                return {in_block<void>(tensor.floats), nullptr};
            case Home::input:
                if (batch_.input_table != nullptr) return {nullptr, as_table(batch_.input_table + tensor.port)};
                return {const_cast<float*>(batch_.inputs[tensor.port]), nullptr};
            case Home::output:
                if (batch_.output_table != nullptr) return {nullptr, as_table(batch_.output_table + tensor.port)};
                return {batch_.outputs[tensor.port], nullptr};
            case Home::scratch:
                return {scratch() + layout_.offsets[t], nullptr};
            case Home::none:
                break;
        }
        return {nullptr, nullptr};
    }

    Operand operand(std::uint32_t t) const {
        Operand operand{};
        if (t == core::kNoTensor) return operand;
        const PlannedTensor& tensor = plan_.tensors[t];
        operand.at = address(t);
        operand.integers = in_block<std::int8_t>(tensor.integers);
        operand.form = tensor.form;
        operand.reading = tensor.reading;
        operand.count = tensor.count;
        operand.row_elements = tensor.row_elements;
        operand.plane = tensor.plane;
        operand.stored_channels = tensor.stored_channels;
        operand.scale = tensor.scale;
        operand.inverse_scale = tensor.inverse_scale;
        return operand;
    }

    core::QuantisedView view() const {
        core::QuantisedView view{};
        view.biases = in_block<std::int32_t>(plan_.biases);
        view.rescales = in_block<core::Rescale>(plan_.rescales);
        view.scales = in_block<float>(plan_.scales);
        view.tables = in_block<std::int8_t>(plan_.tables);
        return view;
    }

    StepArgs step_args(const PlannedWork& work) const {
        StepArgs args{};
        args.step = program_.network.steps[work.step];
        args.shape = program_.network.tensors[args.step.output];
        args.is_int8 = program_.precision == core::Precision::int8;
        if (args.is_int8) args.quantised = program_.quantised.steps[work.step];
        args.view = view();
        args.a = operand(work.a);
        args.b = operand(work.b);
        args.residual = operand(work.residual);
        args.output = operand(work.output);
        if (args.step.op != NetworkOp::dense && args.step.op != NetworkOp::conv) args.step.residual = core::kNoTensor;
        args.weights = in_block<void>(work.weights);
        args.bias = in_block<float>(work.bias);
        args.map = in_block<std::int32_t>(work.map);
        args.rows = rows();
        return args;
    }

    void add(const PlannedWork& work) {
        switch (work.kind) {
            case Kind::convert:
                return add_convert(chain_, operand(work.a), operand(work.output), work.step == 0, rows(), machine_);
            case Kind::fold:
                return add_fold(chain_, operand(work.a), operand(work.output), program_.network.steps[work.step].window,
                                rows(), machine_);
            case Kind::chain:
                return add_chain(chain_, chain_args(work), machine_);
            case Kind::matrix:
                return add_matrix(work);
            case Kind::plain:
                return add_plain(chain_, step_args(work), machine_);
            case Kind::direct:
                return add_direct(chain_, step_args(work), machine_);
            case Kind::element:
                return add_element(chain_, step_args(work), machine_);
            case Kind::give:
                return add_give(chain_, operand(work.a), operand(work.output), rows(), machine_);
        }
    }

    // Of a tensor of `channels` by `pixels`. Dense steps have their channels last as it is.
    static Strides strides(const Operand& of, bool is_dense, std::uint32_t channels, std::uint32_t pixels) {
        if (is_dense) return {of.row_elements, channels, 1};
        if (of.stored_channels != 0) return {of.row_elements, of.stored_channels, 1};
        return {of.row_elements, 1, pixels};
    }

    void add_matrix(const PlannedWork& work) {
        MatrixArgs args{};
        args.of = step_args(work);
        const core::NetworkStep& step = args.of.step;
        const bool is_dense = step.op == NetworkOp::dense;
        if (is_dense) {
            args.at.height = args.at.out_height = args.at.kernel_h = args.at.kernel_w = 1;
            args.at.stride_h = args.at.stride_w = args.at.dilation_h = args.at.dilation_w = 1;
            args.at.width = args.at.out_width = step.m;
        } else {
            args.at = step.window;
        }
        if (work.folded) {
            args.at.width = args.at.out_width;
            args.at.kernel_w = args.at.stride_w = args.at.dilation_w = 1;
            args.at.pad_left = 0;
        }
        args.at.channels = work.input_channels;
        args.columns = is_dense ? step.n : step.window.out_channels;
        args.repeats = work.repeats;
        args.chunks = chunks_of(program_, work);
        const std::uint32_t pixels = args.at.out_height * args.at.out_width;
        const Operand& out = args.of.output;
        const Operand& residual = args.of.residual;
        args.out = strides(out, is_dense, args.columns, pixels);
        args.out_columns = out.stored_channels != 0 ? out.stored_channels : args.columns;
        args.has_residual = work.residual != core::kNoTensor;
        args.activation = step.activation;
        args.biases = in_block<std::int32_t>(work.bias);
        args.rescales = in_block<core::Rescale>(work.rescales);
        args.scales = in_block<float>(work.scales);
        const bool alike =
            !args.has_residual || (residual.form == out.form && residual.stored_channels == out.stored_channels &&
                                   residual.plane == out.plane && residual.row_elements == out.row_elements &&
                                   plan_.tensors[work.residual].home == Home::scratch);
        args.in_eights = alike && out.form != Form::single && plan_.tensors[work.output].home == Home::scratch &&
                         args.out.channel == 1 && args.out_columns % 8 == 0 && args.out.pixel == args.out_columns &&
                         std::uint64_t{args.out.pixel} * pixels == out.row_elements;
        const MatrixShare share = share_of(program_, work, batch_.row_capacity, machine_);
        args.splits = share.splits;
        args.parts = scratch() + space_.parts;
        args.counters = reinterpret_cast<std::uint32_t*>(scratch() + space_.counters);
        cuda::add_matrix(chain_, args, share, machine_);
    }

    ChainArgs chain_args(const PlannedWork& work) const {
        ChainArgs args{};
        const core::NetworkStep& first = program_.network.steps[work.step];
        args.is_int8 = program_.precision == core::Precision::int8;
        args.input = operand(work.a);
        args.k = first.k;
        args.lines = first.m;
        args.rows = rows();
        args.width = first.k;
        const std::uint32_t unit = args.is_int8 ? 32 : 16;
        for (const PlannedLayer& planned : work.layers) {
            const core::NetworkStep& step = program_.network.steps[planned.step];
            ChainLayer& layer = args.layers[args.layer_count++];
            layer.weights = in_block<void>(planned.weights);
            layer.bias = in_block<float>(planned.bias);
            layer.goes_on = planned.goes_on;
            layer.tiles = (step.k + unit - 1) / unit;
            layer.repeats = planned.repeats;
            const std::uint32_t padded = (step.k + kLayerDepth - 1) / kLayerDepth * kLayerDepth;
            const std::uint32_t columns = (step.n + kLayerColumns - 1) / kLayerColumns * kLayerColumns;
            layer.weight_bytes = planned.repeats * padded * columns * (args.is_int8 ? 1 : 2);
            layer.columns = step.n;
            layer.activation = step.activation;
            layer.alpha = step.alpha;
            layer.beta = step.beta;
            layer.is_stored = planned.stored != core::kNoTensor;
            if (layer.is_stored) {
                layer.stored = address(planned.stored);
                layer.form = plan_.tensors[planned.stored].form;
            }
            args.width = std::max({args.width, step.k, step.n});
            if (!args.is_int8) continue;
            const core::QuantisedStep& q = program_.quantised.steps[planned.step];
            layer.biases = in_block<std::int32_t>(planned.bias);
            layer.is_result = q.kind == core::QuantisedKind::result;
            layer.scales = in_block<float>(planned.scales);
            layer.rescales = in_block<core::Rescale>(planned.rescales);
            if (layer.is_result) continue;
            layer.low = q.low;
            layer.high = q.high;
            if (q.table != core::kNoWeights) layer.table = in_block<std::int8_t>(plan_.tables) + q.table;
        }
        return args;
    }

    const core::NetworkProgram& program_;
    const NetworkPlan& plan_;
    unsigned char* const block_;
    const Machine machine_;
    GraphChain& chain_;
    const NetworkBatch& batch_;
    ScratchLayout layout_{};
    Workspace space_{};
};

// Contexts made for graphics allow a block no more than 48 KB of shared memory.
Machine machine_of(const Device& device) {
    constexpr std::uint64_t kSharedLimit = 47 * 1024;
    const cudaDeviceProp& properties = device.properties();
    return {static_cast<std::uint32_t>(properties.multiProcessorCount),
            device.owns_context() ? properties.sharedMemPerBlockOptin : kSharedLimit};
}

// Waits until it is done. Neither the default stream nor one of the host's is touched.
augur_result upload(DeviceHealth& health, void* to, const std::vector<unsigned char>& from, std::string& message) {
    cudaStream_t stream = nullptr;
    augur_result result =
        health.check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate", message);
    if (result != AUGUR_OK) return result;
    result = health.check(cudaMemcpyAsync(to, from.data(), from.size(), cudaMemcpyHostToDevice, stream),
                          "copying the weights", message);
    if (result == AUGUR_OK) result = health.check(cudaStreamSynchronize(stream), "copying the weights", message);
    cudaStreamDestroy(stream);
    return result;
}

}  // namespace

CudaNetwork::CudaNetwork(const core::NetworkProgram& program, std::shared_ptr<Device> device)
    : program_(program), device_(std::move(device)), plan_(std::make_unique<NetworkPlan>()) {}

augur_result CudaNetwork::make(const core::NetworkProgram& program, std::shared_ptr<Device> device,
                               std::unique_ptr<BackendNetwork>* out, std::string& message) {
    DeviceHealth& health = device->health();
    if (health.lost()) {
        message = "the GPU is lost";
        return AUGUR_ERROR_DEVICE_LOST;
    }
    try {
        std::unique_ptr<CudaNetwork> network(new CudaNetwork(program, std::move(device)));
        *network->plan_ = make_plan(network->program_);
        std::vector<unsigned char> block = std::move(network->plan_->block);
        block.resize(rounded(std::max<std::size_t>(block.size(), 1)));
        const ContextScope scope(*network->device_);
        if (!network->device_->reserve(block.size())) {
            message = "the model needs " + std::to_string(block.size()) +
                      " bytes of GPU memory for its weights, gpu_memory_cap_bytes is " +
                      std::to_string(network->device_->cap());
            return AUGUR_ERROR_OUT_OF_MEMORY;
        }
        network->block_bytes_ = block.size();
        augur_result result = health.check(cudaMalloc(&network->block_, block.size()), "cudaMalloc", message);
        if (result != AUGUR_OK) {
            message += " for " + std::to_string(block.size()) + " bytes of weights";
            return result;
        }
        result = upload(health, network->block_, block, message);
        if (result == AUGUR_OK) *out = std::move(network);
        return result;
    } catch (const std::bad_alloc&) {
        message = "no memory to pack the model's weights";
        return AUGUR_ERROR_OUT_OF_MEMORY;
    }
}

CudaNetwork::~CudaNetwork() {
    if (!device_->health().lost() && block_ != nullptr) {
        const ContextScope scope(*device_);
        cudaFree(block_);
    }
    device_->release(block_bytes_);
}

std::uint64_t CudaNetwork::scratch_bytes(std::uint32_t row_capacity) const {
    const std::uint64_t tensors = lay_out(*plan_, row_capacity).bytes;
    return std::max(Adder::workspace(program_, *plan_, row_capacity, tensors, machine_of(*device_)).end, kUnit);
}

void CudaNetwork::add_to(GraphChain& chain, const NetworkBatch& batch) const {
    Adder(program_, *plan_, static_cast<unsigned char*>(block_), machine_of(*device_), chain, batch).run();
}

}  // namespace augur::cuda
