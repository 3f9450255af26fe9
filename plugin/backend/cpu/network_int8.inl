// Dense layers and convolutions over int8: sums of products in int32, groups of kGroup products at a time. Sums may
// wrap on the way; what they end at does not (quantising checked it), so their order is free.
//
// With VNNI an instruction multiplies unsigned by signed bytes: numbers are staged as q + 128, and 128 times the sum of
// the weights is taken off the bias. Without it both are staged as 16 bits, two products at a time.

#if defined(__AVX512VNNI__)
constexpr std::uint32_t kGroup = 4;
using Staged = std::uint8_t;
using PackedWeight = std::int8_t;
constexpr std::int32_t kStagedZero = 128;
#else
constexpr std::uint32_t kGroup = 2;
using Staged = std::int16_t;
using PackedWeight = std::int16_t;
constexpr std::int32_t kStagedZero = 0;
#endif

using IntVector [[gnu::vector_size(kLanes * 4)]] = std::int32_t;
using IntAnywhere [[gnu::vector_size(kLanes * 4), gnu::aligned(1), gnu::may_alias]] = std::int32_t;

// Four bytes: a group of numbers or weights.
inline IntVector load_groups(const void* p) {
    return *reinterpret_cast<const IntAnywhere*>(p);
}

inline IntVector broadcast_group(const void* p) {
    std::int32_t group;
    std::memcpy(&group, p, sizeof(group));
    return group - IntVector{};
}

inline void store_ints(std::int32_t* p, IntVector x) {
    *reinterpret_cast<IntAnywhere*>(p) = x;
}

// sums[lane] + the products of the lane's two groups.
inline IntVector add_products(IntVector sums, IntVector numbers, IntVector weights) {
#if defined(__AVX512VNNI__)
    return reinterpret_cast<IntVector>(_mm512_dpbusd_epi32(
        reinterpret_cast<__m512i>(sums), reinterpret_cast<__m512i>(numbers), reinterpret_cast<__m512i>(weights)));
#elif defined(__AVX2__)
    return sums + reinterpret_cast<IntVector>(
                      _mm256_madd_epi16(reinterpret_cast<__m256i>(numbers), reinterpret_cast<__m256i>(weights)));
#elif defined(__SSE2__)
    return sums + reinterpret_cast<IntVector>(
                      _mm_madd_epi16(reinterpret_cast<__m128i>(numbers), reinterpret_cast<__m128i>(weights)));
#else
    std::int16_t x[kLanes * 2], w[kLanes * 2];
    std::memcpy(x, &numbers, sizeof(x));
    std::memcpy(w, &weights, sizeof(w));
    for (std::uint32_t lane = 0; lane < kLanes; ++lane)
        sums[lane] += x[2 * lane] * w[2 * lane] + x[2 * lane + 1] * w[2 * lane + 1];
    return sums;
#endif
}

inline Staged stage(std::int8_t q) {
    return static_cast<Staged>(q + kStagedZero);
}

// ---- what is done to sums

