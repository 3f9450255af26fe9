// The usual network (UsualHeads in fused_plan.h) over a block's 16 rows. Its hidden weights stay in the registers of
// the warps that multiply by them; the heads are done by every warp for its own rows, so nobody waits for them.
#ifndef AUGUR_BACKEND_CUDA_USUAL_NETWORK_CUH
#define AUGUR_BACKEND_CUDA_USUAL_NETWORK_CUH

#include "backend/cuda/fused_network.cuh"

namespace augur::cuda {

inline constexpr std::uint32_t kUsualRows = 16;  // of a block
inline constexpr std::uint32_t kRowsOfWarp = 4;  // its trees

// How a block lies in shared memory. Halves, or kInt8.
template <int kFeatures, bool kInt8>
struct UsualLayout {
    static constexpr int kElementBytes = kInt8 ? 1 : 2;
    static constexpr int kTiles = kUsualWidth * kElementBytes / kFusedTileBytes;  // of a row of hidden outputs
    static constexpr int kInputTiles = (kFeatures * kElementBytes + kFusedTileBytes - 1) / kFusedTileBytes;
    static constexpr std::uint32_t kInputStride = fused_stride(kInputTiles), kStride = fused_stride(kTiles);
    static constexpr std::uint32_t kConstantWords = kInt8 ? 3 : 1;  // of a hidden column: its bias, and how to rescale
    static constexpr std::uint32_t kFirst = kUsualRows * kInputStride, kSecond = kFirst + kUsualRows * kStride,
                                   kConstants = kSecond + kUsualRows * kStride,
                                   kHeads = kConstants + 2 * kUsualWidth * kConstantWords * 4;

    AUGUR_HD_INLINE static std::uint32_t bytes(std::uint32_t head_blocks) {
        return kHeads + head_blocks * kUsualRows * 32;
    }
};

// With more inputs the weights are more than the registers hold beside the search (measured with 93 features).
inline constexpr int kUsualFeatures = 64;

// What becomes of the value head's outputs: a hyperbolic tangent, as a rule.
inline __device__ __noinline__ float activate_rarely(core::Activation activation, float alpha, float beta, float x) {
    return core::activate(activation, alpha, beta, x);
}
__device__ __forceinline__ float activate_value(const UsualHeads& heads, float x) {
    if (heads.value_activation == core::Activation::tanh) return core::hyperbolic_tangent(x);
    return activate_rarely(heads.value_activation, heads.value_alpha, heads.value_beta, x);
}

// kSparing: registers are dear. Then the first layer's halves come from the cache for each step.
template <int kFeatures, bool kInt8, bool kSparing>
class UsualNetwork {
    using Layout = UsualLayout<kFeatures, kInt8>;
    using Sum = std::conditional_t<kInt8, std::int32_t, float>;
    static constexpr bool kStreams = kSparing && !kInt8;
    static constexpr int kTiles = Layout::kTiles;
    static constexpr int kPairs = kUsualWidth / 16 / (kUsualRows / kRowsOfWarp);  // of 16 columns, that a warp makes

  public:
    // All threads of the block; a barrier must follow. network: in shared memory, and stays. memory: Layout::bytes.
    __device__ __forceinline__ UsualNetwork(const FusedNetwork& network, const uint4* weights,
                                            const std::uint32_t* constants, unsigned char* memory)
        : network_(network), heads_(network.usual), weights_(weights), constants_(constants), memory_(memory) {
        AUGUR_UNROLL
        for (std::uint32_t p = 0; p < kPairs; ++p) {
            if constexpr (!kStreams) load(first_[p], 0, p);
            load(second_[p], 1, p);
        }
        auto* const kept = reinterpret_cast<std::uint32_t*>(memory + Layout::kConstants);
        constexpr std::uint32_t kLayerWords = kUsualWidth * Layout::kConstantWords;
        for (std::uint32_t i = threadIdx.x; i < 2 * kLayerWords; i += blockDim.x) {
            const FusedLayer& layer = network.layers[i / kLayerWords];
            const std::uint32_t at = i % kLayerWords;
            kept[i] = constants[at < kUsualWidth ? layer.bias + at : layer.factors + at - kUsualWidth];
        }
        // Inputs past the features are multiplied by zeros: they must be numbers.
        for (std::uint32_t i = threadIdx.x; i < Layout::kFirst / 16; i += blockDim.x)
            reinterpret_cast<uint4*>(memory)[i] = uint4{0, 0, 0, 0};
    }

