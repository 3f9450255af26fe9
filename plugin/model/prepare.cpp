#include "model/prepare.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <new>

#include "model/reference.h"
#include "model/samples.h"

namespace augur::model {
namespace {

using core::NetworkProgram;
using core::NetworkView;
using core::Precision;

// How much of the numbers' sizes an int8 range takes in, tried with and without scales of single elements; what has the
// least error is kept.
constexpr double kShares[] = {1.0, 0.9999, 0.999};
// Beyond this many multiplications the samples are cut short, so that loading a large network does not take minutes.
// Samples that int8 takes its scales from are worth more.
constexpr std::uint64_t kMultiplyAdds = 2000000000;
constexpr std::uint64_t kCalibrationMultiplyAdds = 8000000000;
constexpr std::uint32_t kMostRows = 256;

const char* name_of(Precision precision) {
    switch (precision) {
        case Precision::fp32:
            return "fp32";
        case Precision::fp16:
            return "fp16";
        case Precision::int8:
            return "int8";
    }
    return "";
}

std::string text_of(float x) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.4g", static_cast<double>(x));
    return text;
}

using Outputs = std::vector<std::vector<float>>;

class Canary {
  public:
    Canary(Prepared& prepared, const PrepareOptions& options, std::string& message)
        : prepared_(prepared), options_(options), net_(prepared.network.view()), message_(message) {}

    void run() {
        const Precision wanted = wanted_precision();
        samples_ = make_samples(net_, options_.sample_inputs, options_.sample_rows, rows(wanted));
        prepared_.sample_rows = samples_.rows;
        prepared_.precision = Precision::fp32;
        if (wanted == Precision::int8) {
            // By the reference, whatever the backend: int8 networks are the same on every machine, so what their scales
            // and the choice between them rest on has to be.
            const std::vector<const float*> inputs = samples_.pointers();
            const std::vector<float*> outputs = make_outputs(&truth_);
            const RangeMeter meter(net_, inputs.data(), outputs.data(), samples_.rows);
            look_at_outputs();
            choose_int8(meter);
        } else {
            truth_ = evaluate(prepared_.program());
            look_at_outputs();
            choose(wanted);
        }
        compare_runs();
    }

  private:
    Precision wanted_precision() const {
        switch (options_.precision) {
            case PrecisionChoice::fp16:
                return Precision::fp16;
            case PrecisionChoice::int8:
                return Precision::int8;
            case PrecisionChoice::automatic:
                return options_.for_gpu ? Precision::fp16 : Precision::fp32;
            case PrecisionChoice::fp32:
                break;
        }
        return Precision::fp32;
    }

    std::uint32_t rows(Precision wanted) const {
        const bool calibrates = wanted == Precision::int8 && options_.sample_rows != 0;
        const std::uint64_t most = calibrates ? kCalibrationMultiplyAdds : kMultiplyAdds;
        const std::uint64_t each = std::max<std::uint64_t>(prepared_.network.multiply_adds, 1);
        return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(most / each, 1, kMostRows));
    }

    void choose(Precision wanted) {
        prepared_.errors = errors_of(truth_);
        chosen_ = truth_;
        if (wanted == Precision::fp16 && !try_fp16()) say("It runs in fp32 instead.");
    }

    void choose_int8(const RangeMeter& meter) {
        if (try_int8(meter)) return;
        const Precision next = options_.for_gpu ? Precision::fp16 : Precision::fp32;
        say("It runs in " + std::string(name_of(next)) + " instead.");
        choose(next);
    }

    // The same program on the same rows gives the same bits, or somebody reads what was never written.
    void compare_runs() {
        const Outputs first = prepared_.precision == Precision::fp32 && wanted_precision() == Precision::int8
                                  ? evaluate(prepared_.program())  // the truth was the reference's
                                  : chosen_;
        const Outputs again = evaluate(prepared_.program());
        for (std::size_t o = 0; o < first.size(); ++o)
            if (std::memcmp(first[o].data(), again[o].data(), first[o].size() * sizeof(float)) != 0)
                say("Two runs on the same samples gave different numbers in output '" + output_name(o) + "'.");
    }

    void say(const std::string& sentence) { message_ += sentence + "\n"; }

    std::string step_text(std::uint32_t step) const {
        std::string text = "step " + std::to_string(step);
        const std::vector<std::string>& names = prepared_.network.step_names;
        if (step < names.size() && !names[step].empty()) text += " (node '" + names[step] + "')";
        return text;
    }