#if defined(__AVX512F__)
// core::rescale of 16 numbers: even and odd lanes as 64-bit products.
inline __m512i rescale_vector(__m512i x, __m512i multipliers, __m512i shifts) {
    const __m512i one = _mm512_set1_epi64(1);
    const auto half_of = [&](__m512i products, __m512i shift) {
        const __m512i rounding = _mm512_sllv_epi64(one, _mm512_sub_epi64(shift, one));
        const __m512i moved = _mm512_srav_epi64(_mm512_add_epi64(products, rounding), shift);
        const __m512i below = _mm512_min_epi64(moved, _mm512_set1_epi64(core::kRescaleLimit));
        return _mm512_max_epi64(below, _mm512_set1_epi64(-core::kRescaleLimit));
    };
    const __m512i even =
        half_of(_mm512_mul_epi32(x, multipliers), _mm512_and_si512(shifts, _mm512_set1_epi64(0xffffffff)));
    const __m512i odd = half_of(_mm512_mul_epi32(_mm512_srli_epi64(x, 32), _mm512_srli_epi64(multipliers, 32)),
                                _mm512_srli_epi64(shifts, 32));
    return _mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64(odd, 32));
}
#elif defined(__AVX2__)
// core::rescale of 8 numbers, likewise. What AVX2 lacks: a signed 64-bit shift is an unsigned one of numbers that are
// moved up by 2^63, and the lesser of two is chosen by comparison.
inline __m256i rescale_vector(__m256i x, __m256i multipliers, __m256i shifts) {
    const __m256i one = _mm256_set1_epi64x(1);
    const __m256i top = _mm256_set1_epi64x(std::numeric_limits<std::int64_t>::min());
    const __m256i most = _mm256_set1_epi64x(core::kRescaleLimit);
    const __m256i least = _mm256_set1_epi64x(-core::kRescaleLimit);
    const auto half_of = [&](__m256i products, __m256i shift) {
        const __m256i rounding = _mm256_sllv_epi64(one, _mm256_sub_epi64(shift, one));
        const __m256i raised = _mm256_add_epi64(_mm256_add_epi64(products, rounding), top);
        const __m256i moved = _mm256_sub_epi64(_mm256_srlv_epi64(raised, shift), _mm256_srlv_epi64(top, shift));
        const __m256i below = _mm256_blendv_epi8(moved, most, _mm256_cmpgt_epi64(moved, most));
        return _mm256_blendv_epi8(below, least, _mm256_cmpgt_epi64(least, below));
    };
    const __m256i even =
        half_of(_mm256_mul_epi32(x, multipliers), _mm256_and_si256(shifts, _mm256_set1_epi64x(0xffffffff)));
    const __m256i odd = half_of(_mm256_mul_epi32(_mm256_srli_epi64(x, 32), _mm256_srli_epi64(multipliers, 32)),
                                _mm256_srli_epi64(shifts, 32));
    return _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa);
}
#endif

// Sums to int8, before the table.
template <std::uint32_t Step>
void limit_sums(const IntegerEnd& end, const std::int32_t* sums, std::uint32_t count, const std::int32_t* multipliers,
                const std::int32_t* shifts, const std::int8_t* residual, std::int8_t* out) {
#if defined(__AVX512F__)
    for (std::uint32_t first = 0; first < count; first += kLanes) {
        const std::uint32_t rest = count - first;
        const auto mask = static_cast<__mmask16>(rest < kLanes ? (1u << rest) - 1u : 0xffffu);
        const __m512i m = Step == 0 ? _mm512_set1_epi32(*multipliers) : _mm512_loadu_si512(multipliers + first);
        const __m512i s = Step == 0 ? _mm512_set1_epi32(*shifts) : _mm512_loadu_si512(shifts + first);
        __m512i y = rescale_vector(_mm512_maskz_loadu_epi32(mask, sums + first), m, s);
        if (residual != nullptr) {
            const __m512i r = rescale_vector(_mm512_cvtepi8_epi32(_mm_maskz_loadu_epi8(mask, residual + first)),
                                             _mm512_set1_epi32(end.residual_factor.multiplier),
                                             _mm512_set1_epi32(end.residual_factor.shift));
            const __m512i rounding = _mm512_set1_epi32(1 << (core::kSpareBits - 1));
            y = _mm512_srai_epi32(_mm512_add_epi32(_mm512_add_epi32(y, r), rounding), core::kSpareBits);
        }
        y = _mm512_min_epi32(_mm512_max_epi32(y, _mm512_set1_epi32(end.low)), _mm512_set1_epi32(end.high));
        _mm_mask_storeu_epi8(out + first, mask, _mm512_cvtepi32_epi8(y));
    }
#else
    std::uint32_t whole = 0;
#if defined(__AVX2__)
    for (; whole + kLanes <= count; whole += kLanes) {
        const auto load_ints = [&](const std::int32_t* p) {
            return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
        };
        const __m256i m = Step == 0 ? _mm256_set1_epi32(*multipliers) : load_ints(multipliers + whole);
        const __m256i s = Step == 0 ? _mm256_set1_epi32(*shifts) : load_ints(shifts + whole);
        __m256i y = rescale_vector(load_ints(sums + whole), m, s);
        if (residual != nullptr) {
            std::int64_t bytes;
            std::memcpy(&bytes, residual + whole, sizeof(bytes));
            const __m256i r = rescale_vector(_mm256_cvtepi8_epi32(_mm_cvtsi64_si128(bytes)),
                                             _mm256_set1_epi32(end.residual_factor.multiplier),
                                             _mm256_set1_epi32(end.residual_factor.shift));
            const __m256i rounding = _mm256_set1_epi32(1 << (core::kSpareBits - 1));
            y = _mm256_srai_epi32(_mm256_add_epi32(_mm256_add_epi32(y, r), rounding), core::kSpareBits);
        }
        y = _mm256_min_epi32(_mm256_max_epi32(y, _mm256_set1_epi32(end.low)), _mm256_set1_epi32(end.high));
        const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(y), _mm256_extracti128_si256(y, 1));
        const std::int64_t bytes = _mm_cvtsi128_si64(_mm_packs_epi16(words, words));
        std::memcpy(out + whole, &bytes, sizeof(bytes));
    }
