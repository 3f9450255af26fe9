// The usual network (UsualHeads in fused_plan.h) over a block's 16 rows. Its hidden weights stay in the registers of
// the warps that multiply by them; the heads are done by every warp for its own rows, so nobody waits for them.
#ifndef AUGUR_BACKEND_CUDA_USUAL_NETWORK_CUH
#define AUGUR_BACKEND_CUDA_USUAL_NETWORK_CUH

#include "backend/cuda/fused_network.cuh"

namespace augur::cuda {

inline constexpr std::uint32_t kUsualRows = 16;                        // of a block
inline constexpr std::uint32_t kRowsOfWarp = 4;                        // its trees
inline constexpr int kUsualTiles = kUsualWidth * 2 / kFusedTileBytes;  // of a row of hidden outputs

// How a block lies in shared memory.
template <int kFeatures>
struct UsualLayout {
    static constexpr int kInputTiles = (kFeatures * 2 + kFusedTileBytes - 1) / kFusedTileBytes;
    // With more inputs the weights are more than the registers hold beside the search (measured with 93 features).
    static constexpr bool kPossible = kInputTiles <= 4;
    static constexpr std::uint32_t kInputStride = fused_stride(kInputTiles), kStride = fused_stride(kUsualTiles);
    static constexpr std::uint32_t kFirst = kUsualRows * kInputStride, kSecond = kFirst + kUsualRows * kStride,
                                   kBias = kSecond + kUsualRows * kStride, kHeads = kBias + 2 * kUsualWidth * 4;

    AUGUR_HD_INLINE static std::uint32_t bytes(std::uint32_t head_blocks) {
        return kHeads + head_blocks * kUsualRows * 32;
    }
};

// What becomes of the value head's outputs: a hyperbolic tangent, as a rule.
inline __device__ __noinline__ float activate_rarely(core::Activation activation, float alpha, float beta, float x) {
    return core::activate(activation, alpha, beta, x);
}
__device__ __forceinline__ float activate_value(const UsualHeads& heads, float x) {
    if (heads.value_activation == core::Activation::tanh) return core::hyperbolic_tangent(x);
    return activate_rarely(heads.value_activation, heads.value_alpha, heads.value_beta, x);
}

template <int kFeatures>
class UsualNetwork {
    using Layout = UsualLayout<kFeatures>;
    static constexpr int kPairs = kUsualWidth / 16 / (kUsualRows / kRowsOfWarp);  // of 16 columns, that a warp makes

  public:
    // All threads of the block; a barrier must follow. memory: Layout::bytes.
    __device__ __forceinline__ void prepare(const FusedNetwork& network, const uint4* weights,
                                            const std::uint32_t* constants, unsigned char* memory) {
        memory_ = memory;
        heads_ = network.usual;
        const std::uint32_t lane = threadIdx.x % 32, pair = threadIdx.x / 32 * kPairs;
        AUGUR_UNROLL
        for (std::uint32_t p = 0; p < kPairs; ++p) {
            load(first_[p], network.layers[0], weights, pair + p, lane);
            load(second_[p], network.layers[1], weights, pair + p, lane);
        }
        auto* const bias = reinterpret_cast<std::uint32_t*>(memory + Layout::kBias);
        for (std::uint32_t i = threadIdx.x; i < 2 * kUsualWidth; i += blockDim.x)
            bias[i] = constants[network.layers[i / kUsualWidth].bias + i % kUsualWidth];
        // Inputs past the features are multiplied by zeros: they must be numbers.
        for (std::uint32_t i = threadIdx.x; i < Layout::kFirst / 16; i += blockDim.x)
            reinterpret_cast<uint4*>(memory)[i] = uint4{0, 0, 0, 0};
        head_weights_ = weights + heads_.weights + lane;
        head_bias_ = reinterpret_cast<const float*>(constants) + heads_.bias + lane / 4;
    }

    __device__ __forceinline__ unsigned char* features(std::uint32_t row) const {
        return memory_ + row * Layout::kInputStride;
    }
    // What the heads said, the policy's columns and then the value's.
    __device__ __forceinline__ float* outputs(std::uint32_t row) const {
        return reinterpret_cast<float*>(memory_ + Layout::kHeads) + row * heads_.blocks() * 8;
    }
    __device__ __forceinline__ const UsualHeads& heads() const { return heads_; }

    // All threads of the block, after a barrier; in the end each warp has the outputs of its own rows.
    __device__ __forceinline__ void run() const {
        const auto* bias = reinterpret_cast<const float*>(memory_ + Layout::kBias);
        multiply(first_, bias, memory_, Layout::kInputStride, memory_ + Layout::kFirst);
        __syncthreads();
        multiply(second_, bias + kUsualWidth, memory_ + Layout::kFirst, Layout::kStride, memory_ + Layout::kSecond);
        uint4 weights[kUsualTiles];
        float head_bias = load_heads(weights, 0);  // on their way while the others come to the barrier
        __syncthreads();
        run_heads(0, weights, head_bias);
        for (std::uint32_t block = 1; block < heads_.blocks(); ++block) {
            head_bias = load_heads(weights, block);
            run_heads(block, weights, head_bias);
        }
        __syncwarp();
        if (heads_.value_activation == core::Activation::none) return;
        const std::uint32_t column = heads_.value_column + threadIdx.x % 8;
        if (column < heads_.columns) {
            float& value = outputs(threadIdx.x / 8)[column];
            value = activate_value(heads_, value);
        }
        __syncwarp();
    }