    const std::string& output_name(std::size_t output) const { return prepared_.network.outputs[output].name; }

    // Room for all rows; the places of it.
    std::vector<float*> make_outputs(Outputs* outputs) const {
        std::vector<float*> pointers;
        for (std::uint32_t o = 0; o < net_.output_count; ++o)
            outputs->emplace_back(static_cast<std::size_t>(samples_.rows) * net_.tensors[net_.outputs[o]].count);
        for (std::vector<float>& output : *outputs)
            pointers.push_back(output.data());
        return pointers;
    }

    Outputs evaluate(const NetworkProgram& program) const {
        Outputs outputs;
        const std::vector<float*> pointers = make_outputs(&outputs);
        const std::vector<const float*> inputs = samples_.pointers();
        if (!options_.run || !options_.run(program, inputs.data(), pointers.data(), samples_.rows))
            run_reference(program, inputs.data(), pointers.data(), samples_.rows);
        return outputs;
    }

    std::vector<HeadError> errors_of(const Outputs& outputs) const {
        std::vector<HeadError> errors;
        for (std::size_t o = 0; o < outputs.size(); ++o) {
            HeadError error{};
            double squares = 0.0;
            float greatest = 0.0f;
            bool first = true;
            for (std::size_t i = 0; i < outputs[o].size(); ++i) {
                const float expected = truth_[o][i];
                if (!std::isfinite(expected)) continue;  // said once; no measure of anything
                error.least = first ? expected : std::min(error.least, expected);
                error.most = first ? expected : std::max(error.most, expected);
                first = false;
                const float difference = std::fabs(outputs[o][i] - expected);
                // What became NaN is wrong by as much as can be.
                greatest = difference <= greatest ? greatest : difference;
                squares += double{difference} * double{difference};
            }
            error.range = std::max(error.most - error.least, 1e-6f);
            error.greatest = greatest / error.range;
            const auto count = static_cast<double>(std::max<std::size_t>(outputs[o].size(), 1));
            error.mean_square = static_cast<float>(std::sqrt(squares / count)) / error.range;
            errors.push_back(error);
        }
        return errors;
    }

    std::uint32_t output_of(core::NetworkHead head) const { return net_.heads[static_cast<std::uint32_t>(head)]; }

    // Whether an output has a say in what precision and which scales are good enough. Beside a policy or a value a
    // reward has none: no search reads it, and with it a search has to decide as without.
    bool counts(std::size_t output) const {
        const bool guides = output_of(core::NetworkHead::policy) != core::kNoHead ||
                            output_of(core::NetworkHead::value) != core::kNoHead;
        return !guides || output != output_of(core::NetworkHead::reward);
    }

    // The output with the greatest error, of those that count; there always is one.
    std::size_t worst(const std::vector<HeadError>& errors) const {
        std::size_t worst = errors.size();
        for (std::size_t o = 0; o < errors.size(); ++o)
            if (counts(o) && (worst == errors.size() || !(errors[o].greatest <= errors[worst].greatest))) worst = o;
        return worst;
    }

    std::string change_text(Precision precision, std::size_t output, const HeadError& error) const {
        return std::string(name_of(precision)) + " changes output '" + output_name(output) + "' by up to " +
               text_of(error.greatest * 100.0f) + " % of its range, allowed " + text_of(options_.error_limit * 100.0f) +
               " % (" + std::to_string(samples_.rows) + " sample rows)";
    }

    bool accept(Precision precision, Outputs outputs, const std::vector<HeadError>& errors) {
        const std::size_t at = worst(errors);
        if (!(errors[at].greatest <= options_.error_limit)) {
            say(change_text(precision, at, errors[at]) + ".");
            return false;
        }
        for (std::size_t o = 0; o < errors.size(); ++o)
            if (!counts(o) && !(errors[o].greatest <= options_.error_limit))
                say(change_text(precision, o, errors[o]) + "; kept, as no search reads it.");
        prepared_.errors = errors;
        prepared_.precision = precision;
        chosen_ = std::move(outputs);
        return true;
    }