#endif
    for (std::uint32_t i = whole; i < count; ++i) {
        std::int32_t y = core::rescale(sums[i], {multipliers[i * Step], shifts[i * Step]});
        if (residual != nullptr) y = core::drop_spare_bits(y + core::rescale(residual[i], end.residual_factor));
        out[i] = core::clamp_int8(y, end.low, end.high);
    }
#endif
}

// Results of an output row, or neighbours of an output plane. Step 1: a channel for each; 0: one for all.
template <std::uint32_t Step>
void finish_sums(const IntegerEnd& end, const std::int32_t* sums, std::uint32_t count, std::size_t channel,
                 std::size_t place) {
    if (end.scales != nullptr) {
        float* out = static_cast<float*>(end.out) + place;
        for (std::uint32_t i = 0; i < count; ++i)
            out[i] = core::dequantise(sums[i], end.scales[channel + i * Step]);
        if (end.residual != nullptr) {
            const float* residual = static_cast<const float*>(end.residual) + place;
            for (std::uint32_t i = 0; i < count; ++i)
                out[i] = out[i] + residual[i];
        }
        return;
    }
    std::int8_t* out = static_cast<std::int8_t*>(end.out) + place;
    const auto* residual = static_cast<const std::int8_t*>(end.residual);
    limit_sums<Step>(end, sums, count, end.multipliers + channel, end.shifts + channel,
                     residual != nullptr ? residual + place : nullptr, out);
    if (end.table != nullptr)
        for (std::uint32_t i = 0; i < count; ++i)
            out[i] = end.table[out[i] + 128];
}

// ---- dense

std::size_t dense_groups(std::uint32_t k) {
    return (k + kGroup - 1) / kGroup;
}

std::size_t dense_bytes_int8(std::uint32_t k, std::uint32_t n) {
    return round_up(n, kPanel) * dense_groups(k) * kGroup * sizeof(PackedWeight);
}

void pack_dense_int8(const std::int8_t* weights, const std::int32_t* bias, std::uint32_t k, std::uint32_t n, void* to,
                     std::int32_t* packed_bias) {
    auto* packed = static_cast<PackedWeight*>(to);
    for (std::uint32_t first = 0; first < n; first += kPanel)
        for (std::uint32_t i = 0; i < dense_groups(k) * kGroup; i += kGroup)
            for (std::uint32_t lane = 0; lane < kPanel; ++lane)
                for (std::uint32_t j = i; j < i + kGroup; ++j)
                    *packed++ = first + lane < n && j < k ? weights[static_cast<std::size_t>(j) * n + first + lane] : 0;
    for (std::uint32_t column = 0; column < round_up(n, kPanel); ++column) {
        std::uint32_t sum = column < n ? static_cast<std::uint32_t>(bias[column]) : 0u;
        for (std::uint32_t i = 0; i < k && column < n; ++i)
            sum -= static_cast<std::uint32_t>(kStagedZero * weights[static_cast<std::size_t>(i) * n + column]);
        packed_bias[column] = static_cast<std::int32_t>(sum);
    }
}

