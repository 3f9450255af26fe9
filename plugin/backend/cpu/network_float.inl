// Dense layers and convolutions over floats. Every output is one chain of multiply-adds over k ascending that starts
// with the bias, however rows and columns are grouped, so a row's results do not depend on the rows beside it.

constexpr std::uint32_t kVectors = 2;  // of a panel
constexpr std::uint32_t kPanel = kVectors * kLanes;
#if defined(__AVX512F__)
constexpr std::uint32_t kHeight = 8;  // rows, or output channels, computed together: sums fill the registers
#elif defined(__AVX2__) && defined(__FMA__)
constexpr std::uint32_t kHeight = 6;
#else
constexpr std::uint32_t kHeight = 4;
#endif

constexpr std::size_t round_up(std::size_t x, std::size_t unit) {
    return (x + unit - 1) / unit * unit;
}

// ---- dense

std::size_t dense_floats(std::uint32_t k, std::uint32_t n) {
    return round_up(n, kPanel) * k;
}

void pack_dense(const float* weights, std::uint32_t k, std::uint32_t n, float* packed) {
    for (std::uint32_t first = 0; first < n; first += kPanel)
        for (std::uint32_t i = 0; i < k; ++i)
            for (std::uint32_t lane = 0; lane < kPanel; ++lane)
                *packed++ = first + lane < n ? weights[static_cast<std::size_t>(i) * n + first + lane] : 0.0f;
}

// Rows R by panels P of V vectors, from column first. Not inlined, here and below: what the caller keeps in registers
// would drive sums out of them.
template <std::uint32_t R, std::uint32_t P, std::uint32_t V>
[[gnu::noinline]] void dense_tile(const DenseCall& call, std::uint32_t row, std::uint32_t first) {
    const std::size_t k = call.k;
    const float* in = call.in + row * k;
    const float* w = call.packed + first * k;
    Vector sums[R][P * V];
    AUGUR_UNROLL
    for (std::uint32_t p = 0; p < P; ++p) {
        AUGUR_UNROLL
        for (std::uint32_t v = 0; v < V; ++v) {
            const Vector bias = load(call.bias + first + p * kPanel + v * kLanes);
            AUGUR_UNROLL
            for (std::uint32_t r = 0; r < R; ++r)
                sums[r][p * V + v] = bias;
        }
    }
    for (std::size_t i = 0; i < k; ++i) {
        Vector columns[P * V];
        AUGUR_UNROLL
        for (std::uint32_t p = 0; p < P; ++p) {
            AUGUR_UNROLL
            for (std::uint32_t v = 0; v < V; ++v) {
                columns[p * V + v] = load(w + (p * k + i) * kPanel + v * kLanes);
                if (R > 1) hold(columns[p * V + v]);
            }
        }
        // One number of each row at a time: sums and columns leave room in the registers for no more.
        AUGUR_UNROLL
        for (std::uint32_t r = 0; r < R; ++r) {
            const Vector x = broadcast(in[r * k + i]);
            AUGUR_UNROLL
            for (std::uint32_t v = 0; v < P * V; ++v)
                sums[r][v] = multiply_add(x, columns[v], sums[r][v]);
        }
    }
    const Vector low = broadcast(call.end.low);
    const Vector high = broadcast(call.end.high);
    AUGUR_UNROLL
    for (std::uint32_t p = 0; p < P; ++p) {
        AUGUR_UNROLL
        for (std::uint32_t v = 0; v < V; ++v) {
            const std::uint32_t column = first + p * kPanel + v * kLanes;
            AUGUR_UNROLL
            for (std::uint32_t r = 0; r < R; ++r) {
                const std::size_t at = static_cast<std::size_t>(row + r) * call.n + column;
                Vector y = sums[r][p * V + v];
                if (column + kLanes <= call.n) {
                    if (call.end.residual != nullptr) y += load(call.end.residual + at);
                    store(call.out + at, limit(y, low, high));
                } else if (column < call.n) {
                    float lanes[kLanes] = {};
                    if (call.end.residual != nullptr)
                        for (std::uint32_t lane = 0; column + lane < call.n; ++lane)
                            lanes[lane] = call.end.residual[at + lane];
                    if (call.end.residual != nullptr) y += load(lanes);
                    store(lanes, limit(y, low, high));
                    for (std::uint32_t lane = 0; column + lane < call.n; ++lane)
                        call.out[at + lane] = lanes[lane];
                }
            }
        }
    }
}