    bool try_fp16() {
        HalfOverflow overflow{};
        if (!make_half_weights(net_, &prepared_.half, &overflow)) {
            say("fp16 is not possible: weight " + std::to_string(overflow.place) + " of " + step_text(overflow.step) +
                " is " + text_of(overflow.value) + ", the greatest half is 65504.");
            prepared_.half = {};
            return false;
        }
        NetworkProgram program = prepared_.program();
        program.precision = Precision::fp16;
        Outputs outputs = evaluate(program);
        const std::vector<HeadError> errors = errors_of(outputs);
        if (accept(Precision::fp16, std::move(outputs), errors)) return true;
        prepared_.half = {};
        return false;
    }

    bool try_int8(const RangeMeter& meter) {
        std::vector<HeadError> best_errors;
        Outputs best_outputs;
        for (std::size_t candidate = 0; candidate < 2 * std::size(kShares); ++candidate) {
            const double share = kShares[candidate / 2];
            const bool by_element = candidate % 2 == 0;
            Quantised quantised;
            std::uint32_t step = 0;
            std::string why;
            if (!quantise(net_, meter.ranges(share, by_element), &quantised, &step, why)) {
                say("int8 is not possible: " + step_text(step) + ": " + why + ".");
                return false;
            }
            NetworkProgram program = prepared_.program();
            program.precision = Precision::int8;
            program.quantised = quantised.view();
            Outputs outputs = evaluate(program);
            const std::vector<HeadError> errors = errors_of(outputs);
            const bool better =
                best_errors.empty() || errors[worst(errors)].greatest < best_errors[worst(best_errors)].greatest;
            if (!better) continue;
            best_errors = errors;
            best_outputs = std::move(outputs);
            prepared_.quantised = std::move(quantised);
        }
        if (accept(Precision::int8, std::move(best_outputs), best_errors)) return true;
        prepared_.quantised = {};
        return false;
    }

    void look_at_outputs() {
        for (std::size_t o = 0; o < truth_.size(); ++o) {
            const std::vector<float>& values = truth_[o];
            const std::string name = "output '" + output_name(o) + "'";
            const auto odd = std::count_if(values.begin(), values.end(), [](float x) { return !std::isfinite(x); });
            if (odd != 0)
                say(std::to_string(odd) + " of " + std::to_string(values.size()) + " numbers of " + name +
                    " are not finite on the samples.");
            if (is_constant(values)) say("The samples make no difference to " + name + ": it is constant.");
            if (output_of(core::NetworkHead::value) == o) look_at_value(values, name);
        }
    }

    bool is_constant(const std::vector<float>& values) const {
        const std::size_t count = values.size() / samples_.rows;
        return samples_.rows > 1 &&
               std::equal(values.begin() + static_cast<std::ptrdiff_t>(count), values.end(), values.begin());
    }

    void look_at_value(const std::vector<float>& values, const std::string& name) {
        const auto outside = std::count_if(values.begin(), values.end(), [&](float x) {
            return std::isfinite(x) && (x < options_.value_least || x > options_.value_most);
        });
        if (outside != 0)
            say(std::to_string(outside) + " of " + std::to_string(values.size()) + " values in " + name +
                " lie outside of [" + text_of(options_.value_least) + ", " + text_of(options_.value_most) +
                "] on the samples; the search limits them.");
    }

    Prepared& prepared_;
    const PrepareOptions& options_;
    const NetworkView net_;
    std::string& message_;
    Samples samples_;
    Outputs truth_, chosen_;
};

}  // namespace

core::NetworkProgram Prepared::program() const {
    core::NetworkProgram program{};
    program.network = network.view();
    program.precision = precision;
    program.quantised = quantised.view();
    program.half = half.view();
    return program;
}

augur_result prepare(Network&& network, const PrepareOptions& options, Prepared* out, std::string& message) {
    message.clear();
    if (!(options.error_limit >= 0.0f)) {
        message = "error_limit is " + text_of(options.error_limit) + ", allowed 0 and more";
        return AUGUR_ERROR_INVALID_ARGUMENT;
    }
    try {
        if (!samples_are_usable(network.view(), options.sample_inputs, options.sample_rows, message))
            return AUGUR_ERROR_INVALID_ARGUMENT;
        *out = {};
        out->network = std::move(network);
        Canary(*out, options, message).run();
        return AUGUR_OK;
    } catch (const std::bad_alloc&) {
        message = "no memory to prepare the network";
        return AUGUR_ERROR_OUT_OF_MEMORY;
    } catch (const std::exception& error) {
        message = std::string("preparing the network failed: ") + error.what();
        return AUGUR_ERROR_INTERNAL;
    }
}

}  // namespace augur::model