std::size_t dense_workspace_int8(std::uint32_t k) {
    return kHeight * dense_groups(k) * kGroup * sizeof(Staged);
}

// Rows R by P panels from column first; what lies beyond the last column is left out.
template <std::uint32_t R, std::uint32_t P>
[[gnu::noinline]] void dense_tile_int8(const DenseCall8& call, const Staged* in, std::uint32_t row,
                                       std::uint32_t first) {
    const std::size_t groups = dense_groups(call.k);
    const PackedWeight* w = static_cast<const PackedWeight*>(call.packed) + first * groups * kGroup;
    IntVector sums[R][P * kVectors];
    AUGUR_UNROLL
    for (std::uint32_t v = 0; v < P * kVectors; ++v) {
        const IntVector bias = load_groups(call.bias + first + v * kLanes);
        AUGUR_UNROLL
        for (std::uint32_t r = 0; r < R; ++r)
            sums[r][v] = bias;
    }
    for (std::size_t g = 0; g < groups; ++g) {
        IntVector weights[P * kVectors];
        AUGUR_UNROLL
        for (std::uint32_t v = 0; v < P * kVectors; ++v) {
            const std::size_t panel = v / kVectors;
            weights[v] = load_groups(w + ((panel * groups + g) * kPanel + v % kVectors * kLanes) * kGroup);
            if (R > 1) hold(weights[v]);
        }
        AUGUR_UNROLL
        for (std::uint32_t r = 0; r < R; ++r) {
            const IntVector numbers = broadcast_group(in + (r * groups + g) * kGroup);
            AUGUR_UNROLL
            for (std::uint32_t v = 0; v < P * kVectors; ++v)
                sums[r][v] = add_products(sums[r][v], numbers, weights[v]);
        }
    }
    const std::uint32_t count = call.n - first < P * kPanel ? call.n - first : P * kPanel;
    alignas(64) std::int32_t lanes[R][P * kPanel];
    AUGUR_UNROLL
    for (std::uint32_t r = 0; r < R; ++r) {
        AUGUR_UNROLL
        for (std::uint32_t v = 0; v < P * kVectors; ++v)
            store_ints(lanes[r] + v * kLanes, sums[r][v]);
    }
    for (std::uint32_t r = 0; r < R; ++r)
        finish_sums<1>(call.end, lanes[r], count, first, static_cast<std::size_t>(row + r) * call.n + first);
}

template <std::uint32_t R>
void dense_rows_int8(const DenseCall8& call, const Staged* in, std::uint32_t row) {
    constexpr std::uint32_t kPanels = R * 4 <= kHeight ? 4 : (R * 2 <= kHeight ? 2 : 1);
    std::uint32_t first = 0;
    for (; first + (kPanels - 1) * kPanel < call.n; first += kPanels * kPanel)
        dense_tile_int8<R, kPanels>(call, in, row, first);
    for (; first < call.n; first += kPanel)
        dense_tile_int8<R, 1>(call, in, row, first);
}

template <std::uint32_t R>
void dense_rest_int8(const DenseCall8& call, const Staged* in, std::uint32_t row, std::uint32_t rest) {
    if (rest == R) return dense_rows_int8<R>(call, in, row);
    if constexpr (R > 1) dense_rest_int8<R - 1>(call, in, row, rest);
}