// R rows, all columns: as many panels at once as leave the sums in registers.
template <std::uint32_t R>
void dense_rows(const DenseCall& call, std::uint32_t row) {
    constexpr std::uint32_t kPanels = R * 4 <= kHeight ? 4 : (R * 2 <= kHeight ? 2 : 1);
    std::uint32_t first = 0;
    for (; first + (kPanels - 1) * kPanel + kLanes < call.n; first += kPanels * kPanel)
        dense_tile<R, kPanels, kVectors>(call, row, first);
    for (; first + kLanes < call.n; first += kPanel)
        dense_tile<R, 1, kVectors>(call, row, first);
    if (first < call.n) dense_tile<R, 1, 1>(call, row, first);
}

template <std::uint32_t R>
void dense_rest(const DenseCall& call, std::uint32_t row, std::uint32_t rest) {
    if (rest == R) return dense_rows<R>(call, row);
    if constexpr (R > 1) dense_rest<R - 1>(call, row, rest);
}

void dense(const DenseCall& call) {
    std::uint32_t row = 0;
    for (; row + kHeight <= call.m; row += kHeight)
        dense_rows<kHeight>(call, row);
    if (row < call.m) dense_rest<kHeight - 1>(call, row, call.m - row);
}

// ---- convolutions

// Neighbouring outputs of one output row: lanes first .. first+count-1 of a panel.
struct Segment {
    std::uint32_t lane, count;
    std::uint32_t row, y, x;
};

constexpr std::uint32_t kMostPanels = 8;  // gathered together

struct ConvShape {
    std::uint32_t in_group, out_group;
    std::size_t taps;  // of one output channel: K
    std::size_t in_plane, out_plane;
    explicit ConvShape(const core::NetworkWindow& w)
        : in_group(w.channels / w.groups),
          out_group(w.out_channels / w.groups),
          taps(static_cast<std::size_t>(in_group) * w.kernel_h * w.kernel_w),
          in_plane(static_cast<std::size_t>(w.height) * w.width),
          out_plane(static_cast<std::size_t>(w.out_height) * w.out_width) {}
};

// Whether too few outputs share what a panel gathers for panels to pay (depthwise convolutions).
bool by_planes(const ConvShape& shape) {
    return shape.in_group == 1 && shape.out_group <= 2;
}

std::size_t conv_floats(const core::NetworkWindow& w) {
    const ConvShape shape(w);
    if (by_planes(shape)) return w.out_channels * shape.taps;
    return w.groups * round_up(shape.out_group, kHeight) * shape.taps;
}

void pack_conv(const float* weights, const core::NetworkWindow& w, float* packed) {
    const ConvShape shape(w);
    if (by_planes(shape)) {
        std::memcpy(packed, weights, w.out_channels * shape.taps * sizeof(float));
        return;
    }
    for (std::uint32_t g = 0; g < w.groups; ++g)
        for (std::uint32_t first = 0; first < shape.out_group; first += kHeight)
            for (std::size_t k = 0; k < shape.taps; ++k)
                for (std::uint32_t o = first; o < first + kHeight; ++o)
                    *packed++ = o < shape.out_group
                                    ? weights[(static_cast<std::size_t>(g) * shape.out_group + o) * shape.taps + k]
                                    : 0.0f;
}

// How a convolution's sums are cut so that a core's caches hold what is used again: channels by channels, and as many
// panels at once as weights are worth reading for. Sums that are not finished wait in the workspace.
struct ConvBlocks {
    std::uint32_t channels;  // of the input, at a time
    std::uint32_t panels;
    std::size_t panel_floats, partial_floats;

    ConvBlocks(const core::NetworkWindow& w, const ConvShape& shape) {
        constexpr std::size_t kTaps = 640;
        constexpr std::size_t kGathered = 320 * 1024 / sizeof(float);
        const std::size_t window = static_cast<std::size_t>(w.kernel_h) * w.kernel_w;
        const std::size_t blocks = (shape.taps + kTaps - 1) / kTaps;
        channels = static_cast<std::uint32_t>((shape.in_group + blocks - 1) / blocks);
        panel_floats = channels * window * kPanel;
        const std::size_t fit = kGathered / panel_floats;
        panels = static_cast<std::uint32_t>(fit < 1 ? 1 : (fit > kMostPanels ? kMostPanels : fit));
        partial_floats = channels < shape.in_group ? round_up(shape.out_group, kHeight) * panels * kPanel : 0;
    }
    std::size_t bytes() const { return (panels * panel_floats + partial_floats) * sizeof(float); }
};

