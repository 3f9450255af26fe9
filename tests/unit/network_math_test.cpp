// The exact functions of core against the mathematics library in double precision, over all floats in strides.

#include "core/network_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/half.h"
#include "support/split_mix.h"

namespace augur::test {
namespace {

using core::float_bits;
using core::float_of_bits;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr double kLeastNormal = 1.1754943508222875e-38;
constexpr double kLeastFloat = 1.401298464324817e-45;

struct Worst {
    double relative = 0.0;  // of normal results
    double units = 0.0;     // of denormal results, in least floats
};

// Compares f with the truth g on every 1021st float (a prime, so that all low bits are met) within [low, high].
template <class F, class G>
Worst sweep(F f, G g, float low = -kInfinity, float high = kInfinity) {
    Worst worst;
    for (std::uint64_t bits = 0; bits < 1ull << 32; bits += 1021) {
        const float x = float_of_bits(static_cast<std::uint32_t>(bits));
        if (!(x >= low && x <= high)) continue;
        const double truth = g(static_cast<double>(x));
        const float y = f(x);
        if (std::isnan(truth) || std::isinf(y) || std::isinf(truth)) {
            EXPECT_EQ(std::isnan(truth), std::isnan(y)) << x;
            if (!std::isnan(truth)) {
                EXPECT_EQ(y, static_cast<float>(truth)) << x;
            }
            continue;
        }
        const double error = std::fabs(static_cast<double>(y) - truth);
        if (std::fabs(truth) < kLeastNormal)
            worst.units = std::max(worst.units, error / kLeastFloat);
        else
            worst.relative = std::max(worst.relative, error / std::fabs(truth));
    }
    return worst;
}

TEST(ExactMath, ExponentialKeepsItsBoundOverAllFloats) {
    const Worst worst = sweep([](float x) { return core::exponential(x); }, [](double x) { return std::exp(x); });
    EXPECT_LT(worst.relative, 1e-7);
    EXPECT_LT(worst.units, 1.0);
}

TEST(ExactMath, ExponentialOverflowsUnderflowsAndPassesNan) {
    EXPECT_EQ(core::exponential(kInfinity), kInfinity);
    EXPECT_EQ(core::exponential(88.7228394f), kInfinity);
    EXPECT_LT(core::exponential(88.7228317f), kInfinity);
    EXPECT_EQ(core::exponential(-kInfinity), 0.0f);
    EXPECT_EQ(core::exponential(-104.0f), 0.0f);
    EXPECT_EQ(core::exponential(-103.0f), static_cast<float>(std::exp(-103.0)));  // denormal
    EXPECT_EQ(core::exponential(0.0f), 1.0f);
    EXPECT_EQ(core::exponential(-0.0f), 1.0f);
    EXPECT_TRUE(std::isnan(core::exponential(kNan)));
    EXPECT_TRUE(std::isnan(core::exponential(-kNan)));
}

TEST(ExactMath, ExponentialMinusOneKeepsItsBoundNearZeroAndFarAway) {
    const Worst worst = sweep([](float x) { return core::exponential_minus_one(x); },
                              [](double x) { return std::expm1(x); }, -kInfinity, 80.0f);
    EXPECT_LT(worst.relative, 1.5e-7);
    EXPECT_LT(worst.units, 1.0);
    EXPECT_TRUE(std::isnan(core::exponential_minus_one(kNan)));
}

TEST(ExactMath, HyperbolicTangentKeepsItsBoundOverAllFloats) {
    const Worst worst =
        sweep([](float x) { return core::hyperbolic_tangent(x); }, [](double x) { return std::tanh(x); });
    EXPECT_LT(worst.relative, 2e-7);
    EXPECT_LT(worst.units, 1.0);
    EXPECT_EQ(core::hyperbolic_tangent(20.0f), 1.0f);
    EXPECT_EQ(core::hyperbolic_tangent(-kInfinity), -1.0f);
    EXPECT_EQ(float_bits(core::hyperbolic_tangent(-0.0f)), 0x80000000u);
    EXPECT_TRUE(std::isnan(core::hyperbolic_tangent(kNan)));
}

TEST(ExactMath, NaturalLogarithmKeepsItsBoundOverAllFloats) {
    const Worst worst = sweep([](float x) { return core::natural_log(x); }, [](double x) { return std::log(x); });
    EXPECT_LT(worst.relative, 2e-7);
    EXPECT_EQ(core::natural_log(1.0f), 0.0f);
    EXPECT_EQ(core::natural_log(0.0f), -kInfinity);
    EXPECT_EQ(core::natural_log(-0.0f), -kInfinity);
    EXPECT_EQ(core::natural_log(kInfinity), kInfinity);
    EXPECT_TRUE(std::isnan(core::natural_log(-1e-40f)));
    EXPECT_TRUE(std::isnan(core::natural_log(-kInfinity)));
    EXPECT_TRUE(std::isnan(core::natural_log(kNan)));
}

TEST(ExactMath, ActivationsKeepTheirBoundsOverAllFloats) {
    const Worst sigmoid =
        sweep([](float x) { return core::sigmoid(x); }, [](double x) { return 1.0 / (1.0 + std::exp(-x)); });
    EXPECT_LT(sigmoid.relative, 3e-7);
    EXPECT_LT(sigmoid.units, 1.0);
    const Worst erf = sweep([](float x) { return core::error_function(x); }, [](double x) { return std::erf(x); });
    EXPECT_LT(erf.relative, 3e-7);
    EXPECT_LT(erf.units, 1.0);
    const Worst softplus = sweep([](float x) { return core::softplus(x); },
                                 [](double x) { return std::fmax(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); });
    EXPECT_LT(softplus.relative, 3e-7);
    EXPECT_LT(softplus.units, 2.0);
}

// Their negative tails are differences of nearly equal numbers, in ONNX's formula as here, so the bound is absolute.
TEST(ExactMath, GeluIsWithinRoundingOfItsFormula) {
    for (float x = -30.0f; x <= 30.0f; x += 0.00037f) {
        const double d = static_cast<double>(x);
        const double bound = 2e-7 * std::fmax(1.0, std::fabs(d));
        ASSERT_NEAR(core::gelu(x), d / 2 * (1 + std::erf(d / std::sqrt(2.0))), bound);
        ASSERT_NEAR(core::gelu_tanh(x), d / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (d + 0.044715 * d * d * d))),
                    bound);
    }
}