    __device__ __forceinline__ unsigned char* features(std::uint32_t row) const {
        return memory_ + row * Layout::kInputStride;
    }
    __device__ __forceinline__ float inverse_scale() const { return kInt8 ? network_.inverse_scale : 0.0f; }
    // What the heads said, the policy's columns and then the value's.
    __device__ __forceinline__ float* outputs(std::uint32_t row) const {
        return reinterpret_cast<float*>(memory_ + Layout::kHeads) + row * heads().blocks() * 8;
    }
    __device__ __forceinline__ const UsualHeads& heads() const { return heads_; }

    // All threads of the block: prepare, a barrier after which all features are there, and run, in the end of which
    // each warp has the outputs of its own rows.
    struct Prepared {
        uint4 first[kStreams ? kPairs : 1][Layout::kInputTiles];
    };
    __device__ __forceinline__ Prepared prepare() const {
        Prepared out{};
        if constexpr (kStreams) {
            AUGUR_UNROLL
            for (std::uint32_t p = 0; p < kPairs; ++p)
                load(out.first[p], 0, p);
        }
        return out;
    }
    __device__ __forceinline__ void run(const Prepared& prepared) const {
        if constexpr (kStreams)
            multiply<0>(prepared.first, memory_, Layout::kInputStride, memory_ + Layout::kFirst);
        else
            multiply<0>(first_, memory_, Layout::kInputStride, memory_ + Layout::kFirst);
        __syncthreads();
        multiply<1>(second_, memory_ + Layout::kFirst, Layout::kStride, memory_ + Layout::kSecond);
        HeadBlock head = load_heads(0);  // on its way while the others come to the barrier
        __syncthreads();
        run_heads(0, head);
        for (std::uint32_t block = 1; block < heads().blocks(); ++block) {
            head = load_heads(block);
            run_heads(block, head);
        }
        __syncwarp();
        if (heads().value_activation == core::Activation::none) return;
        const std::uint32_t column = heads().value_column + threadIdx.x % 8;
        if (column < heads().columns) {
            float& value = outputs(threadIdx.x / 8)[column];
            value = activate_value(heads(), value);
        }
        __syncwarp();
    }

  private:
    template <class T>
    struct alignas(2 * sizeof(T)) Two {
        T a, b;
    };

    // This warp's pair number p of a hidden layer.
    template <int kCount>
    __device__ __forceinline__ void load(uint4 (&to)[kCount], std::uint32_t layer, std::uint32_t p) const {
        const uint4* const from = weights_ + network_.layers[layer].weights + threadIdx.x % 32;
        AUGUR_UNROLL
        for (int tile = 0; tile < kCount; ++tile)
            to[tile] = from[((threadIdx.x / 32 * kPairs + p) * kCount + static_cast<std::uint32_t>(tile)) * 32];
    }