std::size_t conv_workspace(const core::NetworkWindow& w) {
    const ConvShape shape(w);
    return by_planes(shape) ? 0 : ConvBlocks(w, shape).bytes();
}

// Outputs first .. first + kPanel-1 of all rows' output planes laid end to end. Returns the number of segments.
std::uint32_t split(const core::NetworkWindow& w, std::size_t out_plane, std::size_t first, std::size_t last,
                    Segment* segments) {
    std::uint32_t count = 0;
    for (std::size_t at = first; at < last;) {
        const auto pixel = static_cast<std::uint32_t>(at % out_plane);
        Segment& segment = segments[count++];
        segment.lane = static_cast<std::uint32_t>(at - first);
        segment.row = static_cast<std::uint32_t>(at / out_plane);
        segment.y = pixel / w.out_width;
        segment.x = pixel % w.out_width;
        const std::size_t rest = w.out_width - segment.x;
        segment.count = static_cast<std::uint32_t>(rest < last - at ? rest : last - at);
        at += segment.count;
    }
    return count;
}

// Which lanes of a segment lie inside the input for one kernel column: lanes low .. high-1 read from source + lane *
// step on.
struct Reach {
    std::int32_t start;  // input column of lane 0
    std::uint32_t low, high;
};

Reach reach(const core::NetworkWindow& w, const Segment& segment, std::uint32_t kx) {
    const auto step = static_cast<std::int32_t>(w.stride_w);
    const auto start = static_cast<std::int32_t>(segment.x) * step - w.pad_left +
                       static_cast<std::int32_t>(kx) * static_cast<std::int32_t>(w.dilation_w);
    const auto width = static_cast<std::int32_t>(w.width);
    const auto count = static_cast<std::int32_t>(segment.count);
    std::int32_t low = start < 0 ? (-start + step - 1) / step : 0;
    std::int32_t high = start < width ? (width - 1 - start) / step + 1 : 0;
    high = high > count ? count : high;
    low = low > high ? high : low;
    return {start, static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(high)};
}

// Writes a segment's lanes of one tap for every channel: planes lie in_plane apart, panel rows tap_stride apart.
void gather_taps(const float* plane, std::size_t in_plane, float* to, std::size_t tap_stride, std::uint32_t channels,
                 const Segment& segment, const Reach& reached, std::uint32_t step) {
#if defined(__AVX512F__)
    if (step <= 2) {
        // By masks: lanes of the segment that lie outside of the input become zeros, other segments' lanes stay.
        static_assert(kPanel == 32);
        const auto bits = [](std::uint32_t n) { return n >= 32 ? 0xffffffffu : (1u << n) - 1u; };
        const std::uint32_t whole = bits(segment.count);
        const std::uint32_t inside = bits(reached.high) & ~bits(reached.low);
        const auto spread = [](std::uint32_t half) { return _pdep_u32(half, 0x55555555u); };  // every second one
        const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
        for (std::uint32_t half = 0; half * kLanes < segment.count; ++half) {
            const auto write = static_cast<__mmask16>(whole >> (half * kLanes));
            const std::uint32_t read = (inside >> (half * kLanes)) & 0xffffu;
            // The address may lie outside of the plane; only lanes of the mask are touched.
            const float* from = plane + (reached.start + static_cast<std::ptrdiff_t>(half * kLanes * step));
            float* lanes = to + segment.lane + half * kLanes;
            if (step == 1) {
                for (std::uint32_t c = 0; c < channels; ++c) {
                    const float* p = from + c * in_plane;
                    _mm512_mask_storeu_ps(lanes + c * tap_stride, write,
                                          _mm512_maskz_loadu_ps(static_cast<__mmask16>(read), p));
                }
            } else {
                const std::uint32_t pairs = spread(read);
                for (std::uint32_t c = 0; c < channels; ++c) {
                    const float* p = from + c * in_plane;
                    const __m512 x = _mm512_maskz_loadu_ps(static_cast<__mmask16>(pairs & 0xffffu), p);
                    const __m512 y = _mm512_maskz_loadu_ps(static_cast<__mmask16>(pairs >> 16), p + kLanes);
                    _mm512_mask_storeu_ps(lanes + c * tap_stride, write, _mm512_permutex2var_ps(x, even, y));
                }
            }
        }
        return;
    }
#elif defined(__AVX2__)
    if (step <= 2) {
        // The same with masks that are vectors.
        const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        const auto within = [](__m256i x, std::uint32_t low, std::uint32_t high) {
            return _mm256_and_si256(_mm256_cmpgt_epi32(x, _mm256_set1_epi32(static_cast<std::int32_t>(low) - 1)),
                                    _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<std::int32_t>(high)), x));
        };
        // For every second number: the lane it goes to in even places, none in odd ones.
        const __m256i even_low = _mm256_setr_epi32(0, -1, 1, -1, 2, -1, 3, -1);
        const __m256i even_high = _mm256_setr_epi32(4, -1, 5, -1, 6, -1, 7, -1);
        for (std::uint32_t first = 0; first < segment.count; first += kLanes) {
            const std::uint32_t low = reached.low > first ? reached.low - first : 0;
            const std::uint32_t high = reached.high > first ? reached.high - first : 0;
            const __m256i write = within(lane, 0, segment.count - first);
            const float* from = plane + (reached.start + static_cast<std::ptrdiff_t>(first * step));
            float* lanes = to + segment.lane + first;
            if (step == 1) {
                const __m256i read = within(lane, low, high);
                for (std::uint32_t c = 0; c < channels; ++c) {
                    const float* p = from + c * in_plane;
                    _mm256_maskstore_ps(lanes + c * tap_stride, write, _mm256_maskload_ps(p, read));
                }
            } else {
                const __m256i read_x = within(even_low, low, high);
                const __m256i read_y = within(even_high, low, high);
                for (std::uint32_t c = 0; c < channels; ++c) {
                    const float* p = from + c * in_plane;
                    const __m256 x = _mm256_maskload_ps(p, read_x);
                    const __m256 y = _mm256_maskload_ps(p + kLanes, read_y);
                    const __m256d pairs = _mm256_castps_pd(_mm256_shuffle_ps(x, y, 0x88));
                    _mm256_maskstore_ps(lanes + c * tap_stride, write,
                                        _mm256_castpd_ps(_mm256_permute4x64_pd(pairs, 0xd8)));
                }
            }
        }
        return;
    }