void dense_int8(const DenseCall8& call) {
    auto* staged = static_cast<Staged*>(call.workspace);
    const std::size_t width = dense_groups(call.k) * kGroup;
    for (std::uint32_t row = 0; row < call.m; row += kHeight) {
        const std::uint32_t rows = call.m - row < kHeight ? call.m - row : kHeight;
        for (std::uint32_t r = 0; r < rows; ++r) {
            const std::int8_t* from = call.in + static_cast<std::size_t>(row + r) * call.k;
            Staged* to = staged + r * width;
            for (std::uint32_t i = 0; i < call.k; ++i)
                to[i] = stage(from[i]);
            for (std::size_t i = call.k; i < width; ++i)
                to[i] = 0;  // against weights that are 0
        }
        dense_rest_int8<kHeight>(call, staged, row, rows);
    }
}

// ---- convolutions: taps by kernel row, kernel column and groups of channels

std::size_t channel_groups(const ConvShape& shape) {
    return (shape.in_group + kGroup - 1) / kGroup;
}

std::size_t tap_groups(const core::NetworkWindow& w, const ConvShape& shape) {
    return static_cast<std::size_t>(w.kernel_h) * w.kernel_w * channel_groups(shape);
}

std::size_t conv_bytes_int8(const core::NetworkWindow& w) {
    const ConvShape shape(w);
    if (by_planes(shape)) return w.out_channels * shape.taps;
    return w.groups * round_up(shape.out_group, kHeight) * tap_groups(w, shape) * kGroup * sizeof(PackedWeight);
}

void pack_conv_int8(const std::int8_t* weights, const std::int32_t* bias, const core::NetworkWindow& w, void* to,
                    std::int32_t* packed_bias) {
    const ConvShape shape(w);
    if (by_planes(shape)) {
        std::memcpy(to, weights, w.out_channels * shape.taps);
        std::memcpy(packed_bias, bias, w.out_channels * sizeof(std::int32_t));
        return;
    }
    auto* packed = static_cast<PackedWeight*>(to);
    const std::size_t window = static_cast<std::size_t>(w.kernel_h) * w.kernel_w;
    for (std::uint32_t g = 0; g < w.groups; ++g)
        for (std::uint32_t first = 0; first < shape.out_group; first += kHeight)
            for (std::size_t tap = 0; tap < window; ++tap)
                for (std::uint32_t c = 0; c < channel_groups(shape) * kGroup; c += kGroup)
                    for (std::uint32_t o = first; o < first + kHeight; ++o)
                        for (std::uint32_t j = c; j < c + kGroup; ++j)
                            *packed++ = o < shape.out_group && j < shape.in_group
                                            ? weights[(static_cast<std::size_t>(g) * shape.out_group + o) * shape.taps +
                                                      j * window + tap]
                                            : 0;
    for (std::uint32_t o = 0; o < w.out_channels; ++o) {
        auto sum = static_cast<std::uint32_t>(bias[o]);
        for (std::size_t i = 0; i < shape.taps; ++i)
            sum -= static_cast<std::uint32_t>(kStagedZero * weights[o * shape.taps + i]);
        packed_bias[o] = static_cast<std::int32_t>(sum);
    }
}

std::size_t panel_bytes(const core::NetworkWindow& w, const ConvShape& shape) {
    return tap_groups(w, shape) * kPanel * kGroup * sizeof(Staged);
}

std::uint32_t panels_together_int8(const core::NetworkWindow& w, const ConvShape& shape) {
    const std::size_t panels = 128 * 1024 / panel_bytes(w, shape);
    return static_cast<std::uint32_t>(panels < 1 ? 1 : (panels > 8 ? 8 : panels));
}

std::size_t conv_workspace_int8(const core::NetworkWindow& w) {
    const ConvShape shape(w);
    if (by_planes(shape)) return round_up(w.out_width, kLanes) * sizeof(std::int32_t);
    return panels_together_int8(w, shape) * panel_bytes(w, shape);
}

