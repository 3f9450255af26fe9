// Operators that move numbers: each is a table that says where every element of the result comes from.

#include <algorithm>
#include <cmath>

#include "model/operators.h"

namespace augur::model {
namespace {

// Builds a map of an output row: place(indices) is the element of the input that comes there, or negative.
template <class Place>
std::vector<std::int32_t> map_of(Node& node, const Dims& row, Place place) {
    const std::uint64_t count = checked_count(row, node.graph().limits.tensor_elements, "the result of " + node.name());
    node.graph().charge(count);
    std::vector<std::int32_t> map;
    map.reserve(count);
    std::vector<std::uint32_t> at(row.size(), 0);
    for (std::uint64_t i = 0; i < count; ++i) {
        map.push_back(static_cast<std::int32_t>(place(at)));
        for (std::size_t d = row.size(); d-- > 0;) {
            if (++at[d] < row[d]) break;
            at[d] = 0;
        }
    }
    return map;
}

// Where each index along each dimension of the output comes from; negative: filled up.
using Lines = std::vector<std::vector<std::int32_t>>;

Value gathered(Node& node, const Value& value, const Lines& lines, float fill) {
    const std::vector<std::uint32_t> strides = strides_of(value.row);
    Dims row;
    for (const std::vector<std::int32_t>& line : lines)
        row.push_back(static_cast<std::uint32_t>(line.size()));
    std::vector<std::int32_t> map = map_of(node, row, [&](const std::vector<std::uint32_t>& at) {
        std::int64_t from = 0;
        for (std::size_t d = 0; d < at.size(); ++d) {
            const std::int32_t index = lines[d][at[d]];
            if (index < 0) return std::int64_t{-1};
            from += static_cast<std::int64_t>(index) * strides[d];
        }
        return from;
    });
    return node.rearranged(value, row, std::move(map), fill);
}

std::vector<std::int32_t> whole_line(Node& node, std::uint32_t size) {
    node.graph().charge(size);
    std::vector<std::int32_t> line(size);
    for (std::uint32_t i = 0; i < size; ++i)
        line[i] = static_cast<std::int32_t>(i);
    return line;
}

Lines whole_lines(Node& node, const Value& value) {
    Lines lines;
    for (const std::uint32_t dim : value.row)
        lines.push_back(whole_line(node, dim));
    return lines;
}

// Parts of a computed value that lie one behind the other.
Value joined(Node& node, const std::vector<Value>& parts, const Dims& row) {
    std::vector<std::uint32_t> tensors;
    tensors.reserve(parts.size());
    for (const Value& part : parts)
        tensors.push_back(node.tensor_of(part));
    std::uint32_t output = core::kNoTensor;
    std::uint32_t first = 0;
    for (std::size_t p = 0; p < parts.size(); ++p) {
        const auto count = static_cast<std::uint32_t>(product(parts[p].row));
        std::vector<std::int32_t> map = whole_line(node, count);
        DraftStep& step = node.add_part(core::NetworkOp::rearrange, row, output);
        output = step.step.output;
        step.step.inputs[0] = tensors[p];
        step.step.part_first = first;
        step.step.part_count = count;
        step.map = std::make_shared<const std::vector<std::int32_t>>(std::move(map));
        first += count;
    }
    return node.result();
}

Value joined_constants(Node& node, const std::vector<Value>& parts, std::size_t axis, const Dims& row) {
    node.graph().charge(product(row));
    auto out = std::make_shared<Constant>();
    out->dims = row;
    out->kind = parts[0].constant->kind;
    const bool has_batch =
        std::any_of(parts.begin(), parts.end(), [](const Value& part) { return part.constant->has_batch(); });
    std::uint64_t outer = 1, inner = 1;
    for (std::size_t i = 0; i < row.size(); ++i)
        if (i != axis) (i < axis ? outer : inner) *= row[i];
    for (std::uint64_t o = 0; o < outer; ++o)
        for (const Value& part : parts) {
            const std::uint64_t count = part.row[axis] * inner, from = o * count;
            const Constant& in = *part.constant;
            for (std::uint64_t i = from; i < from + count; ++i) {
                if (in.kind == ElementKind::real) {
                    out->reals.push_back(in.reals[i]);
                } else {
                    out->integers.push_back(in.integers[i]);
                    if (has_batch) out->is_batch.push_back(in.has_batch() ? in.is_batch[i] : 0);
                }
            }
        }
    return node.constant(std::move(out));
}

struct SliceParts {
    std::vector<std::int64_t> starts, ends, axes, steps;
    bool last_end_is_batch = false;
};

SliceParts slice_parts(Node& node) {
    SliceParts parts;
    std::optional<std::vector<std::int64_t>> axes, steps;
    if (node.opset() < 10) {
        node.expect(1, 1);
        const auto starts = node.integers("starts"), ends = node.integers("ends");
        if (!starts || !ends) node.invalid("it has no attribute 'starts' or 'ends'");
        parts.starts = *starts;
        parts.ends = *ends;
        axes = node.integers("axes");
    } else {
        node.expect(3, 5);
        parts.starts = node.known_integers(1, "list of starts");
        // A slice of all rows ends where the batch does.
        const Constant& ends = node.known(2, "list of ends");
        if (ends.has_batch() && ends.count() == 1) {
            parts.ends = {0x7fffffff};
            parts.last_end_is_batch = true;
        } else {
            parts.ends = node.known_integers(2, "list of ends");
        }
        if (node.has_input(3)) axes = node.known_integers(3, "list of axes");
        if (node.has_input(4)) steps = node.known_integers(4, "list of steps");
    }
    const std::size_t count = parts.starts.size();
    if (count > kMostRank) node.invalid("it slices more dimensions than there are");
    if (!axes) {
        axes.emplace(count);
        for (std::size_t i = 0; i < count; ++i)
            (*axes)[i] = static_cast<std::int64_t>(i);
    }
    parts.axes = *axes;
    parts.steps = steps.value_or(std::vector<std::int64_t>(count, 1));
    if (parts.ends.size() != count || parts.axes.size() != count || parts.steps.size() != count)
        node.invalid("its starts, ends, axes and steps are not of one length");
    return parts;
}

enum class PadMode { constant, reflect, edge, wrap };

PadMode pad_mode(Node& node) {
    const std::string_view mode = node.text("mode", "constant");
    if (mode == "constant") return PadMode::constant;
    if (mode == "reflect") return PadMode::reflect;
    if (mode == "edge") return PadMode::edge;
    if (mode == "wrap" && node.opset() >= 19) return PadMode::wrap;
    node.unsupported("its attribute 'mode' is " + shown(mode));
}

std::int32_t padded_place(std::int64_t at, std::int64_t dim, PadMode mode) {
    if (at >= 0 && at < dim) return static_cast<std::int32_t>(at);
    switch (mode) {
        case PadMode::constant:
            return -1;
        case PadMode::edge:
            return static_cast<std::int32_t>(at < 0 ? 0 : dim - 1);
        case PadMode::wrap:
            return static_cast<std::int32_t>((at % dim + dim) % dim);
        case PadMode::reflect: {
            // There and back again takes 2 (dim - 1) steps.
            const std::int64_t period = dim > 1 ? 2 * (dim - 1) : 1;
            const std::int64_t place = (at % period + period) % period;
            return static_cast<std::int32_t>(place < dim ? place : period - place);
        }
    }
    return -1;
}

}  // namespace

Value transposed(Node& node, const Value& value, const std::vector<std::size_t>& row_order) {
    const std::vector<std::uint32_t> strides = strides_of(value.row);
    Dims row;
    for (const std::size_t from : row_order)
        row.push_back(value.row[from]);
    std::vector<std::int32_t> map = map_of(node, row, [&](const std::vector<std::uint32_t>& at) {
        std::uint64_t from = 0;
        for (std::size_t d = 0; d < at.size(); ++d)
            from += static_cast<std::uint64_t>(at[d]) * strides[row_order[d]];
        return from;
    });
    if (value.constant != nullptr) node.graph().charge(map.size());
    return node.rearranged(value, row, std::move(map));
}

Value expanded(Node& node, const Value& value, const Dims& row) {
    const std::vector<std::uint32_t> strides = broadcast_strides(value.row, row);
    std::vector<std::int32_t> map = map_of(node, row, [&](const std::vector<std::uint32_t>& at) {
        std::uint64_t from = 0;
        for (std::size_t d = 0; d < at.size(); ++d)
            from += static_cast<std::uint64_t>(at[d]) * strides[d];
        return from;
    });
    return node.rearranged(value, row, std::move(map));
}

void import_transpose(Node& node) {
    node.expect(1, 1);
    const Value value = node.input(0);
    const std::size_t rank = value.rank();
    const std::optional<std::vector<std::int64_t>> given = node.integers("perm");
    std::vector<std::size_t> order(rank);
    for (std::size_t i = 0; i < rank; ++i)
        order[i] = rank - 1 - i;
    if (given) {
        if (given->size() != rank) node.invalid("its attribute 'perm' is not as long as its input has dimensions");
        std::vector<bool> seen(rank, false);
        for (std::size_t i = 0; i < rank; ++i) {
            const std::int64_t from = (*given)[i];
            if (from < 0 || from >= static_cast<std::int64_t>(rank) || seen[static_cast<std::size_t>(from)])
                node.invalid("its attribute 'perm' is no permutation");
            order[i] = static_cast<std::size_t>(from);
            seen[order[i]] = true;
        }
    }
    if (value.batched) {
        if (order[0] != 0) node.mixes("it moves the batch from axis 0");
        order.erase(order.begin());
        for (std::size_t& from : order)
            --from;
    }
    node.output(0, transposed(node, value, order));
}

void import_concat(Node& node) {
    node.expect(1, kMostNodeValues);
    if (!node.has_attribute("axis")) node.invalid("it has no attribute 'axis'");
    const std::int64_t given = node.integer("axis", 0);
    std::vector<Value> parts;
    bool any_batched = false;
    for (std::size_t i = 0; i < node.input_count(); ++i) {
        const Value& part = node.input(i);
        any_batched = any_batched || part.batched;
        // Empty parts that are constant, as exporters leave them in shapes, add nothing.
        if (part.is_known() && part.constant->count() == 0 && part.row.size() == 1) continue;
        parts.push_back(part);
    }
    if (parts.empty()) {
        node.output(0, node.input(0));
        return;
    }
    const std::size_t rank = parts[0].rank();
    const std::size_t axis = node.axis_of(given, rank);
    for (Value& part : parts) {
        if (part.rank() != rank) node.invalid("its inputs do not have the same number of dimensions");
        if (!any_batched || part.batched) continue;
        // Only beside a batch that is fixed to 1 can a constant stand as it is.
        if (!node.graph().batch_is_one || part.row[0] != 1)
            node.mixes("a constant of shape " + shown_dims(part.row) + " stands beside rows of the batch");
        part = with_row(part, Dims(part.row.begin() + 1, part.row.end()), node);
        part.batched = true;
    }
    if (any_batched && axis == 0) node.mixes("it joins along the batch");
    const std::size_t row_axis = any_batched ? axis - 1 : axis;
    Dims row = parts[0].row;
    std::uint64_t sum = 0;
    bool all_constant = true;
    for (const Value& part : parts) {
        for (std::size_t d = 0; d < row.size(); ++d)
            if (d != row_axis && part.row[d] != row[d])
                node.invalid("it joins " + shown_dims(parts[0].row, any_batched) + " and " +
                             shown_dims(part.row, any_batched));
        sum += part.row[row_axis];
        all_constant = all_constant && part.constant != nullptr;
        if (part.constant != nullptr && parts[0].constant != nullptr && part.constant->kind != parts[0].constant->kind)
            node.invalid("it joins numbers of different types");
    }
    if (sum > 0x7fffffff) refuse(AUGUR_ERROR_LIMIT, "the result of node %s is too large", node.name().c_str());
    row[row_axis] = static_cast<std::uint32_t>(sum);
    checked_count(row, node.graph().limits.tensor_elements, "the result of node " + node.name());
    if (parts.size() == 1) {
        node.output(0, parts[0]);
        return;
    }
    if (all_constant) {
        Value out = joined_constants(node, parts, row_axis, row);
        out.batched = any_batched;
        node.output(0, out);
        return;
    }
    // A step writes elements that lie together: parts are joined one behind the other, then brought into order.
    std::uint64_t outer = 1;
    for (std::size_t d = 0; d < row_axis; ++d)
        outer *= row[d];
    if (outer == 1) {
        node.output(0, joined(node, parts, row));
        return;
    }
    const Value behind = joined(node, parts, {static_cast<std::uint32_t>(product(row))});
    std::vector<std::uint64_t> first_of, part_of, within;  // by index along the axis
    std::uint64_t first = 0;
    for (std::size_t p = 0; p < parts.size(); ++p) {
        for (std::uint32_t i = 0; i < parts[p].row[row_axis]; ++i) {
            first_of.push_back(first);
            part_of.push_back(p);
            within.push_back(i);
        }
        first += product(parts[p].row);
    }
    const std::vector<std::uint32_t> strides = strides_of(row);
    const std::uint64_t inner = strides[row_axis];
    std::vector<std::int32_t> map = map_of(node, row, [&](const std::vector<std::uint32_t>& at) {
        std::uint64_t outside = 0, inside = 0;
        for (std::size_t d = 0; d < row_axis; ++d)
            outside = outside * row[d] + at[d];
        for (std::size_t d = row_axis + 1; d < row.size(); ++d)
            inside += static_cast<std::uint64_t>(at[d]) * strides[d];
        const std::uint32_t index = at[row_axis];
        return first_of[index] + (outside * parts[part_of[index]].row[row_axis] + within[index]) * inner + inside;
    });
    node.output(0, node.rearranged(behind, row, std::move(map)));
}

void import_slice(Node& node) {
    const SliceParts parts = slice_parts(node);
    const Value value = node.input(0);
    Lines lines = whole_lines(node, value);
    std::vector<bool> seen(value.rank(), false);
    for (std::size_t i = 0; i < parts.starts.size(); ++i) {
        const std::size_t at = node.axis_of(parts.axes[i], value.rank());
        if (seen[at]) node.invalid("it has axis " + std::to_string(at) + " twice");
        seen[at] = true;
        if (parts.steps[i] == 0) node.invalid("its step is 0");
        if (value.batched && at == 0) {
            const bool all = parts.starts[i] == 0 && parts.steps[i] == 1 &&
                             (parts.ends[i] >= 0x7fffffff || (node.graph().batch_is_one && parts.ends[i] >= 1));
            if (!all) node.mixes("it takes some of the rows");
            continue;
        }
        if (parts.last_end_is_batch) node.mixes("it ends where the batch does");
        std::vector<std::int32_t>& line = lines[value.batched ? at - 1 : at];
        const std::int64_t step = std::clamp<std::int64_t>(parts.steps[i], -0x7fffffff, 0x7fffffff);
        const SliceLine place =
            place_slice(static_cast<std::int64_t>(line.size()), parts.starts[i], parts.ends[i], step);
        line.clear();
        for (std::int64_t j = 0; j < place.count; ++j)
            line.push_back(static_cast<std::int32_t>(place.first + j * place.step));
    }
    node.output(0, gathered(node, value, lines, 0.0f));
}

// Parts along an axis: their sizes as an attribute before opset 13, as an input from then on; or a number of parts,
// of which the last may be smaller (opset 18), or as many equal parts as outputs.
void import_split(Node& node) {
    node.expect(1, node.opset() < 13 ? 1 : 2, kMostNodeValues);
    const Value value = node.input(0);
    const std::size_t axis = node.row_axis(value, node.integer("axis", 0));
    const std::int64_t dim = value.row[axis];
    const auto count = static_cast<std::int64_t>(node.output_count());
    std::optional<std::vector<std::int64_t>> sizes;
    if (node.opset() < 13) {
        sizes = node.integers("split");
    } else if (node.has_input(1)) {
        sizes = node.known_integers(1, "list of sizes");
    }
    const std::int64_t parts = node.opset() >= 18 ? node.integer("num_outputs", count) : count;
    if (parts != count) node.invalid("its attribute 'num_outputs' is not the number of its outputs");
    if (!sizes) {
        const std::int64_t size = (dim + count - 1) / count;
        if (node.opset() < 18 && dim % count != 0) node.invalid("it splits into parts that are not equal");
        if (size * (count - 1) > dim) node.invalid("it splits into more parts than there are elements");
        sizes.emplace(static_cast<std::size_t>(count), size);
        sizes->back() = dim - size * (count - 1);
    }
    std::int64_t sum = 0;
    for (const std::int64_t size : *sizes) {
        if (size < 0 || size > dim) node.invalid("it splits into a part of " + std::to_string(size));
        sum += size;
    }
    if (static_cast<std::int64_t>(sizes->size()) != count || sum != dim)
        node.invalid("its parts do not add up to its input");
    std::int64_t first = 0;
    for (std::size_t p = 0; p < node.output_count(); ++p) {
        Lines lines = whole_lines(node, value);
        std::vector<std::int32_t>& line = lines[axis];
        line.assign(line.begin() + first, line.begin() + first + (*sizes)[p]);
        first += (*sizes)[p];
        if (node.has_output(p)) node.output(p, gathered(node, value, lines, 0.0f));
    }
}

void import_gather(Node& node) {
    node.expect(2, 2);
    const Value value = node.input(0);
    const Constant& indices = node.known(1, "list of indices");
    if (indices.kind != ElementKind::integer) node.invalid("its indices are not of whole numbers");
    if (indices.has_batch()) node.mixes("its index depends on the size of the batch");
    const std::size_t axis = node.row_axis(value, node.integer("axis", 0));
    const std::int64_t dim = value.row[axis];
    Lines lines = whole_lines(node, value);
    lines[axis].clear();
    node.graph().charge(indices.count());
    for (const std::int64_t index : indices.integers) {
        if (index < -dim || index >= dim)
            node.invalid("its index " + std::to_string(index) + " is not one of " + std::to_string(dim));
        lines[axis].push_back(static_cast<std::int32_t>(index < 0 ? index + dim : index));
    }
    const Value out = gathered(node, value, lines, 0.0f);
    Dims row = value.row;
    row.erase(row.begin() + static_cast<std::ptrdiff_t>(axis));
    row.insert(row.begin() + static_cast<std::ptrdiff_t>(axis), indices.dims.begin(), indices.dims.end());
    if (row.size() > kMostRank)
        refuse(AUGUR_ERROR_LIMIT, "node %s makes more than %zu dimensions", node.name().c_str(), kMostRank);
    node.output(0, with_row(out, row, node));
}

// Pads are an attribute before opset 11, an input from then on; negative ones cut off.
void import_pad(Node& node) {
    const PadMode mode = pad_mode(node);
    std::vector<std::int64_t> pads;
    std::optional<std::vector<std::int64_t>> axes;
    float fill = 0.0f;
    if (node.opset() < 11) {
        node.expect(1, 1);
        const auto given = node.integers("pads");
        if (!given) node.invalid("it has no attribute 'pads'");
        pads = *given;
        fill = node.real("value", 0.0f);
    } else {
        node.expect(2, node.opset() < 18 ? 3 : 4);
        pads = node.known_integers(1, "list of pads");
        if (node.has_input(2) && mode == PadMode::constant) {
            const Constant& given = node.known(2, "constant_value");
            if (given.count() != 1 || given.has_batch()) node.invalid("its constant_value is not one number");
            fill = given.kind == ElementKind::real ? given.reals[0] : static_cast<float>(given.integers[0]);
        }
        if (node.has_input(3)) axes = node.known_integers(3, "list of axes");
    }
    const Value value = node.input(0);
    const std::size_t count = axes ? axes->size() : value.rank();
    if (pads.size() != 2 * count)
        node.invalid("it has " + std::to_string(pads.size()) + " pads, not " + std::to_string(2 * count));
    Lines lines = whole_lines(node, value);
    std::vector<bool> seen(value.rank(), false);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = axes ? node.axis_of((*axes)[i], value.rank()) : i;
        if (seen[at]) node.invalid("it has axis " + std::to_string(at) + " twice");
        seen[at] = true;
        const std::int64_t begin = pads[i], end = pads[count + i];
        if (begin == 0 && end == 0) continue;
        if (value.batched && at == 0) node.mixes("it pads the batch");
        std::vector<std::int32_t>& line = lines[value.batched ? at - 1 : at];
        const auto dim = static_cast<std::int64_t>(line.size());
        constexpr std::int64_t kMost = 1 << 24;
        if (begin < -dim || end < -dim || begin > kMost || end > kMost || dim + begin + end <= 0)
            node.invalid("its pads " + std::to_string(begin) + " and " + std::to_string(end) +
                         " do not go with a dimension of " + std::to_string(dim));
        if (mode == PadMode::reflect && (begin >= dim || end >= dim))
            node.unsupported("it reflects more than its input has");
        node.graph().charge(static_cast<std::uint64_t>(dim + begin + end));
        line.clear();
        // What is cut off is gone before anything is repeated.
        const std::int64_t first = std::max<std::int64_t>(-begin, 0), last = dim - std::max<std::int64_t>(-end, 0);
        for (std::int64_t j = -begin; j < dim + end; ++j) {
            const std::int32_t from = last > first ? padded_place(j - first, last - first, mode) : -1;
            line.push_back(from < 0 ? -1 : static_cast<std::int32_t>(from + first));
        }
    }
    node.output(0, gathered(node, value, lines, fill));
}