#endif
    for (std::uint32_t c = 0; c < channels; ++c) {
        float* lanes = to + c * tap_stride + segment.lane;
        const float* from = plane + c * in_plane;
        for (std::uint32_t lane = 0; lane < reached.low; ++lane)
            lanes[lane] = 0.0f;
        if (step == 1) {
            for (std::uint32_t lane = reached.low; lane < reached.high; ++lane)
                lanes[lane] = from[reached.start + static_cast<std::int32_t>(lane)];
        } else {
            for (std::uint32_t lane = reached.low; lane < reached.high; ++lane)
                lanes[lane] = from[reached.start + static_cast<std::int32_t>(lane * step)];
        }
        for (std::uint32_t lane = reached.high; lane < segment.count; ++lane)
            lanes[lane] = 0.0f;
    }
}

// What the outputs of a panel read in `channels` channels from first on, [channels][kh][kw][kPanel].
void gather_panel(const ConvCall& call, const ConvShape& shape, std::uint32_t first, std::uint32_t channels,
                  const Segment* segments, std::uint32_t segment_count, float* panel) {
    const core::NetworkWindow& w = *call.window;
    const std::size_t tap_stride = static_cast<std::size_t>(w.kernel_h) * w.kernel_w * kPanel;
    const Segment& end = segments[segment_count - 1];
    if (end.lane + end.count < kPanel)  // the last panel: lanes of no output
        std::memset(panel, 0, channels * tap_stride * sizeof(float));
    for (std::uint32_t s = 0; s < segment_count; ++s) {
        const Segment& segment = segments[s];
        const float* in = call.in + (static_cast<std::size_t>(segment.row) * w.channels + first) * shape.in_plane;
        for (std::uint32_t kx = 0; kx < w.kernel_w; ++kx) {
            const Reach reached = reach(w, segment, kx);
            for (std::uint32_t ky = 0; ky < w.kernel_h; ++ky) {
                const auto y = static_cast<std::int32_t>(segment.y * w.stride_h + ky * w.dilation_h) - w.pad_top;
                const bool inside = y >= 0 && y < static_cast<std::int32_t>(w.height);
                const Reach lanes = inside ? reached : Reach{0, 0, 0};
                gather_taps(in + (inside ? static_cast<std::size_t>(y) * w.width : 0), shape.in_plane,
                            panel + (static_cast<std::size_t>(ky) * w.kernel_w + kx) * kPanel, tap_stride, channels,
                            segment, lanes, w.stride_w);
            }
        }
    }
}

