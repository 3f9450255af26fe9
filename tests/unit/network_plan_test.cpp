// What the CUDA backend plans for a network, checked without a GPU: everything that a kernel reads was written by one
// before it, or is an input or constant; what lives at the same time lies apart; packed weights lie in the block.

#include "backend/cuda/network_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "bench/networks.h"
#include "model/half_weights.h"
#include "model/quantise.h"
#include "support/network_zoo.h"

namespace augur::test {
namespace {

using core::Precision;
using cuda::NetworkPlan;
using cuda::PlannedTensor;
using cuda::PlannedWork;
using Home = PlannedTensor::Home;
using Kind = PlannedWork::Kind;

struct Planned {
    model::HalfWeights half;
    model::Quantised quantised;
    core::NetworkProgram program{};
    bool possible = true;
    NetworkPlan plan;

    Planned(const core::NetworkView& net, Precision precision) {
        program.network = net;
        program.precision = precision;
        if (precision == Precision::fp16) {
            model::HalfOverflow overflow{};
            possible = model::make_half_weights(net, &half, &overflow);
            program.half = half.view();
        } else if (precision == Precision::int8) {
            Batch samples(net, 4, 99);
            const model::RangeMeter meter(net, samples.in(net).data(), samples.out(net).data(), samples.rows);
            std::uint32_t step = 0;
            std::string why;
            possible = model::quantise(net, meter.ranges(1.0, true), &quantised, &step, why);
            program.quantised = quantised.view();
        }
        if (possible) plan = cuda::make_plan(program);
    }
};

template <class F>
void for_each_plan(F f) {
    for (const ZooNetwork& zoo : network_zoo())
        for (const Precision precision : {Precision::fp32, Precision::fp16, Precision::int8}) {
            SCOPED_TRACE(zoo.name + ", precision " + std::to_string(static_cast<std::uint32_t>(precision)));
            const Planned planned(zoo.network.view(), precision);
            if (planned.possible) f(planned);
        }
}

TEST(NetworkPlan, EveryKernelReadsWhatIsThere) {
    for_each_plan([](const Planned& planned) {
        const NetworkPlan& plan = planned.plan;
        std::set<std::uint32_t> written;
        const auto is_there = [&](std::uint32_t t) {
            return t == core::kNoTensor || plan.tensors[t].home == Home::constant ||
                   plan.tensors[t].home == Home::input || written.count(t) != 0;
        };
        std::set<std::uint32_t> given;
        const auto write = [&](std::uint32_t t) {
            if (t == core::kNoTensor) return;
            EXPECT_TRUE(plan.tensors[t].home == Home::scratch || plan.tensors[t].home == Home::output);
            if (plan.tensors[t].home == Home::output) given.insert(plan.tensors[t].port);
            written.insert(t);
        };
        for (const PlannedWork& work : plan.works) {
            EXPECT_TRUE(is_there(work.a) && is_there(work.b) && is_there(work.residual));
            EXPECT_EQ(work.kind == Kind::chain, !work.layers.empty());
            for (const cuda::PlannedLayer& layer : work.layers)
                write(layer.stored);
            write(work.output);
        }
        EXPECT_EQ(given.size(), planned.program.network.output_count);
    });
}

TEST(NetworkPlan, WhatLivesAtTheSameTimeLiesApart) {
    for_each_plan([](const Planned& planned) {
        const NetworkPlan& plan = planned.plan;
        for (const std::uint32_t rows : {1u, 7u, 1000u}) {
            const cuda::ScratchLayout layout = cuda::lay_out(plan, rows);
            const auto end = [&](std::uint32_t t) {
                const PlannedTensor& tensor = plan.tensors[t];
                return layout.offsets[t] + std::uint64_t{tensor.row_elements} * cuda::form_bytes(tensor.form) * rows;
            };
            for (std::uint32_t a = 0; a < plan.tensors.size(); ++a) {
                if (plan.tensors[a].home != Home::scratch || plan.tensors[a].first_use == ~0u) continue;
                EXPECT_EQ(layout.offsets[a] % 256, 0u);
                EXPECT_LE(end(a), layout.bytes);
                for (std::uint32_t b = 0; b < a; ++b) {
                    if (plan.tensors[b].home != Home::scratch || plan.tensors[b].first_use == ~0u) continue;
                    const bool together = plan.tensors[a].first_use <= plan.tensors[b].last_use &&
                                          plan.tensors[b].first_use <= plan.tensors[a].last_use;
                    EXPECT_TRUE(!together || end(a) <= layout.offsets[b] || end(b) <= layout.offsets[a]);
                }
            }
        }
    });
}

TEST(NetworkPlan, SmallLayersAreOneKernel) {
    const NetworkBuilder builder = board_mlp(core::Activation::relu);
    for (const Precision precision : {Precision::fp16, Precision::int8}) {
        const Planned planned(builder.view(), precision);
        ASSERT_EQ(planned.plan.works.size(), 1u);
        EXPECT_EQ(planned.plan.works[0].kind, Kind::chain);
        EXPECT_EQ(planned.plan.works[0].layers.size(), 4u);
        const cuda::ScratchLayout layout = cuda::lay_out(planned.plan, 4096);
        EXPECT_EQ(layout.bytes, 0u) << "nothing passes through memory";
    }
}

TEST(NetworkPlan, LayersOf256AreOneKernelToo) {
    const NetworkBuilder builder = bench::dense_network({128, 256, 256, 256, 16});
    for (const Precision precision : {Precision::fp16, Precision::int8}) {
        const Planned planned(builder.view(), precision);
        ASSERT_EQ(planned.plan.works.size(), 1u);
        EXPECT_EQ(planned.plan.works[0].kind, Kind::chain);
        EXPECT_EQ(cuda::lay_out(planned.plan, 4096).bytes, 0u);
    }
    const NetworkBuilder wider = bench::dense_network({128, 257, 16});
    const Planned planned(wider.view(), Precision::fp16);
    EXPECT_NE(planned.plan.works[0].kind, Kind::chain);
}

TEST(NetworkPlan, PackedWeightsLieInTheBlock) {
    for_each_plan([](const Planned& planned) {
        const std::uint64_t size = planned.plan.block.size();
        const auto inside = [&](std::uint64_t offset) { return offset == cuda::kNothing || offset <= size; };
        for (const PlannedWork& work : planned.plan.works) {
            EXPECT_TRUE(inside(work.weights) && inside(work.bias) && inside(work.map) && inside(work.rescales) &&
                        inside(work.scales));
            for (const cuda::PlannedLayer& layer : work.layers)
                EXPECT_TRUE(layer.weights < size && layer.bias < size);
        }
    });
}

}  // namespace
}  // namespace augur::test
