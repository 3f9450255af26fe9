// Percentiles of timings.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace augur::demo {

struct Percentiles {
    double p50 = 0.0;
    double p95 = 0.0;
    double p99 = 0.0;
    double max = 0.0;
};

/// Keeps the last `capacity` samples in a ring, and gives their percentiles (nearest rank). One allocation, at the
/// start.
class Samples {
  public:
    explicit Samples(std::size_t capacity) : capacity_(std::max<std::size_t>(capacity, 1)) {
        values_.reserve(capacity_);
    }

    void add(double value) {
        if (values_.size() < capacity_) {
            values_.push_back(value);
        } else {
            values_[next_] = value;
        }
        next_ = (next_ + 1) % capacity_;
    }
    void clear() {
        values_.clear();
        next_ = 0;
    }
    std::size_t size() const { return values_.size(); }

    /// The sample `age` frames ago; 0 is the newest. `age` must be below size().
    double recent(std::size_t age) const { return values_[(next_ + values_.size() - 1 - age) % values_.size()]; }

    Percentiles percentiles() const {
        Percentiles result;
        if (values_.empty()) return result;
        sorted_.assign(values_.begin(), values_.end());
        std::sort(sorted_.begin(), sorted_.end());
        result.p50 = at_rank(0.50);
        result.p95 = at_rank(0.95);
        result.p99 = at_rank(0.99);
        result.max = sorted_.back();
        return result;
    }

  private:
    double at_rank(double share) const {
        const auto count = static_cast<double>(sorted_.size());
        const auto rank = static_cast<std::size_t>(share * count + 0.999999);
        return sorted_[std::clamp<std::size_t>(rank, 1, sorted_.size()) - 1];
    }

    std::size_t capacity_;
    std::size_t next_ = 0;
    std::vector<double> values_;
    mutable std::vector<double> sorted_;
};

}  // namespace augur::demo