// R output channels of one panel: adds `taps` products to what is in tile [R][kPanel], or to the bias where it is
// given.
template <std::uint32_t R>
[[gnu::noinline]] void conv_tile(const float* w, const float* bias, const float* panel, std::size_t taps, float* tile) {
    Vector sums[R][kVectors];
    AUGUR_UNROLL
    for (std::uint32_t r = 0; r < R; ++r) {
        AUGUR_UNROLL
        for (std::uint32_t v = 0; v < kVectors; ++v)
            sums[r][v] = bias != nullptr ? broadcast(bias[r]) : load(tile + r * kPanel + v * kLanes);
    }
    for (std::size_t k = 0; k < taps; ++k) {
        Vector x[kVectors];
        AUGUR_UNROLL
        for (std::uint32_t v = 0; v < kVectors; ++v) {
            x[v] = load(panel + k * kPanel + v * kLanes);
            hold(x[v]);
        }
        AUGUR_UNROLL
        for (std::uint32_t r = 0; r < R; ++r) {
            const Vector weight = broadcast(w[k * kHeight + r]);
            AUGUR_UNROLL
            for (std::uint32_t v = 0; v < kVectors; ++v)
                sums[r][v] = multiply_add(weight, x[v], sums[r][v]);
        }
    }
    AUGUR_UNROLL
    for (std::uint32_t r = 0; r < R; ++r) {
        AUGUR_UNROLL
        for (std::uint32_t v = 0; v < kVectors; ++v)
            store(tile + r * kPanel + v * kLanes, sums[r][v]);
    }
}

template <std::uint32_t R>
void conv_tile_of(std::uint32_t rows, const float* w, const float* bias, const float* panel, std::size_t taps,
                  float* tile) {
    if (rows == R) return conv_tile<R>(w, bias, panel, taps, tile);
    if constexpr (R > 1) conv_tile_of<R - 1>(rows, w, bias, panel, taps, tile);
}

// A tile's lanes to their places in the output.
void finish_tile(const ConvCall& call, const ConvShape& shape, std::uint32_t channel, std::uint32_t channels,
                 const Segment* segments, std::uint32_t segment_count, const float* tile) {
    const core::NetworkWindow& w = *call.window;
    const float low = call.end.low;
    const float high = call.end.high;
    for (std::uint32_t s = 0; s < segment_count; ++s) {
        // Rows of an output plane lie end to end, so neighbouring segments of one batch row are one.
        Segment segment = segments[s];
        while (s + 1 < segment_count && segments[s + 1].row == segment.row)
            segment.count += segments[++s].count;
        for (std::uint32_t c = 0; c < channels; ++c) {
            const std::size_t at =
                (static_cast<std::size_t>(segment.row) * w.out_channels + channel + c) * shape.out_plane +
                static_cast<std::size_t>(segment.y) * w.out_width + segment.x;
            const float* lanes = tile + c * kPanel + segment.lane;
            float* out = call.out + at;
            if (segment.count == kPanel) {
                for (std::uint32_t v = 0; v < kPanel; v += kLanes) {
                    Vector y = load(lanes + v);
                    if (call.end.residual != nullptr) y += load(call.end.residual + at + v);
                    store(out + v, limit(y, broadcast(low), broadcast(high)));
                }
                continue;
            }
            for (std::uint32_t lane = 0; lane < segment.count; ++lane) {
                const float y = call.end.residual != nullptr ? lanes[lane] + call.end.residual[at + lane] : lanes[lane];
                const float z = y < low ? low : y;
                out[lane] = z > high ? high : z;
            }
        }
    }
}