// One tap of a segment for every group of channels: planes lie in_plane apart, a group's rows one after the other.
void gather_groups(const std::int8_t* plane, const ConvShape& shape, const Segment& segment, const Reach& reached,
                   std::uint32_t step, Staged* to) {
#if defined(__AVX512VNNI__)
    if (step <= 2) {
        const auto bits = [](std::uint32_t n) { return n >= 32 ? 0xffffffffu : (1u << n) - 1u; };
        const std::uint32_t whole = bits(segment.count);
        const std::uint32_t inside = bits(reached.high) & ~bits(reached.low);
        for (std::uint32_t half = 0; half * kLanes < segment.count; ++half) {
            const auto write = static_cast<__mmask16>(whole >> (half * kLanes));
            const std::uint32_t read = (inside >> (half * kLanes)) & 0xffffu;
            const std::uint32_t pairs = _pdep_u32(read, 0x55555555u);
            // The address may lie outside of the plane; only lanes of the mask are touched.
            const std::int8_t* from = plane + (reached.start + static_cast<std::ptrdiff_t>(half * kLanes * step));
            const auto channel = [&](std::uint32_t c) {
                if (c >= shape.in_group) return _mm_setzero_si128();
                const std::int8_t* p = from + c * shape.in_plane;
                if (step == 1) return _mm_maskz_loadu_epi8(static_cast<__mmask16>(read), p);
                return _mm256_cvtepi16_epi8(_mm256_maskz_loadu_epi8(pairs, p));
            };
            Staged* lanes = to + (segment.lane + half * kLanes) * kGroup;
            for (std::uint32_t c = 0; c < shape.in_group; c += kGroup, lanes += kPanel * kGroup) {
                const __m128i c0 = channel(c), c1 = channel(c + 1), c2 = channel(c + 2), c3 = channel(c + 3);
                const __m128i low01 = _mm_unpacklo_epi8(c0, c1), high01 = _mm_unpackhi_epi8(c0, c1);
                const __m128i low23 = _mm_unpacklo_epi8(c2, c3), high23 = _mm_unpackhi_epi8(c2, c3);
                __m512i groups = _mm512_castsi128_si512(_mm_unpacklo_epi16(low01, low23));
                groups = _mm512_inserti32x4(groups, _mm_unpackhi_epi16(low01, low23), 1);
                groups = _mm512_inserti32x4(groups, _mm_unpacklo_epi16(high01, high23), 2);
                groups = _mm512_inserti32x4(groups, _mm_unpackhi_epi16(high01, high23), 3);
                _mm512_mask_storeu_epi32(lanes, write,
                                         _mm512_xor_si512(groups, _mm512_set1_epi32(static_cast<int>(0x80808080u))));
            }
        }
        return;
    }
#endif
    for (std::uint32_t c = 0; c < channel_groups(shape) * kGroup; c += kGroup) {
        Staged* lanes = to + (static_cast<std::size_t>(c / kGroup) * kPanel + segment.lane) * kGroup;
        const std::int8_t* first = plane + c * shape.in_plane;
        // Groups of no channel are against weights that are 0.
        const std::uint32_t channels = shape.in_group - c < kGroup ? shape.in_group - c : kGroup;
        for (std::uint32_t i = 0; i < reached.low * kGroup; ++i)
            lanes[i] = stage(0);
        for (std::uint32_t i = reached.high * kGroup; i < segment.count * kGroup; ++i)
            lanes[i] = stage(0);
        if (step == 1 && channels == 2 && kGroup == 2) {
            const std::int8_t* second = first + shape.in_plane;
            for (std::uint32_t lane = reached.low; lane < reached.high; ++lane) {
                const auto at = reached.start + static_cast<std::ptrdiff_t>(lane);
                lanes[2 * lane] = stage(first[at]);
                lanes[2 * lane + 1] = stage(second[at]);
            }
            continue;
        }
        for (std::uint32_t lane = reached.low; lane < reached.high; ++lane) {
            const auto at = reached.start + static_cast<std::ptrdiff_t>(lane * step);
            for (std::uint32_t j = 0; j < kGroup; ++j)
                lanes[lane * kGroup + j] =
                    stage(j < channels ? first[j * shape.in_plane + static_cast<std::size_t>(at)] : std::int8_t{0});
        }
    }
}