TEST(ExactMath, EveryActivationFollowsItsFormula) {
    using core::Activation;
    const auto near = [](Activation activation, double (*formula)(double), float alpha, float beta) {
        for (float x = -9.0f; x <= 9.0f; x += 0.0123f) {
            const double y = formula(static_cast<double>(x));
            if (std::isnan(y)) continue;
            ASSERT_NEAR(core::activate(activation, alpha, beta, x), y, 3e-7 * std::fmax(1.0, std::fabs(y)))
                << static_cast<int>(activation) << " of " << x;
        }
    };
    near(
        Activation::none, [](double x) { return x; }, 0, 0);
    near(
        Activation::relu, [](double x) { return std::fmax(x, 0.0); }, 0, 0);
    near(
        Activation::leaky_relu, [](double x) { return x < 0 ? 0.125 * x : x; }, 0.125f, 0);
    near(
        Activation::elu, [](double x) { return x < 0 ? 1.5 * std::expm1(x) : x; }, 1.5f, 0);
    near(
        Activation::sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }, 0, 0);
    near(
        Activation::tanh, [](double x) { return std::tanh(x); }, 0, 0);
    near(
        Activation::clip, [](double x) { return std::fmin(std::fmax(x, -1.0), 6.0); }, -1.0f, 6.0f);
    near(
        Activation::clip, [](double) { return -2.0; }, 3.0f, -2.0f);  // crossed limits: the upper one
    near(
        Activation::erf, [](double x) { return std::erf(x); }, 0, 0);
    near(
        Activation::exp, [](double x) { return std::exp(x); }, 0, 0);
    near(
        Activation::square_root, [](double x) { return std::sqrt(x); }, 0, 0);
    near(
        Activation::absolute, [](double x) { return std::fabs(x); }, 0, 0);
    near(
        Activation::negate, [](double x) { return -x; }, 0, 0);
    near(
        Activation::softplus, [](double x) { return std::log1p(std::exp(x)); }, 0, 0);
    near(
        Activation::hard_sigmoid, [](double x) { return std::fmax(0.0, std::fmin(1.0, 0.25 * x + 0.5)); }, 0.25f, 0.5f);
    near(
        Activation::hard_swish, [](double x) { return x * std::fmax(0.0, std::fmin(1.0, x / 6 + 0.5)); }, 0, 0);
}