// One input channel for each output channel: taps are added plane by plane.
void conv_planes(const ConvCall& call, const ConvShape& shape) {
    const core::NetworkWindow& w = *call.window;
    for (std::uint32_t row = 0; row < call.rows; ++row) {
        for (std::uint32_t o = 0; o < w.out_channels; ++o) {
            const float* in =
                call.in + (static_cast<std::size_t>(row) * w.channels + o / shape.out_group) * shape.in_plane;
            const std::size_t to = (static_cast<std::size_t>(row) * w.out_channels + o) * shape.out_plane;
            const float* taps = call.packed + o * shape.taps;
            for (std::uint32_t y = 0; y < w.out_height; ++y) {
                float* out = call.out + to + static_cast<std::size_t>(y) * w.out_width;
                for (std::uint32_t x = 0; x < w.out_width; ++x)
                    out[x] = call.bias[o];
                for (std::uint32_t ky = 0; ky < w.kernel_h; ++ky) {
                    const auto from = static_cast<std::int32_t>(y * w.stride_h + ky * w.dilation_h) - w.pad_top;
                    if (from < 0 || from >= static_cast<std::int32_t>(w.height)) continue;
                    const float* line = in + static_cast<std::size_t>(from) * w.width;
                    for (std::uint32_t kx = 0; kx < w.kernel_w; ++kx) {
                        const Reach reached = reach(w, {0, w.out_width, 0, 0, 0}, kx);
                        const float tap = taps[ky * w.kernel_w + kx];
                        const std::int32_t step = static_cast<std::int32_t>(w.stride_w);
                        for (std::uint32_t x = reached.low; x < reached.high; ++x)
                            out[x] = out[x] + tap * line[reached.start + static_cast<std::int32_t>(x) * step];
                    }
                }
                const float* residual = call.end.residual;
                for (std::uint32_t x = 0; x < w.out_width; ++x) {
                    const std::size_t at = static_cast<std::size_t>(y) * w.out_width + x;
                    const float sum = residual != nullptr ? out[x] + residual[to + at] : out[x];
                    const float z = sum < call.end.low ? call.end.low : sum;
                    out[x] = z > call.end.high ? call.end.high : z;
                }
            }
        }
    }
}

// All output channels of a group for a few panels, one block of input channels after the other.
void conv_panels(const ConvCall& call, const ConvShape& shape, const ConvBlocks& blocks, std::uint32_t group,
                 std::size_t first, std::size_t last) {
    const core::NetworkWindow& w = *call.window;
    const std::size_t window = static_cast<std::size_t>(w.kernel_h) * w.kernel_w;
    const float* packed = call.packed + group * round_up(shape.out_group, kHeight) * shape.taps;
    float* partial = call.workspace + blocks.panels * blocks.panel_floats;
    Segment segments[kMostPanels][kPanel];
    std::uint32_t segment_counts[kMostPanels];
    alignas(64) float finished[kHeight * kPanel];
    std::uint32_t panels = 0;
    for (std::size_t at = first; at < last; at += kPanel, ++panels)
        segment_counts[panels] =
            split(w, shape.out_plane, at, last - at < kPanel ? last : at + kPanel, segments[panels]);
    for (std::uint32_t c = 0; c < shape.in_group; c += blocks.channels) {
        const std::uint32_t channels = shape.in_group - c < blocks.channels ? shape.in_group - c : blocks.channels;
        for (std::uint32_t p = 0; p < panels; ++p)
            gather_panel(call, shape, group * shape.in_group + c, channels, segments[p], segment_counts[p],
                         call.workspace + p * blocks.panel_floats);
        const bool is_last = c + channels == shape.in_group;
        for (std::uint32_t o = 0; o < shape.out_group; o += kHeight) {
            const std::uint32_t channel = group * shape.out_group + o;
            const std::uint32_t height = shape.out_group - o < kHeight ? shape.out_group - o : kHeight;
            for (std::uint32_t p = 0; p < panels; ++p) {
                float* tile = blocks.partial_floats == 0
                                  ? finished
                                  : partial + (static_cast<std::size_t>(o) * blocks.panels + p * kHeight) * kPanel;
                conv_tile_of<kHeight>(height, packed + o * shape.taps + c * window * kHeight,
                                      c == 0 ? call.bias + channel : nullptr, call.workspace + p * blocks.panel_floats,
                                      channels * window, tile);
                if (is_last) finish_tile(call, shape, channel, height, segments[p], segment_counts[p], tile);
            }
        }
    }
}

void conv(const ConvCall& call) {
    const ConvShape shape(*call.window);
    if (by_planes(shape)) return conv_planes(call, shape);
    const ConvBlocks blocks(*call.window, shape);
    const std::size_t outputs = call.rows * shape.out_plane;
    const std::size_t together = static_cast<std::size_t>(blocks.panels) * kPanel;
    for (std::uint32_t g = 0; g < call.window->groups; ++g)
        for (std::size_t first = 0; first < outputs; first += together)
            conv_panels(call, shape, blocks, g, first, outputs - first < together ? outputs : first + together);
}