void gather_panel_int8(const ConvCall8& call, const ConvShape& shape, std::uint32_t group, const Segment* segments,
                       std::uint32_t segment_count, Staged* panel) {
    const core::NetworkWindow& w = *call.window;
    const std::size_t tap_size = channel_groups(shape) * kPanel * kGroup;
    const Segment& end = segments[segment_count - 1];
    if (end.lane + end.count < kPanel) std::memset(panel, 0, panel_bytes(w, shape));
    for (std::uint32_t s = 0; s < segment_count; ++s) {
        const Segment& segment = segments[s];
        const std::int8_t* in = call.in + (static_cast<std::size_t>(segment.row) * w.channels +
                                           static_cast<std::size_t>(group) * shape.in_group) *
                                              shape.in_plane;
        for (std::uint32_t kx = 0; kx < w.kernel_w; ++kx) {
            const Reach reached = reach(w, segment, kx);
            for (std::uint32_t ky = 0; ky < w.kernel_h; ++ky) {
                const auto y = static_cast<std::int32_t>(segment.y * w.stride_h + ky * w.dilation_h) - w.pad_top;
                const bool inside = y >= 0 && y < static_cast<std::int32_t>(w.height);
                gather_groups(in + (inside ? static_cast<std::size_t>(y) * w.width : 0), shape, segment,
                              inside ? reached : Reach{0, 0, 0}, w.stride_w,
                              panel + (static_cast<std::size_t>(ky) * w.kernel_w + kx) * tap_size);
            }
        }
    }
}

template <std::uint32_t R>
[[gnu::noinline]] void conv_tile_int8(const PackedWeight* w, const std::int32_t* bias, const Staged* panel,
                                      std::size_t groups, std::int32_t* tile) {
    IntVector sums[R][kVectors];
    AUGUR_UNROLL
    for (std::uint32_t r = 0; r < R; ++r) {
        AUGUR_UNROLL
        for (std::uint32_t v = 0; v < kVectors; ++v)
            sums[r][v] = bias[r] - IntVector{};
    }
    for (std::size_t g = 0; g < groups; ++g) {
        IntVector numbers[kVectors];
        AUGUR_UNROLL
        for (std::uint32_t v = 0; v < kVectors; ++v) {
            numbers[v] = load_groups(panel + (g * kPanel + v * kLanes) * kGroup);
            hold(numbers[v]);
        }
        AUGUR_UNROLL
        for (std::uint32_t r = 0; r < R; ++r) {
            const IntVector weights = broadcast_group(w + (g * kHeight + r) * kGroup);
            AUGUR_UNROLL
            for (std::uint32_t v = 0; v < kVectors; ++v)
                sums[r][v] = add_products(sums[r][v], numbers[v], weights);
        }
    }
    AUGUR_UNROLL
    for (std::uint32_t r = 0; r < R; ++r) {
        AUGUR_UNROLL
        for (std::uint32_t v = 0; v < kVectors; ++v)
            store_ints(tile + r * kPanel + v * kLanes, sums[r][v]);
    }
}

template <std::uint32_t R>
void conv_tile_of_int8(std::uint32_t rows, const PackedWeight* w, const std::int32_t* bias, const Staged* panel,
                       std::size_t groups, std::int32_t* tile) {
    if (rows == R) return conv_tile_int8<R>(w, bias, panel, groups, tile);
    if constexpr (R > 1) conv_tile_of_int8<R - 1>(rows, w, bias, panel, groups, tile);
}

