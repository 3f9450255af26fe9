// Operators that leave the numbers as they are and call them by another shape or type. None of them costs a step.

#include <cmath>

#include "model/operators.h"

namespace augur::model {
namespace {

// One entry of the shape that a Reshape asks for.
struct Wanted {
    std::int64_t size = 0;
    bool batch = false;
};

std::vector<Wanted> wanted_shape(Node& node, std::size_t index) {
    const Constant& shape = node.known(index, "shape");
    if (shape.kind != ElementKind::integer || shape.dims.size() != 1) node.invalid("its shape is no list of integers");
    std::vector<Wanted> wanted(shape.integers.size());
    for (std::size_t i = 0; i < wanted.size(); ++i)
        wanted[i] = {shape.integers[i], shape.has_batch() && shape.is_batch[i] != 0};
    return wanted;
}

// The dimensions behind the batch (of a constant: all), with 0 copied and -1 worked out.
Dims resolve(Node& node, const Value& value, const std::vector<Wanted>& wanted, std::size_t first, bool allow_zero) {
    constexpr std::uint64_t kMost = 0x7fffffff;
    const std::uint64_t count = product(value.row);
    Dims row;
    std::uint64_t others = 1;
    std::size_t open = wanted.size();
    for (std::size_t i = first; i < wanted.size(); ++i) {
        std::int64_t size = wanted[i].size;
        if (wanted[i].batch) node.mixes("it puts the batch into dimension " + std::to_string(i));
        if (size == 0 && !allow_zero) {
            if (i >= value.rank())
                node.invalid("dimension " + std::to_string(i) + " of its shape is 0, of which the input has none");
            size = value.row[i - first];
        }
        if (size < -1) node.invalid("its shape has the dimension " + std::to_string(size));
        if (size == -1) {
            if (open != wanted.size()) node.invalid("its shape has -1 twice");
            open = i;
            size = 1;
        }
        if (static_cast<std::uint64_t>(size) > kMost) node.invalid("its shape is larger than its input");
        row.push_back(static_cast<std::uint32_t>(size));
        others *= static_cast<std::uint64_t>(size);
        if (others > kMost) node.invalid("its shape is larger than its input");
    }
    if (others == 0 && count != 0) node.invalid("its shape has no elements");
    if (open != wanted.size()) {
        if (others == 0 || count % others != 0)
            node.invalid("its input " + shown_dims(value.row, value.batched) + " does not divide into its shape");
        row[open - first] = static_cast<std::uint32_t>(count / others);
    } else if (others != count) {
        const std::string what =
            "it makes " + shown_dims(row, value.batched) + " of " + shown_dims(value.row, value.batched);
        if (value.batched) node.mixes(what + ", another number of elements in a row");
        node.invalid(what);
    }
    return row;
}

// The sorted places of axes among rank dimensions; each once.
std::vector<bool> marked(Node& node, const std::vector<std::int64_t>& axes, std::size_t rank) {
    std::vector<bool> is(rank, false);
    for (const std::int64_t axis : axes) {
        const std::size_t at = node.axis_of(axis, rank);
        if (is[at]) node.invalid("it has axis " + std::to_string(axis) + " twice");
        is[at] = true;
    }
    return is;
}

Value cast_constant(Node& node, const Value& value, DataType to) {
    const Constant& from = *value.constant;
    const ElementKind kind = kind_of(to, "its target");
    if (from.has_batch()) {
        if (kind != ElementKind::integer) node.mixes("it computes with the size of the batch");
        return value;
    }
    auto out = std::make_shared<Constant>();
    out->dims = from.dims;
    out->kind = kind;
    node.graph().charge(from.count());
    for (std::size_t i = 0; i < from.count(); ++i) {
        const bool real = from.kind == ElementKind::real;
        const double x = real ? static_cast<double>(from.reals[i]) : static_cast<double>(from.integers[i]);
        if (kind == ElementKind::real) {
            out->reals.push_back(static_cast<float>(x));
        } else if (kind == ElementKind::boolean) {
            out->integers.push_back(x != 0.0 ? 1 : 0);
        } else if (real) {
            if (!(std::abs(x) < 0x1p63)) node.invalid("it casts a number to integers that is beyond them");
            out->integers.push_back(static_cast<std::int64_t>(x));
        } else {
            out->integers.push_back(from.integers[i]);
        }
    }
    Value result = node.constant(std::move(out));
    result.batched = value.batched;
    return result;
}

// Float types are all computed in float, so a cast among them changes nothing.
void cast(Node& node, DataType to) {
    const Value& value = node.input(0);
    if (value.constant != nullptr) {
        node.output(0, cast_constant(node, value, to));
        return;
    }
    if (kind_of(to, "the target of node " + node.name()) != ElementKind::real)
        node.unsupported(std::string("it casts computed numbers to ") + name_of(to));
    node.output(0, value);
}

}  // namespace

Value with_row(const Value& value, Dims row, Node& node) {
    Value out = value;
    out.row = std::move(row);
    if (value.constant != nullptr && out.row != value.row) {
        node.graph().charge(value.constant->count());
        auto copy = std::make_shared<Constant>(*value.constant);
        copy->dims = out.row;
        out.constant = std::move(copy);
    }
    return out;
}

void import_reshape(Node& node) {
    node.expect(2, 2);
    const bool allow_zero = node.opset() >= 14 && node.flag("allowzero", false);
    const Value value = node.input(0);
    std::vector<Wanted> wanted = wanted_shape(node, 1);
    if (!value.batched) {
        node.output(0, with_row(value, resolve(node, value, wanted, 0, allow_zero), node));
        return;
    }
    // What of the new shape is the batch: the batch itself, a 0 that copies it, or a -1 that comes to it.
    if (wanted.empty()) node.mixes("it makes a single number of the batch");
    const Wanted first = wanted[0];
    const bool is_batch = first.batch || (first.size == 0 && !allow_zero) || first.size == -1 ||
                          (first.size == 1 && node.graph().batch_is_one);
    if (!is_batch) node.mixes("its shape begins with " + std::to_string(first.size) + ", not with the batch");
    for (std::size_t i = 1; first.size == -1 && !first.batch && i < wanted.size(); ++i)
        if (wanted[i].size == -1 && !wanted[i].batch) node.invalid("its shape has -1 twice");
    node.output(0, with_row(value, resolve(node, value, wanted, 1, allow_zero), node));
}

// [d0 .. dn) -> [product of d0 .. d(axis - 1)][product of the rest]
void import_flatten(Node& node) {
    node.expect(1, 1);
    const Value value = node.input(0);
    const std::int64_t given = node.integer("axis", 1);
    const std::size_t axis =
        given == static_cast<std::int64_t>(value.rank()) ? value.rank() : node.axis_of(given, value.rank());
    Dims row;
    std::uint64_t before = 1, behind = 1;
    const std::size_t first = value.batched ? 1 : 0;
    for (std::size_t i = 0; i < value.row.size(); ++i)
        (i + first < axis ? before : behind) *= value.row[i];
    if (value.batched) {
        if (axis == 0 || before != 1) node.mixes("it flattens the batch together with other dimensions");
        row = {static_cast<std::uint32_t>(behind)};
    } else {
        row = {static_cast<std::uint32_t>(before), static_cast<std::uint32_t>(behind)};
    }
    node.output(0, with_row(value, row, node));
}

void import_squeeze(Node& node) {
    node.expect(1, node.opset() < 13 ? 1 : 2);
    const std::optional<std::vector<std::int64_t>> axes = node.axes(13);
    const Value value = node.input(0);
    const std::size_t first = value.batched ? 1 : 0;
    Dims row;
    if (!axes) {
        // Every dimension of size 1. A batch that is fixed to 1 would be among them.
        if (value.batched && node.graph().batch_is_one) node.mixes("it squeezes the batch away");
        for (const std::uint32_t dim : value.row)
            if (dim != 1) row.push_back(dim);
    } else {
        const std::vector<bool> gone = marked(node, *axes, value.rank());
        if (value.batched && !gone.empty() && gone[0]) node.mixes("it squeezes the batch away");
        for (std::size_t i = 0; i < value.row.size(); ++i) {
            if (!gone[i + first]) {
                row.push_back(value.row[i]);
            } else if (value.row[i] != 1) {
                node.invalid("it squeezes dimension " + std::to_string(i + first) + ", whose size is " +
                             std::to_string(value.row[i]));
            }
        }
    }
    node.output(0, with_row(value, row, node));
}

void import_unsqueeze(Node& node) {
    node.expect(node.opset() < 13 ? 1 : 2, node.opset() < 13 ? 1 : 2);
    const std::optional<std::vector<std::int64_t>> axes = node.axes(13);
    if (!axes) node.invalid("it has no axes");
    const Value value = node.input(0);
    if (axes->size() > kMostRank || value.rank() + axes->size() > kMostRank)
        refuse(AUGUR_ERROR_LIMIT, "node %s makes more than %zu dimensions", node.name().c_str(), kMostRank);
    const std::vector<bool> fresh = marked(node, *axes, value.rank() + axes->size());
    if (value.batched && fresh[0]) node.mixes("it puts a dimension in front of the batch");
    Dims row;
    std::size_t next = 0;
    for (std::size_t i = value.batched ? 1 : 0; i < fresh.size(); ++i)
        row.push_back(fresh[i] ? 1 : value.row[next++]);
    node.output(0, with_row(value, row, node));
}

void import_identity(Node& node) {
    node.expect(1, 1);
    node.output(0, node.input(0));
}

void import_dropout(Node& node) {
    node.expect(1, node.opset() < 12 ? 1 : 3, 2);
    node.ignore("seed");
    if (node.opset() < 12) {
        node.real("ratio", 0.5f);
    } else if (node.has_input(2)) {
        const Constant& training = node.known(2, "training_mode");
        if (training.kind != ElementKind::boolean || training.count() != 1)
            node.invalid("its training_mode is not one truth value");
        if (training.integers[0] != 0) node.unsupported("it is in training mode, so its results are random");
    }
    node.output(0, node.input(0));
    node.no_output(1, "its mask is used");
}

void import_cast(Node& node) {
    node.expect(1, 1);
    node.ignore("saturate");
    node.ignore("round_mode");
    if (!node.has_attribute("to")) node.invalid("it has no attribute 'to'");
    const std::int64_t to = node.integer("to", 0);
    if (to < 0 || to > 1000) node.invalid("its attribute 'to' is no type");
    cast(node, static_cast<DataType>(to));
}

void import_cast_like(Node& node) {
    node.expect(2, 2);
    node.ignore("saturate");
    node.ignore("round_mode");
    const Value& like = node.input(1);
    const ElementKind kind = like.constant == nullptr ? ElementKind::real : like.constant->kind;
    cast(node, kind == ElementKind::real      ? DataType::float32
               : kind == ElementKind::boolean ? DataType::boolean
                                              : DataType::int64);
}

}  // namespace augur::model