  private:
    template <int kTiles>
    __device__ __forceinline__ static void load(uint4 (&to)[kTiles], const FusedLayer& layer, const uint4* weights,
                                                std::uint32_t pair, std::uint32_t lane) {
        AUGUR_UNROLL
        for (int tile = 0; tile < kTiles; ++tile)
            to[tile] = weights[layer.weights + (pair * kTiles + static_cast<std::uint32_t>(tile)) * 32 + lane];
    }

    // A hidden layer: this warp's columns of all rows.
    template <int kTiles>
    __device__ __forceinline__ static void multiply(const uint4 (&weights)[kPairs][kTiles], const float* bias,
                                                    const unsigned char* input, std::uint32_t input_stride,
                                                    unsigned char* output) {
        const std::uint32_t lane = threadIdx.x % 32;
        const std::uint32_t column = threadIdx.x / 32 * (kPairs * 16) + lane % 4 * 2;
        const auto from =
            static_cast<std::uint32_t>(__cvta_generic_to_shared(input + lane % 16 * input_stride + lane / 16 * 16));
        float sums[kPairs][2][4];
        AUGUR_UNROLL
        for (int p = 0; p < kPairs; ++p) {
            AUGUR_UNROLL
            for (int half = 0; half < 2; ++half) {
                const float2 pair = *reinterpret_cast<const float2*>(bias + column + p * 16 + half * 8);
                sums[p][half][0] = sums[p][half][2] = pair.x;
                sums[p][half][1] = sums[p][half][3] = pair.y;
            }
        }
        AUGUR_UNROLL
        for (int tile = 0; tile < kTiles; ++tile) {
            std::uint32_t rows[4];
            load_blocks(rows, from + static_cast<std::uint32_t>(tile) * kFusedTileBytes);
            AUGUR_UNROLL
            for (int p = 0; p < kPairs; ++p) {
                multiply_add(sums[p][0], rows, weights[p][tile].x, weights[p][tile].y);
                multiply_add(sums[p][1], rows, weights[p][tile].z, weights[p][tile].w);
            }
        }
        unsigned char* const to = output + lane / 4 * Layout::kStride + column * 2;
        AUGUR_UNROLL
        for (int p = 0; p < kPairs; ++p) {
            AUGUR_UNROLL
            for (int half = 0; half < 2; ++half)
                store_relu(to + (p * 16 + half * 8) * 2, sums[p][half], 8 * Layout::kStride);
        }
    }

    __device__ __forceinline__ float load_heads(uint4 (&weights)[kUsualTiles], std::uint32_t block) const {
        AUGUR_UNROLL
        for (int tile = 0; tile < kUsualTiles; ++tile)
            weights[tile] = head_weights_[(block * kUsualTiles + static_cast<std::uint32_t>(tile)) * 32];
        return head_bias_[block * 8];
    }

    // Eight columns of the heads for this warp's rows. Here the weights are the left side of the product, the upper
    // halves its first eight rows and the lower ones the others; and each tree is two columns of the right side, so
    // that every lane ends with one number.
    __device__ __forceinline__ void run_heads(std::uint32_t block, const uint4 (&weights)[kUsualTiles],
                                              float bias) const {
        const std::uint32_t lane = threadIdx.x % 32, first_row = threadIdx.x / 32 * kRowsOfWarp;
        const auto from = static_cast<std::uint32_t>(__cvta_generic_to_shared(
            memory_ + Layout::kSecond + (first_row + lane % 8 / 2) * Layout::kStride + lane / 8 * 16));
        float sums[4] = {bias, bias, 0.0f, 0.0f};
        AUGUR_UNROLL
        for (int tile = 0; tile < kUsualTiles; tile += 2) {
            std::uint32_t rows[4];  // two tiles' first and second 16 bytes
            load_blocks(rows, from + static_cast<std::uint32_t>(tile) * kFusedTileBytes);
            AUGUR_UNROLL
            for (int t = 0; t < 2; ++t) {
                const uint4 w = weights[tile + t];
                const std::uint32_t left[4] = {w.x, w.y, w.z, w.w};
                multiply_add(sums, left, rows[2 * t], rows[2 * t + 1]);
            }
        }
        outputs(first_row + lane % 4)[block * 8 + lane / 4] = sums[0] + sums[2];
    }

    unsigned char* memory_;
    UsualHeads heads_;
    const uint4* head_weights_;
    const float* head_bias_;
    uint4 first_[kPairs][Layout::kInputTiles], second_[kPairs][kUsualTiles];
};

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_USUAL_NETWORK_CUH
