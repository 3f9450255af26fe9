// Operators on what is known beforehand: constants, shapes, and the arithmetic with them that exporters leave in a
// file.

#include <algorithm>
#include <cmath>

#include "core/network_math.h"
#include "model/operators.h"

namespace augur::model {
namespace {

using core::BinaryOp;

std::int64_t combined(Node& node, BinaryOp op, std::int64_t a, std::int64_t b) {
    std::int64_t out = 0;
    bool overflow = false;
    switch (op) {
        case BinaryOp::add:
            overflow = __builtin_add_overflow(a, b, &out);
            break;
        case BinaryOp::subtract:
            overflow = __builtin_sub_overflow(a, b, &out);
            break;
        case BinaryOp::multiply:
            overflow = __builtin_mul_overflow(a, b, &out);
            break;
        case BinaryOp::divide:
            if (b == 0) node.invalid("it divides by 0");
            overflow = b == -1 && __builtin_sub_overflow(std::int64_t{0}, a, &out);
            if (b != -1) out = a / b;
            break;
        case BinaryOp::minimum:
            return std::min(a, b);
        case BinaryOp::maximum:
            return std::max(a, b);
        case BinaryOp::power:
            if (b < 0 || b > 62) node.unsupported("it takes the power " + std::to_string(b) + " of a whole number");
            out = 1;
            for (std::int64_t i = 0; i < b && !overflow; ++i)
                overflow = __builtin_mul_overflow(out, a, &out);
            break;
    }
    if (overflow) node.invalid("a whole number overflows");
    return out;
}

// Walks two constants broadcast to each other: visit(element of the result, of a, of b).
template <class Visit>
Dims walk(Node& node, const Constant& a, const Constant& b, Visit visit) {
    const std::optional<Dims> row = broadcast(a.dims, b.dims);
    if (!row) node.invalid("shapes " + shown_dims(a.dims) + " and " + shown_dims(b.dims) + " do not broadcast");
    const std::uint64_t count =
        checked_count(*row, node.graph().limits.tensor_elements, "the result of node " + node.name());
    node.graph().charge(count);
    const std::vector<std::uint32_t> stride_a = broadcast_strides(a.dims, *row);
    const std::vector<std::uint32_t> stride_b = broadcast_strides(b.dims, *row);
    for (std::uint64_t i = 0; i < count; ++i) {
        std::uint64_t rest = i, from_a = 0, from_b = 0;
        for (std::size_t d = row->size(); d-- > 0; rest /= (*row)[d]) {
            from_a += rest % (*row)[d] * stride_a[d];
            from_b += rest % (*row)[d] * stride_b[d];
        }
        visit(i, from_a, from_b);
    }
    return *row;
}

bool batch_at(const Constant& constant, std::uint64_t index) {
    return constant.has_batch() && constant.is_batch[index] != 0;
}

// a op b where one of them may be the size of the batch, of which is known only that it is above 0.
std::pair<std::int64_t, bool> combined_sizes(Node& node, BinaryOp op, const Constant& a, std::uint64_t at_a,
                                             const Constant& b, std::uint64_t at_b) {
    const bool batch_a = batch_at(a, at_a), batch_b = batch_at(b, at_b);
    const std::int64_t x = a.integers[at_a], y = b.integers[at_b];
    if (!batch_a && !batch_b) return {combined(node, op, x, y), false};
    const bool same =
        (batch_a && !batch_b &&
         (((op == BinaryOp::add || op == BinaryOp::subtract) && y == 0) ||
          ((op == BinaryOp::multiply || op == BinaryOp::divide) && y == 1))) ||
        (batch_b && !batch_a && ((op == BinaryOp::add && x == 0) || (op == BinaryOp::multiply && x == 1)));
    const bool one = op == BinaryOp::divide && batch_a && batch_b;
    if (!same && !one) node.mixes("it computes with the size of the batch");
    return {one ? 1 : 0, same};
}

void clear_if_none(Constant& constant) {
    if (std::count(constant.is_batch.begin(), constant.is_batch.end(), 1) == 0) constant.is_batch.clear();
}

const Constant& known_kind(Node& node, std::size_t index, ElementKind kind) {
    const Constant& constant = node.known(index, "input");
    if (constant.kind != kind) node.invalid("its input " + std::to_string(index) + " is of another type");
    return constant;
}

template <class Compare>
void import_comparison(Node& node, Compare compare) {
    node.expect(2, 2);
    const Constant& a = node.known(0, "input");
    const Constant& b = node.known(1, "input");
    if (a.kind != b.kind) node.invalid("it compares different types");
    auto out = std::make_shared<Constant>();
    out->kind = ElementKind::boolean;
    out->dims = walk(node, a, b, [&](std::uint64_t, std::uint64_t at_a, std::uint64_t at_b) {
        bool result;
        if (a.kind == ElementKind::real) {
            result = compare(a.reals[at_a], b.reals[at_b]);
        } else if (batch_at(a, at_a) || batch_at(b, at_b)) {
            // The batch is at least 1: what is below differs from it, and the batch equals itself.
            const bool both = batch_at(a, at_a) && batch_at(b, at_b);
            const std::int64_t other = batch_at(a, at_a) ? b.integers[at_b] : a.integers[at_a];
            if (!both && other > 0) node.mixes("it compares the size of the batch");
            const std::int64_t x = batch_at(a, at_a) ? 1 : other, y = batch_at(b, at_b) ? 1 : other;
            result = compare(x, y);
        } else {
            result = compare(a.integers[at_a], b.integers[at_b]);
        }
        out->integers.push_back(result ? 1 : 0);
    });
    node.output(0, node.constant(std::move(out)));
}

template <class Combine>
void import_logic(Node& node, Combine combine) {
    node.expect(2, 2);
    const Constant& a = known_kind(node, 0, ElementKind::boolean);
    const Constant& b = known_kind(node, 1, ElementKind::boolean);
    auto out = std::make_shared<Constant>();
    out->kind = ElementKind::boolean;
    out->dims = walk(node, a, b, [&](std::uint64_t, std::uint64_t at_a, std::uint64_t at_b) {
        out->integers.push_back(combine(a.integers[at_a] != 0, b.integers[at_b] != 0) ? 1 : 0);
    });
    node.output(0, node.constant(std::move(out)));
}

std::uint64_t range_count(Node& node, double start, double limit, double delta) {
    if (!(std::isfinite(start) && std::isfinite(limit) && std::isfinite(delta)) || delta == 0.0)
        node.invalid("its range does not end");
    const double count = std::ceil((limit - start) / delta);
    if (!(count > 0.0)) return 0;
    if (count > static_cast<double>(node.graph().limits.tensor_elements))
        refuse(AUGUR_ERROR_LIMIT, "node %s makes %g numbers", node.name().c_str(), count);
    node.graph().charge(static_cast<std::uint64_t>(count));
    return static_cast<std::uint64_t>(count);
}

}  // namespace

Value fold_binary(Node& node, BinaryOp op, const Constant& a, const Constant& b) {
    if (a.kind != b.kind || a.kind == ElementKind::boolean) node.invalid("it combines different types");
    auto out = std::make_shared<Constant>();
    out->kind = a.kind;
    const bool has_batch = a.has_batch() || b.has_batch();
    out->dims = walk(node, a, b, [&](std::uint64_t, std::uint64_t at_a, std::uint64_t at_b) {
        if (a.kind == ElementKind::real) {
            out->reals.push_back(core::combine(op, a.reals[at_a], b.reals[at_b]));
            return;
        }
        const auto [value, is_batch] = combined_sizes(node, op, a, at_a, b, at_b);
        out->integers.push_back(value);
        if (has_batch) out->is_batch.push_back(is_batch ? 1 : 0);
    });
    clear_if_none(*out);
    return node.constant(std::move(out));
}

void import_constant(Node& node) {
    node.expect(0, 0);
    auto out = std::make_shared<Constant>();
    int forms = 0;
    if (const ConstantPointer value = node.tensor("value"); value != nullptr) {
        *out = *value;
        ++forms;
    }
    if (node.has_attribute("value_float")) {
        out->reals = {node.real("value_float", 0.0f)};
        ++forms;
    }
    if (const auto values = node.reals("value_floats")) {
        out->reals = *values;
        out->dims = {static_cast<std::uint32_t>(values->size())};
        for (const float x : out->reals)
            if (std::isnan(x)) node.invalid("its value has a NaN");
        ++forms;
    }
    if (node.has_attribute("value_int")) {
        out->kind = ElementKind::integer;
        out->integers = {node.integer("value_int", 0)};
        ++forms;
    }
    if (const auto values = node.integers("value_ints")) {
        out->kind = ElementKind::integer;
        out->integers = *values;
        out->dims = {static_cast<std::uint32_t>(values->size())};
        ++forms;
    }
    for (const char* name : {"sparse_value", "value_string", "value_strings"})
        if (node.has_attribute(name)) node.unsupported(std::string("it has the attribute '") + name + "'");
    if (forms != 1) node.invalid("it has " + std::to_string(forms) + " values, not one");
    node.output(0, node.constant(std::move(out)));
}

void import_shape(Node& node) {
    node.expect(1, 1);
    const Value value = node.input(0);
    const auto rank = static_cast<std::int64_t>(value.rank());
    std::int64_t start = 0, end = rank;
    if (node.opset() >= 15) {
        start = node.integer("start", 0);
        end = node.integer("end", rank);
    }
    const auto clamped = [rank](std::int64_t x) { return std::clamp<std::int64_t>(x < 0 ? x + rank : x, 0, rank); };
    auto out = std::make_shared<Constant>();
    out->kind = ElementKind::integer;
    for (std::int64_t i = clamped(start); i < clamped(end); ++i) {
        const bool is_batch = value.batched && i == 0;
        // A batch that is fixed to 1 is 1 wherever the file computes with it.
        const bool symbolic = is_batch && !node.graph().batch_is_one;
        const std::int64_t size =
            is_batch ? (symbolic ? 0 : 1) : value.row[static_cast<std::size_t>(i) - (value.batched ? 1 : 0)];
        out->integers.push_back(size);
        out->is_batch.push_back(symbolic ? 1 : 0);
    }
    clear_if_none(*out);
    out->dims = {static_cast<std::uint32_t>(out->integers.size())};
    node.output(0, node.constant(std::move(out)));
}

void import_constant_of_shape(Node& node) {
    node.expect(1, 1);
    const ConstantPointer value = node.tensor("value");
    if (value != nullptr && value->count() != 1) node.invalid("its value is not one number");
    const Constant& shape = node.known(0, "shape");
    if (shape.kind != ElementKind::integer || shape.dims.size() != 1) node.invalid("its shape is no list of integers");
    if (shape.count() > kMostRank)
        refuse(AUGUR_ERROR_LIMIT, "node %s makes more than %zu dimensions", node.name().c_str(), kMostRank);
    auto out = std::make_shared<Constant>();
    bool batched = false;
    for (std::size_t i = 0; i < shape.count(); ++i) {
        if (batch_at(shape, i)) {
            if (i != 0) node.mixes("it puts the batch into dimension " + std::to_string(i));
            batched = true;
            continue;
        }
        if (shape.integers[i] < 0 || shape.integers[i] > 0x7fffffff)
            node.invalid("its shape has the dimension " + std::to_string(shape.integers[i]));
        out->dims.push_back(static_cast<std::uint32_t>(shape.integers[i]));
    }
    const std::uint64_t count =
        checked_count(out->dims, node.graph().limits.tensor_elements, "the result of node " + node.name());
    node.graph().charge(count);
    out->kind = value != nullptr ? value->kind : ElementKind::real;
    if (out->kind == ElementKind::real) {
        out->reals.assign(count, value != nullptr ? value->reals[0] : 0.0f);
    } else {
        out->integers.assign(count, value->integers[0]);
    }
    Value result = node.constant(std::move(out));
    result.batched = batched;
    node.output(0, result);
}

void import_range(Node& node) {
    node.expect(3, 3);
    node.ignore("stash_type");
    const Constant* parts[3];
    for (std::size_t i = 0; i < 3; ++i) {
        parts[i] = &node.known(i, "range");
        if (parts[i]->count() != 1 || parts[i]->kind != parts[0]->kind || parts[i]->kind == ElementKind::boolean)
            node.invalid("its range is not three numbers of one type");
        if (parts[i]->has_batch()) node.mixes("its range depends on the size of the batch");
    }
    auto out = std::make_shared<Constant>();
    out->kind = parts[0]->kind;
    if (out->kind == ElementKind::real) {
        const double start = parts[0]->reals[0], limit = parts[1]->reals[0], delta = parts[2]->reals[0];
        const std::uint64_t count = range_count(node, start, limit, delta);
        for (std::uint64_t i = 0; i < count; ++i)
            out->reals.push_back(static_cast<float>(start + static_cast<double>(i) * delta));
    } else {
        const std::int64_t start = parts[0]->integers[0], limit = parts[1]->integers[0], delta = parts[2]->integers[0];
        constexpr std::int64_t kMost = 1ll << 40;
        for (const std::int64_t x : {start, limit, delta})
            if (x < -kMost || x > kMost) node.invalid("its range is beyond any use");
        const std::uint64_t count =
            range_count(node, static_cast<double>(start), static_cast<double>(limit), static_cast<double>(delta));
        for (std::uint64_t i = 0; i < count; ++i)
            out->integers.push_back(start + static_cast<std::int64_t>(i) * delta);
    }
    out->dims = {static_cast<std::uint32_t>(out->count())};
    node.output(0, node.constant(std::move(out)));
}

void import_equal(Node& node) {
    import_comparison(node, [](auto a, auto b) { return a == b; });
}
void import_less(Node& node) {
    import_comparison(node, [](auto a, auto b) { return a < b; });
}
void import_greater(Node& node) {
    import_comparison(node, [](auto a, auto b) { return a > b; });
}
void import_and(Node& node) {
    import_logic(node, [](bool a, bool b) { return a && b; });
}
void import_or(Node& node) {
    import_logic(node, [](bool a, bool b) { return a || b; });
}

void import_not(Node& node) {
    node.expect(1, 1);
    const Constant& a = known_kind(node, 0, ElementKind::boolean);
    node.graph().charge(a.count());
    auto out = std::make_shared<Constant>(a);
    for (std::int64_t& value : out->integers)
        value = value != 0 ? 0 : 1;
    node.output(0, node.constant(std::move(out)));
}

// condition ? x : y. With a known condition, a computed value and one number this is a mask that fills up.
void import_where(Node& node) {
    node.expect(3, 3);
    const Constant& condition = known_kind(node, 0, ElementKind::boolean);
    const Value x = node.input(1), y = node.input(2);
    if (x.is_known() && y.is_known()) {
        const Constant& a = *x.constant;
        const Constant& b = *y.constant;
        if (a.kind != b.kind) node.invalid("it chooses between different types");
        auto out = std::make_shared<Constant>();
        out->kind = a.kind;
        // Both are walked against the condition, and it against what comes of them.
        Constant shape;
        shape.dims = walk(node, a, b, [](std::uint64_t, std::uint64_t, std::uint64_t) {});
        const auto places = [&](const Constant& from) {
            std::vector<std::uint64_t> at;
            out->dims = walk(node, condition, shape, [](std::uint64_t, std::uint64_t, std::uint64_t) {});
            const std::vector<std::uint32_t> strides = broadcast_strides(from.dims, out->dims);
            const std::uint64_t count = product(out->dims);
            for (std::uint64_t i = 0; i < count; ++i) {
                std::uint64_t rest = i, place = 0;
                for (std::size_t d = out->dims.size(); d-- > 0; rest /= out->dims[d])
                    place += rest % out->dims[d] * strides[d];
                at.push_back(place);
            }
            return at;
        };
        const std::vector<std::uint64_t> at_condition = places(condition), at_a = places(a), at_b = places(b);
        const bool has_batch = a.has_batch() || b.has_batch();
        for (std::size_t i = 0; i < at_condition.size(); ++i) {
            const bool first = condition.integers[at_condition[i]] != 0;
            const Constant& from = first ? a : b;
            const std::uint64_t at = first ? at_a[i] : at_b[i];
            if (out->kind == ElementKind::real) {
                out->reals.push_back(from.reals[at]);
                continue;
            }
            out->integers.push_back(from.integers[at]);
            if (has_batch) out->is_batch.push_back(batch_at(from, at) ? 1 : 0);
        }
        clear_if_none(*out);
        node.output(0, node.constant(std::move(out)));
        return;
    }
    const bool keeps_x = !x.is_known();
    const Value& kept = keeps_x ? x : y;
    const Value& other = keeps_x ? y : x;
    if (!kept.batched || !other.is_known() || other.constant->count() != 1 || other.row.size() > kept.rank())
        node.unsupported("it chooses between computed values");
    if (other.constant->kind != ElementKind::real) node.invalid("it chooses between different types");
    node.expect_real(kept);
    Dims mask = condition.dims;
    if (mask.size() > kept.rank()) node.mixes("its condition has more dimensions than its input");
    if (mask.size() == kept.rank()) {
        if (mask[0] != 1) node.mixes("its condition has a part for each row of the batch");
        mask.erase(mask.begin());
    }
    const std::optional<Dims> row = broadcast(mask, kept.row);
    if (!row) node.invalid("its condition does not broadcast to its input");
    checked_count(*row, node.graph().limits.scratch_elements, "the result of node " + node.name());
    node.graph().charge(product(*row));
    const std::vector<std::uint32_t> stride_mask = broadcast_strides(mask, *row);
    const std::vector<std::uint32_t> stride_kept = broadcast_strides(kept.row, *row);
    std::vector<std::int32_t> map;
    const std::uint64_t count = product(*row);
    for (std::uint64_t i = 0; i < count; ++i) {
        std::uint64_t rest = i, at_mask = 0, at_kept = 0;
        for (std::size_t d = row->size(); d-- > 0; rest /= (*row)[d]) {
            at_mask += rest % (*row)[d] * stride_mask[d];
            at_kept += rest % (*row)[d] * stride_kept[d];
        }
        const bool keep = (condition.integers[at_mask] != 0) == keeps_x;
        map.push_back(keep ? static_cast<std::int32_t>(at_kept) : -1);
    }
    node.output(0, node.rearranged(kept, *row, std::move(map), other.constant->reals[0]));
}

}  // namespace augur::model