TEST(ExactMath, NanComesOutOfEveryActivation) {
    for (std::uint32_t a = 0; a <= static_cast<std::uint32_t>(core::Activation::hard_swish); ++a)
        EXPECT_TRUE(std::isnan(core::activate(static_cast<core::Activation>(a), 0.1f, 0.9f, kNan))) << a;
    for (std::uint32_t op = 1; op <= static_cast<std::uint32_t>(core::BinaryOp::maximum); ++op) {
        EXPECT_TRUE(std::isnan(core::combine(static_cast<core::BinaryOp>(op), kNan, 2.0f))) << op;
        EXPECT_TRUE(std::isnan(core::combine(static_cast<core::BinaryOp>(op), 2.0f, kNan))) << op;
    }
}

TEST(ExactMath, PowerFollowsIeee) {
    SplitMix64 random(11);
    const auto check = [](float x, float y) {
        const auto truth = static_cast<float>(std::pow(static_cast<double>(x), static_cast<double>(y)));
        const float result = core::power(x, y);
        if (std::isnan(truth)) {
            ASSERT_TRUE(std::isnan(result)) << x << " ^ " << y;
        } else if (std::isinf(truth)) {
            ASSERT_EQ(result, truth) << x << " ^ " << y;
        } else {
            ASSERT_NEAR(result, truth, std::fabs(truth) * 1.2e-7f + 1.5e-45f) << x << " ^ " << y;
            ASSERT_EQ(std::signbit(result), std::signbit(truth)) << x << " ^ " << y;
        }
    };
    for (int trial = 0; trial < 300000; ++trial) {
        const float x = float_of_bits(static_cast<std::uint32_t>(random.next()));
        const float y = trial % 2 == 0 ? float_of_bits(static_cast<std::uint32_t>(random.next()))
                                       : static_cast<float>(random.below(81) - 40) * 0.5f;
        check(x, y);
        check(static_cast<float>(random.below(2000000)) * 1e-5f - 10.0f, static_cast<float>(random.below(9) - 4));
    }
    for (const float x : {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, -2.0f, kInfinity, -kInfinity})
        for (const float y :
             {0.0f, 1.0f, -1.0f, 2.0f, 3.0f, -3.0f, 0.5f, -0.5f, kInfinity, -kInfinity, 1e30f, 16777217.0f})
            check(x, y);
}

TEST(Softmax, LinesSumToOneAndItsLogarithmAgrees) {
    const float in[6] = {1.0f, 9.0f, -2.0f, 9.0f, 100.0f, 9.0f};
    float out[6] = {};
    core::softmax_line(in, out, 3, 2, false);
    const double sum = std::exp(-99.0) + std::exp(-102.0) + 1.0;
    EXPECT_NEAR(out[0], std::exp(-99.0) / sum, 1e-45);
    EXPECT_EQ(out[4], 1.0f);
    EXPECT_EQ(out[1], 0.0f);  // between the line's elements nothing is written
    const float line[3] = {0.5f, -1.0f, 2.0f};
    float logarithms[3];
    core::softmax_line(line, logarithms, 3, 1, true);
    const double total = std::log(std::exp(0.5) + std::exp(-1.0) + std::exp(2.0));
    for (int i = 0; i < 3; ++i)
        EXPECT_NEAR(logarithms[i], static_cast<double>(line[i]) - total, 5e-7);
}

