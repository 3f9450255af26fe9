#include "model/shapes.h"

#include <algorithm>

namespace augur::model {

std::string shown_dims(const Dims& dims, bool batched) {
    std::string text = batched ? "[batch" : "[";
    for (std::size_t i = 0; i < dims.size(); ++i)
        text += (i > 0 || batched ? ", " : "") + std::to_string(dims[i]);
    return text + "]";
}

std::uint64_t product(const Dims& dims) {
    constexpr std::uint64_t kMost = 1ull << 63;
    if (std::find(dims.begin(), dims.end(), 0u) != dims.end()) return 0;
    std::uint64_t count = 1;
    for (const std::uint32_t dim : dims) {
        if (count > kMost / dim) return kMost;
        count *= dim;
    }
    return count;
}

std::vector<std::uint32_t> strides_of(const Dims& dims) {
    std::vector<std::uint32_t> strides(dims.size());
    std::uint32_t stride = 1;
    for (std::size_t d = dims.size(); d-- > 0;) {
        strides[d] = stride;
        stride *= dims[d];
    }
    return strides;
}

std::optional<Dims> broadcast(const Dims& a, const Dims& b) {
    Dims out(std::max(a.size(), b.size()));
    for (std::size_t i = 1; i <= out.size(); ++i) {
        const std::uint32_t x = i <= a.size() ? a[a.size() - i] : 1;
        const std::uint32_t y = i <= b.size() ? b[b.size() - i] : 1;
        if (x != y && x != 1 && y != 1) return std::nullopt;
        out[out.size() - i] = x == 1 ? y : x;
    }
    return out;
}

std::vector<std::uint32_t> broadcast_strides(const Dims& from, const Dims& to) {
    std::vector<std::uint32_t> strides(to.size(), 0);
    std::uint32_t stride = 1;
    for (std::size_t i = 1; i <= from.size(); ++i) {
        const std::uint32_t dim = from[from.size() - i];
        strides[to.size() - i] = dim == 1 ? 0 : stride;
        stride *= dim;
    }
    return strides;
}

bool place_window(WindowLine& line, AutoPad pad, bool ceil_mode) {
    const std::int64_t extent = (line.kernel - 1) * line.dilation + 1;
    if (pad == AutoPad::same_upper || pad == AutoPad::same_lower) {
        line.out = (line.in + line.stride - 1) / line.stride;
        const std::int64_t pads = std::max<std::int64_t>((line.out - 1) * line.stride + extent - line.in, 0);
        line.pad_begin = pad == AutoPad::same_upper ? pads / 2 : pads - pads / 2;
        line.pad_end = pads - line.pad_begin;
        return true;
    }
    if (pad == AutoPad::valid) line.pad_begin = line.pad_end = 0;
    const std::int64_t room = line.in + line.pad_begin + line.pad_end - extent;
    if (room < 0) return false;
    line.out = (room + (ceil_mode ? line.stride - 1 : 0)) / line.stride + 1;
    if (ceil_mode) line.out = std::min(line.out, (line.in + line.pad_begin - 1) / line.stride + 1);
    return line.out > 0;
}

bool covers_input(const WindowLine& line) {
    const auto covers = [&line](std::int64_t o) {
        const std::int64_t begin = o * line.stride - line.pad_begin;
        // The first tap that is not before the input.
        const std::int64_t skipped = begin >= 0 ? 0 : (-begin + line.dilation - 1) / line.dilation;
        return skipped < line.kernel && begin + skipped * line.dilation < line.in;
    };
    if (!covers(0) || !covers(line.out - 1)) return false;
    // Windows that begin before the input may step over it whole.
    for (std::int64_t o = 1; line.dilation > line.in && o < line.out && o * line.stride < line.pad_begin; ++o)
        if (!covers(o)) return false;
    return true;
}

SliceLine place_slice(std::int64_t dim, std::int64_t start, std::int64_t end, std::int64_t step) {
    // dim is below 2^31, so none of these sums passes int64.
    const auto from_back = [dim](std::int64_t x) { return x < 0 ? x + dim : x; };
    const std::int64_t low = 0, back = step < 0 ? -1 : 0, high = step < 0 ? dim - 1 : dim;
    SliceLine line;
    line.step = step;
    line.first = std::clamp(from_back(start), low, std::max(high, low));
    const std::int64_t last = std::clamp(from_back(end), back, std::max(high, back));
    if (step > 0) {
        line.count = last > line.first ? (last - line.first - 1) / step + 1 : 0;
    } else {
        line.count = last < line.first && dim > 0 ? (line.first - last - 1) / -step + 1 : 0;
    }
    return line;
}

}  // namespace augur::model
