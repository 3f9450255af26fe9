// From floats to int8: ranges of all tensors are measured on sample rows, and weights, factors and tables made for
// them.
#ifndef AUGUR_MODEL_QUANTISE_H
#define AUGUR_MODEL_QUANTISE_H

#include <string>
#include <vector>

#include "core/network_int8.h"

namespace augur::model {

// Owns what a QuantisedView shows.
struct Quantised {
    std::vector<core::QuantisedTensor> tensors;
    std::vector<core::QuantisedStep> steps;
    std::vector<std::int8_t> weights;
    std::vector<std::int32_t> biases;
    std::vector<core::Rescale> rescales;
    std::vector<float> scales;
    std::vector<std::int8_t> tables;

    core::QuantisedView view() const {
        return {tensors.data(),  steps.data(),  weights.data(), biases.data(),
                rescales.data(), scales.data(), tables.data()};
    }
};

// How far numbers go from zero in each tensor, and in each step's result before its activation.
struct Ranges {
    std::vector<float> tensors;
    std::vector<float> before;  // [steps]
    // [tensors][elements] or empty: tensors that dense layers hand to dense layers alone may have a scale for each
    // element, because factors of the one and weights of the other take it in at no cost (after Nagel et al.: Data-free
    // quantization through weight equalization and bias correction, ICCV 2019).
    std::vector<std::vector<float>> elements;
};

// Sizes of numbers, collected while a network runs on samples.
class RangeMeter {
  public:
    // Runs rows through the network in floats, as run_reference.
    RangeMeter(const core::NetworkView& net, const float* const* inputs, float* const* outputs, std::uint32_t rows);
    // What the given share of the numbers that are not zero stays within; 1: all. by_element: see Ranges::elements.
    Ranges ranges(double share, bool by_element) const;

  private:
    // Sizes of floats in 128 classes for each power of two.
    struct Histogram {
        std::vector<std::uint32_t> counts;
        std::uint64_t total = 0;
        float greatest = 0.0f;
        void add(const float* values, std::uint32_t count);
        float range(double share) const;
    };
    std::vector<Histogram> tensors_, before_;
    std::vector<std::vector<float>> elements_;  // of tensors that can have scales for each
};

// Factor nearest to ratio, 0 <= ratio < 2^30.
core::Rescale make_rescale(double ratio);

// False, with the step's number and why in words, where a step has no int8 form: then the network has none.
// Outputs and what only stands between the last weights and an output stay floats.
bool quantise(const core::NetworkView& net, const Ranges& ranges, Quantised* out, std::uint32_t* step,
              std::string& why);

}  // namespace augur::model

#endif  // AUGUR_MODEL_QUANTISE_H