void import_expand(Node& node) {
    node.expect(2, 2);
    const Value value = node.input(0);
    const Constant& shape = node.known(1, "shape");
    if (shape.kind != ElementKind::integer || shape.dims.size() != 1) node.invalid("its shape is no list of integers");
    if (shape.count() > kMostRank)
        refuse(AUGUR_ERROR_LIMIT, "node %s makes more than %zu dimensions", node.name().c_str(), kMostRank);
    bool batched = value.batched;
    Dims wanted;
    for (std::size_t i = 0; i < shape.count(); ++i) {
        if (shape.has_batch() && shape.is_batch[i] != 0) {
            if (i != 0 || (value.batched && value.rank() != shape.count()) ||
                (!value.batched && value.rank() > shape.count()))
                node.mixes("it puts the batch into dimension " + std::to_string(i));
            batched = true;
            continue;
        }
        const std::int64_t size = shape.integers[i];
        if (size < 0 || size > 0x7fffffff) node.invalid("its shape has the dimension " + std::to_string(size));
        if (value.batched && i == 0 && shape.count() >= value.rank()) {
            if (shape.count() > value.rank() || size != 1) node.mixes("it repeats the batch");
            continue;
        }
        wanted.push_back(static_cast<std::uint32_t>(size));
    }
    Value from = value;
    if (batched && !value.batched) {
        // A constant that is the same for all rows from here on.
        if (value.row.size() == shape.count()) {
            if (value.row[0] != 1) node.mixes("it has a part for each row of the batch");
            from = with_row(value, Dims(value.row.begin() + 1, value.row.end()), node);
        }
        from.batched = true;
    }
    const std::optional<Dims> row = broadcast(from.row, wanted);
    if (!row) node.invalid("its input " + shown_dims(value.row, value.batched) + " does not broadcast to its shape");
    node.output(0, expanded(node, from, *row));
}

void import_tile(Node& node) {
    node.expect(2, 2);
    const Value value = node.input(0);
    const std::vector<std::int64_t> repeats = node.known_integers(1, "list of repeats");
    if (repeats.size() != value.rank()) node.invalid("its repeats are not as many as its input has dimensions");
    Lines lines;
    for (std::size_t i = 0; i < repeats.size(); ++i) {
        if (value.batched && i == 0) {
            if (repeats[0] != 1) node.mixes("it repeats the batch");
            continue;
        }
        const std::uint64_t dim = value.row[value.batched ? i - 1 : i];
        if (repeats[i] < 0 || repeats[i] > 0x7fffffff)
            node.invalid("it repeats " + std::to_string(repeats[i]) + " times");
        const std::uint64_t size = dim * static_cast<std::uint64_t>(repeats[i]);
        node.graph().charge(size);
        std::vector<std::int32_t> line(size);
        for (std::uint64_t j = 0; j < size; ++j)
            line[j] = static_cast<std::int32_t>(j % dim);
        lines.push_back(std::move(line));
    }
    node.output(0, gathered(node, value, lines, 0.0f));
}

}  // namespace augur::model