    // A hidden layer: this warp's columns of all rows.
    template <std::uint32_t kLayer, int kCount>
    __device__ __forceinline__ void multiply(const uint4 (&weights)[kPairs][kCount], const unsigned char* input,
                                             std::uint32_t input_stride, unsigned char* output) const {
        const auto* const bias =
            reinterpret_cast<const Sum*>(memory_ + Layout::kConstants) + kLayer * kUsualWidth * Layout::kConstantWords;
        const std::uint32_t lane = threadIdx.x % 32;
        const std::uint32_t column = threadIdx.x / 32 * (kPairs * 16) + lane % 4 * 2;
        const auto from =
            static_cast<std::uint32_t>(__cvta_generic_to_shared(input + lane % 16 * input_stride + lane / 16 * 16));
        Sum sums[kPairs][2][4];
        AUGUR_UNROLL
        for (int p = 0; p < kPairs; ++p) {
            AUGUR_UNROLL
            for (int half = 0; half < 2; ++half) {
                const auto pair = *reinterpret_cast<const Two<Sum>*>(bias + column + p * 16 + half * 8);
                sums[p][half][0] = sums[p][half][2] = pair.a;
                sums[p][half][1] = sums[p][half][3] = pair.b;
            }
        }
        AUGUR_UNROLL
        for (int tile = 0; tile < kCount; ++tile) {
            std::uint32_t rows[4];
            load_blocks(rows, from + static_cast<std::uint32_t>(tile) * kFusedTileBytes);
            AUGUR_UNROLL
            for (int p = 0; p < kPairs; ++p) {
                multiply_add(sums[p][0], rows, weights[p][tile].x, weights[p][tile].y);
                multiply_add(sums[p][1], rows, weights[p][tile].z, weights[p][tile].w);
            }
        }
        unsigned char* const to = output + lane / 4 * Layout::kStride + column * Layout::kElementBytes;
        AUGUR_UNROLL
        for (int p = 0; p < kPairs; ++p) {
            AUGUR_UNROLL
            for (int half = 0; half < 2; ++half) {
                unsigned char* const at = to + (p * 16 + half * 8) * Layout::kElementBytes;
                if constexpr (kInt8) {
                    const auto factors = *reinterpret_cast<const Two<core::Rescale>*>(bias + kUsualWidth +
                                                                                      (column + p * 16 + half * 8) * 2);
                    store_int8(at, factors.a, factors.b, network_.layers[kLayer], sums[p][half], 8 * Layout::kStride);
                } else {
                    store_relu(at, sums[p][half], 8 * Layout::kStride);
                }
            }
        }
    }

    // Eight columns of the heads, as a lane needs them.
    struct HeadBlock {
        uint4 weights[kTiles];
        Sum bias;
        float scale;
    };
    __device__ __forceinline__ HeadBlock load_heads(std::uint32_t block) const {
        const std::uint32_t lane = threadIdx.x % 32, column = block * 8 + lane / 4;
        HeadBlock out;
        AUGUR_UNROLL
        for (int tile = 0; tile < kTiles; ++tile)
            out.weights[tile] =
                weights_[heads().weights + (block * kTiles + static_cast<std::uint32_t>(tile)) * 32 + lane];
        out.bias = reinterpret_cast<const Sum*>(constants_)[heads().bias + column];
        out.scale = kInt8 ? reinterpret_cast<const float*>(constants_)[heads().scales + column] : 1.0f;
        return out;
    }

    // Eight columns of the heads for this warp's rows. Here the weights are the left side of the product, the upper
    // halves its first eight rows and the lower ones the others; and each tree is two columns of the right side, so
    // that every lane ends with one number.
    __device__ __forceinline__ void run_heads(std::uint32_t block, const HeadBlock& head) const {
        const std::uint32_t lane = threadIdx.x % 32, first_row = threadIdx.x / 32 * kRowsOfWarp;
        const auto from = static_cast<std::uint32_t>(__cvta_generic_to_shared(
            memory_ + Layout::kSecond + (first_row + lane % 8 / 2) * Layout::kStride + lane / 8 * 16));
        Sum sums[4] = {head.bias, head.bias, 0, 0};
        AUGUR_UNROLL
        for (int tile = 0; tile < kTiles; tile += 2) {
            std::uint32_t rows[4];  // two tiles' first and second 16 bytes
            load_blocks(rows, from + static_cast<std::uint32_t>(tile) * kFusedTileBytes);
            AUGUR_UNROLL
            for (int t = 0; t < 2; ++t) {
                const uint4 w = head.weights[tile + t];
                const std::uint32_t left[4] = {w.x, w.y, w.z, w.w};
                multiply_add(sums, left, rows[2 * t], rows[2 * t + 1]);
            }
        }
        float& to = outputs(first_row + lane % 4)[block * 8 + lane / 4];
        if constexpr (kInt8)
            to = core::dequantise(sums[0], head.scale);
        else
            to = sums[0] + sums[2];
    }

    const FusedNetwork& network_;
    const std::conditional_t<kSparing, const UsualHeads&, UsualHeads> heads_;
    const uint4* const weights_;
    const std::uint32_t* const constants_;
    unsigned char* const memory_;
    uint4 first_[kStreams ? 1 : kPairs][Layout::kInputTiles], second_[kPairs][kTiles];
};

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_USUAL_NETWORK_CUH