TEST(LayerNorm, NormalisesScalesAndShifts) {
    const float in[4] = {1.0f, 2.0f, 3.0f, 6.0f};  // mean 3, variance 3.5
    const float w[4] = {1.0f, 2.0f, 3.0f, -1.0f};
    const float bias[4] = {0.0f, 1.0f, 0.0f, 0.5f};
    float out[4];
    core::layer_norm_line(in, out, 4, 0.5f, w, bias);
    const float expected[4] = {-1.0f, 0.0f, 0.0f, -1.0f};
    for (int i = 0; i < 4; ++i)
        EXPECT_FLOAT_EQ(out[i], expected[i]);
}

TEST(Half, EveryHalfComesBackFromItsFloat) {
    for (std::uint32_t h = 0; h < 65536; ++h) {
        const auto half = static_cast<std::uint16_t>(h);
        const float x = core::float_of_half(half);
        if ((h & 0x7fffu) > 0x7c00u) {
            ASSERT_TRUE(std::isnan(x)) << h;
            ASSERT_EQ(core::half_of_float(x), h | 0x200u) << h;
            continue;
        }
        ASSERT_EQ(core::half_of_float(x), half) << h;
        // The value, from the definition of the format.
        const double mantissa = static_cast<double>(h & 0x3ffu) / 1024.0;
        const int exponent = static_cast<int>(h >> 10 & 31u);
        const double size = exponent == 0    ? std::ldexp(mantissa, -14)
                            : exponent == 31 ? std::numeric_limits<double>::infinity()
                                             : std::ldexp(1.0 + mantissa, exponent - 15);
        ASSERT_EQ(static_cast<double>(x), h & 0x8000u ? -size : size) << h;
    }
}

TEST(Half, RoundsToTheNearestAndTiesToEven) {
    EXPECT_EQ(core::half_of_float(1.0f + 0x1p-11f), 0x3c00);      // half way to the next: even is below
    EXPECT_EQ(core::half_of_float(1.0f + 3 * 0x1p-11f), 0x3c02);  // even is above
    EXPECT_EQ(core::half_of_float(1.0f + 0x1p-11f + 0x1p-23f), 0x3c01);
    EXPECT_EQ(core::half_of_float(0x1p-25f), 0x0000);  // half the least
    EXPECT_EQ(core::half_of_float(0x1.000002p-25f), 0x0001);
    EXPECT_EQ(core::half_of_float(0x1.ffcp-15f + 0x1p-26f), 0x0400);  // rounds up to the least normal
    EXPECT_EQ(core::half_of_float(65519.996f), 0x7bff);
    EXPECT_EQ(core::half_of_float(65520.0f), core::kHalfInfinity);
    EXPECT_EQ(core::half_of_float(-kInfinity), 0xfc00);
    EXPECT_FALSE(core::overflows_half(65519.996f));
    EXPECT_TRUE(core::overflows_half(-65520.0f));
    EXPECT_FALSE(core::overflows_half(kInfinity));
    EXPECT_FALSE(core::overflows_half(kNan));
}

#if defined(__FLT16_MANT_DIG__)
TEST(Half, AgreesWithTheCompilersOwn) {
    for (std::uint64_t bits = 0; bits < 1ull << 32; bits += 257) {
        const float x = float_of_bits(static_cast<std::uint32_t>(bits));
        if (std::isnan(x)) continue;
        ASSERT_EQ(core::half_of_float(x), std::bit_cast<std::uint16_t>(static_cast<_Float16>(x))) << x;
    }
}
#endif

}  // namespace
}  // namespace augur::test
