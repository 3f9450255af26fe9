// Guided trees, searched on the calling thread with the core's own functions and a network that is a function.
#ifndef AUGUR_TESTS_SUPPORT_GUIDED_TREES_H
#define AUGUR_TESTS_SUPPORT_GUIDED_TREES_H

#include <cstring>
#include <functional>
#include <vector>

#include "core/choose.h"
#include "core/guided_search.h"

namespace augur::test {

// Says what a network would of one state: logits [K] and value numbers [3].
template <class R>
using NetworkFunction = std::function<void(const float* features, float* logits, float* value)>;

template <class R>
class GuidedTrees {
  public:
    // Memory for trees of `node_capacity` nodes, filled with a pattern so that a read of what was never written shows.
    GuidedTrees(std::uint32_t trees, std::uint32_t node_capacity, int pattern = 0xA5)
        : headers_(bytes<core::NodeHeader<R>>(trees * node_capacity, pattern)),
          edges_(bytes<core::Edge>(trees * node_capacity * R::kActions, pattern)),
          children_(bytes<std::uint32_t>(trees * node_capacity * R::kActions, pattern)),
          states_(bytes<typename R::State>(trees * node_capacity, pattern)),
          priors_(bytes<core::Prior>(trees * node_capacity * R::kActions, pattern)),
          values_(bytes<std::int32_t>(trees * node_capacity, pattern)),
          scores_(bytes<float>(trees * R::kActions, pattern)),
          work_(trees) {
        pool_ = {{as<core::NodeHeader<R>>(headers_), as<core::Edge>(edges_), as<std::uint32_t>(children_),
                  as<typename R::State>(states_)},
                 node_capacity};
        guides_ = {as<core::Prior>(priors_), as<std::int32_t>(values_), as<float>(scores_)};
    }

    // Whether the network has a policy and a value head, and what the value means.
    struct Heads {
        bool policy = true;
        bool value = true;
        core::ValueKind kind = core::ValueKind::bounded;
        float scale = 1.0f;
    };

    // Searches one large tree, `leaves` simulations a wave.
    void search_waves(const typename R::State& root, core::Settings settings, std::uint32_t simulations,
                      std::uint32_t leaves, const NetworkFunction<R>& network, Heads heads = {}) {
        settings.leaves_per_wave = leaves;
        std::vector<core::WaveSlot> slots(leaves);
        std::vector<core::PathStep> path(std::size_t{leaves} * settings.horizon);
        const core::WaveScratch scratch{slots.data(), path.data(), settings.horizon};
        run({root}, settings, simulations, network, heads, 1, leaves, [&](const auto& search) {
            while (work_[0].active)
                search.wave(0, core::TranspositionTable{nullptr, nullptr, 0}, scratch, false);
        });
    }

    // Searches all trees together from roots [trees]; at most kGuidedGroup of them.
    void search(const std::vector<typename R::State>& roots, core::Settings settings, std::uint32_t simulations,
                const NetworkFunction<R>& network, Heads heads = {}, std::uint64_t seed = 1) {
        run(roots, settings, simulations, network, heads, seed, core::kGuidedGroup, [&](const auto& search) {
            search.search(0, static_cast<std::uint32_t>(roots.size()), simulations, [] { return false; });
        });
    }

    core::Decision decision(std::uint32_t i) const { return core::choose<R>(tree(i), work_[i]); }
    core::GuidedTree<R> tree(std::uint32_t i) const {
        return guides_.tree(pool_, i, simulations_, settings_.selection);
    }
    const core::AgentWork& work(std::uint32_t i) const { return work_[i]; }
    std::uint32_t visits(std::uint32_t i, int action) const { return core::edge_visits(tree(i).node_edges(0)[action]); }

  private:
    template <class Go>
    void run(const std::vector<typename R::State>& roots, core::Settings settings, std::uint32_t simulations,
             const NetworkFunction<R>& network, Heads heads, std::uint64_t seed, std::uint32_t most_rows,
             const Go& go) {
        settings.node_capacity = pool_.node_capacity;
        settings_ = settings;
        const core::FrameKey key{{seed, 0}, static_cast<std::uint32_t>(roots.size()), simulations};
        simulations_ = simulations;
        for (std::uint32_t i = 0; i < roots.size(); ++i) {
            work_[i] =
                core::begin_tree<R>(pool_.tree(i), roots[i], kit::Gathered::ready, simulations, core::SerialLanes{});
            core::write_uniform_priors<R::kActions>(tree(i).node_priors(0), pool_.tree(i).header(0).legal[0],
                                                    core::SerialLanes{});
            tree(i).network_value(0) = 0;
        }
        const Batch batch{network, heads, Rows(most_rows)};
        Unmeasured meter;
        const core::GuidedSearch<R, Batch, Unmeasured> search{batch,     pool_, guides_, work_.data(),
                                                              settings_, key,   meter};
        search.advise_roots(0, key.agent_count);
        go(search);
    }

    struct Unmeasured : core::NoMeter {
        static bool wants(std::uint32_t) { return false; }
        template <class F>
        void share(core::SearchPart, std::uint32_t, const F& f) const {
            f();
        }
    };

    static constexpr std::uint32_t kValues = 3;
    struct Rows {
        explicit Rows(std::uint32_t most)
            : features(std::size_t{most} * R::kFeatures),
              logits(std::size_t{most} * R::kActions),
              values(std::size_t{most} * kValues) {}
        std::vector<float> features, logits, values;
    };
    struct Batch {
        const NetworkFunction<R>& network;
        Heads heads;
        mutable Rows rows;

        float* row(std::uint32_t i) const { return rows.features.data() + i * R::kFeatures; }
        void run(std::uint32_t count) const {
            for (std::uint32_t i = 0; i < count; ++i)
                network(row(i), rows.logits.data() + i * R::kActions, rows.values.data() + i * kValues);
        }
        core::Advice advice(std::uint32_t i) const {
            return {heads.policy ? rows.logits.data() + i * R::kActions : nullptr,
                    heads.value ? rows.values.data() + i * kValues : nullptr, heads.kind, heads.scale};
        }
        bool has_value() const { return heads.value; }
    };

    template <class T>
    static std::vector<std::uint64_t> bytes(std::size_t count, int pattern) {
        std::vector<std::uint64_t> out((count * sizeof(T) + 7) / 8);
        std::memset(out.data(), pattern, out.size() * 8);
        return out;
    }
    template <class T>
    static T* as(std::vector<std::uint64_t>& words) {
        return reinterpret_cast<T*>(words.data());
    }

    std::vector<std::uint64_t> headers_, edges_, children_, states_, priors_, values_, scores_;
    std::vector<core::AgentWork> work_;
    core::TreePool<R> pool_{};
    core::GuidePool<R> guides_{};
    core::Settings settings_{};
    std::uint32_t simulations_ = 0;
};

}  // namespace augur::test

#endif