void conv_planes_int8(const ConvCall8& call, const ConvShape& shape) {
    const core::NetworkWindow& w = *call.window;
    const auto* weights = static_cast<const std::int8_t*>(call.packed);
    auto* sums = static_cast<std::int32_t*>(call.workspace);
    const auto step = static_cast<std::int32_t>(w.stride_w);
    for (std::uint32_t row = 0; row < call.rows; ++row) {
        for (std::uint32_t o = 0; o < w.out_channels; ++o) {
            const std::int8_t* in =
                call.in + (static_cast<std::size_t>(row) * w.channels + o / shape.out_group) * shape.in_plane;
            const std::int8_t* taps = weights + o * shape.taps;
            for (std::uint32_t y = 0; y < w.out_height; ++y) {
                for (std::uint32_t x = 0; x < w.out_width; ++x)
                    sums[x] = call.bias[o];
                for (std::uint32_t ky = 0; ky < w.kernel_h; ++ky) {
                    const auto from = static_cast<std::int32_t>(y * w.stride_h + ky * w.dilation_h) - w.pad_top;
                    if (from < 0 || from >= static_cast<std::int32_t>(w.height)) continue;
                    const std::int8_t* line = in + static_cast<std::size_t>(from) * w.width;
                    for (std::uint32_t kx = 0; kx < w.kernel_w; ++kx) {
                        const Reach reached = reach(w, {0, w.out_width, 0, 0, 0}, kx);
                        const std::int32_t tap = taps[ky * w.kernel_w + kx];
                        for (std::uint32_t x = reached.low; x < reached.high; ++x)
                            sums[x] += tap * line[reached.start + static_cast<std::int32_t>(x) * step];
                    }
                }
                finish_sums<0>(call.end, sums, w.out_width, o,
                               (static_cast<std::size_t>(row) * w.out_channels + o) * shape.out_plane +
                                   static_cast<std::size_t>(y) * w.out_width);
            }
        }
    }
}

void conv_int8(const ConvCall8& call) {
    const core::NetworkWindow& w = *call.window;
    const ConvShape shape(w);
    if (by_planes(shape)) return conv_planes_int8(call, shape);
    const std::size_t outputs = call.rows * shape.out_plane;
    const std::uint32_t together = panels_together_int8(w, shape);
    const std::size_t groups = tap_groups(w, shape);
    const std::size_t panel_size = groups * kPanel * kGroup;
    auto* panels = static_cast<Staged*>(call.workspace);
    Segment segments[8][kPanel];
    std::uint32_t segment_counts[8];
    alignas(64) std::int32_t tile[kHeight * kPanel];
    for (std::uint32_t g = 0; g < w.groups; ++g) {
        const PackedWeight* packed =
            static_cast<const PackedWeight*>(call.packed) + g * round_up(shape.out_group, kHeight) * groups * kGroup;
        for (std::size_t first = 0; first < outputs; first += static_cast<std::size_t>(together) * kPanel) {
            std::uint32_t count = 0;
            for (std::size_t at = first; at < outputs && count < together; at += kPanel, ++count) {
                const std::size_t last = outputs - at < kPanel ? outputs : at + kPanel;
                segment_counts[count] = split(w, shape.out_plane, at, last, segments[count]);
                gather_panel_int8(call, shape, g, segments[count], segment_counts[count], panels + count * panel_size);
            }
            for (std::uint32_t o = 0; o < shape.out_group; o += kHeight) {
                const std::uint32_t channel = g * shape.out_group + o;
                const std::uint32_t channels = shape.out_group - o < kHeight ? shape.out_group - o : kHeight;
                for (std::uint32_t p = 0; p < count; ++p) {
                    conv_tile_of_int8<kHeight>(channels, packed + o * groups * kGroup, call.bias + channel,
                                               panels + p * panel_size, groups, tile);
                    for (std::uint32_t s = 0; s < segment_counts[p]; ++s) {
                        Segment segment = segments[p][s];
                        while (s + 1 < segment_counts[p] && segments[p][s + 1].row == segment.row)
                            segment.count += segments[p][++s].count;
                        for (std::uint32_t c = 0; c < channels; ++c)
                            finish_sums<0>(call.end, tile + c * kPanel + segment.lane, segment.count, channel + c,
                                           (static_cast<std::size_t>(segment.row) * w.out_channels + channel + c) *
                                                   shape.out_plane +
                                               static_cast<std::size_t>(segment.y) * w.out_width + segment.x);
                    }
                }
            }
        }
    }
}
