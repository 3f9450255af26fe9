#include "model/memory.h"

#include <iterator>
#include <map>
#include <set>
#include <vector>

#include "model/network.h"

namespace augur::model {
namespace {

std::uint64_t rounded(std::uint64_t elements) {
    return (elements + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
}

// The free parts of a scratch that grows as needed.
class Scratch {
  public:
    std::uint64_t take(std::uint64_t size) {
        const auto fit = by_size_.lower_bound({size, 0});
        if (fit != by_size_.end()) {
            const auto [free_size, offset] = *fit;
            remove(offset, free_size);
            if (free_size > size) insert(offset + size, free_size - size);
            return offset;
        }
        // None is large enough; one at the end can grow.
        std::uint64_t offset = end_;
        if (!by_offset_.empty()) {
            const auto [last, last_size] = *by_offset_.rbegin();
            if (last + last_size == end_) {
                offset = last;
                remove(last, last_size);
            }
        }
        end_ = offset + size;
        return offset;
    }

    void give_back(std::uint64_t offset, std::uint64_t size) {
        auto next = by_offset_.lower_bound(offset);
        if (next != by_offset_.end() && offset + size == next->first) {
            const std::uint64_t next_size = next->second;
            remove(next->first, next_size);
            size += next_size;
        }
        next = by_offset_.lower_bound(offset);
        if (next != by_offset_.begin()) {
            const auto [before, before_size] = *std::prev(next);
            if (before + before_size == offset) {
                remove(before, before_size);
                offset = before;
                size += before_size;
            }
        }
        insert(offset, size);
    }

    std::uint64_t end() const { return end_; }

  private:
    void insert(std::uint64_t offset, std::uint64_t size) {
        by_offset_.emplace(offset, size);
        by_size_.emplace(size, offset);
    }
    void remove(std::uint64_t offset, std::uint64_t size) {
        by_offset_.erase(offset);
        by_size_.erase({size, offset});
    }

    std::map<std::uint64_t, std::uint64_t> by_offset_;
    std::set<std::pair<std::uint64_t, std::uint64_t>> by_size_;
    std::uint64_t end_ = 0;
};

constexpr std::size_t kForever = ~std::size_t{0};
constexpr std::size_t kNever = kForever - 1;

class Placer {
  public:
    explicit Placer(Draft& draft)
        : draft_(draft), last_read_(draft.tensors.size(), kNever), placed_(draft.tensors.size(), false) {
        for (std::size_t i = 0; i < draft.steps.size(); ++i)
            each_read(draft.steps[i].step, [&](std::uint32_t tensor) { last_read_[tensor] = i; });
        for (const DraftPort& output : draft.outputs)
            last_read_[output.tensor] = kForever;
    }

    std::uint64_t run() {
        for (const DraftPort& input : draft_.inputs)
            place(input.tensor, scratch_.take(size_of(input.tensor)));
        for (const DraftPort& input : draft_.inputs)
            if (last_read_[input.tensor] == kNever) release(input.tensor);
        for (std::size_t i = 0; i < draft_.steps.size(); ++i) {
            const core::NetworkStep& step = draft_.steps[i].step;
            if (!placed_[step.output]) {
                const std::uint32_t heir = inherits(i);
                if (heir != core::kNoTensor) {
                    place(step.output, draft_.tensors[heir].tensor.offset);
                    last_read_[heir] = kNever;  // its place is not given back
                } else {
                    place(step.output, scratch_.take(size_of(step.output)));
                }
            }
            // A tensor may be read twice by one step; it is released once.
            each_read(step, [&](std::uint32_t tensor) {
                if (last_read_[tensor] != i || draft_.is_constant(tensor)) return;
                last_read_[tensor] = kNever;
                release(tensor);
            });
        }
        return scratch_.end();
    }

  private:
    std::uint64_t size_of(std::uint32_t tensor) const { return rounded(draft_.tensor(tensor).count); }

    void place(std::uint32_t tensor, std::uint64_t offset) {
        draft_.tensors[tensor].tensor.offset = offset;
        placed_[tensor] = true;
    }
    void release(std::uint32_t tensor) { scratch_.give_back(draft_.tensor(tensor).offset, size_of(tensor)); }

    // The operand that step i may write over; kNoTensor where it has none.
    std::uint32_t inherits(std::size_t i) const {
        const core::NetworkStep& step = draft_.steps[i].step;
        if (step.op != core::NetworkOp::unary && step.op != core::NetworkOp::binary) return core::kNoTensor;
        for (const std::uint32_t input : step.inputs)
            if (input != core::kNoTensor && !draft_.is_constant(input) && last_read_[input] == i &&
                draft_.tensor(input).count == draft_.tensor(step.output).count)
                return input;
        return core::kNoTensor;
    }

    Draft& draft_;
    Scratch scratch_;
    std::vector<std::size_t> last_read_;
    std::vector<bool> placed_;
};

}  // namespace

std::uint64_t place_tensors(Draft& draft) {
    return Placer(draft).run();
}

}  // namespace augur::model
