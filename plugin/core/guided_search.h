// The search that a network guides: trees go down one simulation each, the network looks at all their leaves at once,
// and they go up again.
#ifndef AUGUR_CORE_GUIDED_SEARCH_H
#define AUGUR_CORE_GUIDED_SEARCH_H

#include "core/latent_leaf.h"
#include "core/wave.h"

namespace augur::core {

// Trees that go down together.
inline constexpr std::uint32_t kGuidedGroup = 32;

// One frame's guided search, by one thread. Batch is a network with room for the rows it looks at together:
//   float* row(i)       the features of row i
//   void run(rows)      evaluates rows 0 .. rows-1
//   Advice advice(i)    what it said of row i
//   bool has_value()    whether it has a value head
// Of a LatentGame it looks at what the networks know of a node instead of features:
//   void ask(i, agent, node, header)           row i is a node: the root, or its parent and the action that led to it
//   void run_roots(rows)                       evaluates rows 0 .. rows-1, all of them roots
//   Heard heard(i)                             what was said of row i beside the advice
//   float* latent(agent, node)                 where the state of a node is kept
//   std::uint32_t state_count()                its numbers
// Meter measures a tree of a batch, or a wave, now and then:
//   bool wants(number)          whether that batch is one to measure
//   begin, pass, end            as NoMeter
//   void share(part, trees, f)  calls f, which is a part of that many trees together
template <class R, class Batch, class Meter>
struct GuidedSearch {
    const Batch& batch;
    const TreePool<R>& trees;
    const GuidePool<R>& guides;
    AgentWork* work;  // [A]
    const Settings& settings;
    const FrameKey& key;
    Meter& meter;

    GuidedTree<R> tree(std::uint32_t agent) const {
        return guides.tree(trees, agent, work[agent].active, settings.selection);
    }

    // The network looks at the roots of agents first .. last-1 that need it; at most kGuidedGroup.
    void advise_roots(std::uint32_t first, std::uint32_t last) const {
        const SerialLanes lanes;
        std::uint32_t agents[kGuidedGroup];
        std::uint32_t rows = 0;
        for (std::uint32_t agent = first; agent < last; ++agent) {
            if (!root_wants_network(work[agent])) continue;
            ask(rows, agent, tree(agent), 0);
            agents[rows++] = agent;
        }
        if (rows == 0) return;
        if constexpr (Latent<R>)
            batch.run_roots(rows);
        else
            batch.run(rows);
        for (std::uint32_t row = 0; row < rows; ++row) {
            const GuidedTree<R> t = tree(agents[row]);
            if (!hear(row, agents[row], t, 0)) {  // nothing to search from
                work[agents[row]].active = 0;
                continue;
            }
            if (settings.selection == Selection::gumbel)
                write_root_scores<R>(t, settings, key.random, agents[row], lanes);
        }
    }

    // Searches agents first .. last-1 (at most kGuidedGroup) until each has `target` simulations or wants no more, or
    // stop() says so; looked at before every batch.
    template <class Stop>
    void search(std::uint32_t first, std::uint32_t last, std::uint32_t target, const Stop& stop) const {
        const SerialLanes lanes;
        struct Step {
            std::uint32_t agent, row;
            Leaf leaf;
            bool fresh;
        };
        Step steps[kGuidedGroup];
        for (std::uint32_t number = 0; !stop(); ++number) {
            const bool watched = meter.wants(number);
            std::uint32_t count = 0, rows = 0;
            for (std::uint32_t agent = first; agent < last; ++agent) {
                AgentWork& w = work[agent];
                if (!w.active || w.simulations >= target) continue;
                const GuidedTree<R> t = tree(agent);
                const std::uint32_t before = w.nodes;
                const Leaf leaf = watched && count == 0
                                      ? measured_descend(t, agent)
                                      : descend<R>(t, w, settings, key.random, agent, w.simulations, lanes);
                if (leaf.full) {
                    w.flags |= kFlagPoolExhausted;
                    w.active = 0;
                    continue;
                }
                const bool fresh = w.nodes > before;
                Step& step = steps[count++];
                step = {agent, kNoNode, leaf, fresh};
                if (!leaf_wants_network<R>(t, leaf, fresh)) continue;
                ask(rows, agent, t, leaf.node);
                step.row = rows++;
            }
            if (count == 0) return;
            if (rows > 0 && watched)
                meter.share(SearchPart::evaluate, count, [&] { batch.run(rows); });
            else if (rows > 0)
                batch.run(rows);
            for (std::uint32_t i = 0; i < count; ++i) {
                const Step& step = steps[i];
                AgentWork& w = work[step.agent];
                const GuidedTree<R> t = tree(step.agent);
                if (step.row != kNoNode) hear(step.row, step.agent, t, step.leaf.node);
                const Return<R> result = guided_return<R>(t, step.leaf, step.fresh, batch.has_value(), settings,
                                                          key.random, step.agent, w.simulations, w.flags);
                if (watched && i == 0)
                    measured_back_up(t, step.leaf.node, result, w.flags);
                else
                    back_up<R>(t, step.leaf.node, result, settings, w.flags);
                ++w.simulations;
                if (!wants_more<R>(t, w, settings)) w.active = 0;
            }
        }
    }

    // One wave of a large tree.
    void wave(std::uint32_t agent, const TranspositionTable& table, const WaveScratch& scratch, bool watched) const {
        if (watched)
            measured_wave(agent, table, scratch);
        else
            run_wave(agent, table, scratch, NoMeter{});
    }

  private:
    // What is measured stands by itself: beside the rest it would cost that some of its pace.
    [[gnu::noinline]] Leaf measured_descend(GuidedTree<R> t, std::uint32_t agent) const {
        AgentWork& w = work[agent];
        meter.begin();
        const Leaf leaf = descend<R>(t, w, settings, key.random, agent, w.simulations, SerialLanes{}, true, meter);
        meter.end(SearchPart::expand);
        return leaf;
    }
    [[gnu::noinline]] void measured_back_up(GuidedTree<R> t, std::uint32_t leaf, Return<R> result,
                                            std::uint32_t& flags) const {
        meter.share(SearchPart::back_up, 1, [&] { back_up<R>(t, leaf, result, settings, flags); });
    }
    [[gnu::noinline]] void measured_wave(std::uint32_t agent, const TranspositionTable& table,
                                         const WaveScratch& scratch) const {
        run_wave(agent, table, scratch, meter);
    }

    template <class Watch>
    void run_wave(std::uint32_t agent, const TranspositionTable& table, const WaveScratch& scratch,
                  Watch&& watch) const {
        AgentWork& w = work[agent];
        const GuidedTree<R> t = tree(agent);
        const std::uint32_t first = w.simulations;
        watch.begin();
        const std::uint32_t count = wave_go_down<R>(t, table, scratch, w, settings, watch);
        if (count == 0) return watch.end(SearchPart::select);
        watch.pass(SearchPart::select, SearchPart::evaluate);
        const auto leaf_of = [&](std::uint32_t s) {
            return Leaf{scratch.slots[s].node, scratch.slots[s].depth, false};
        };
        const auto fresh = [&](std::uint32_t s) { return scratch.slots[s].node == 1 + first + s; };
        std::uint32_t rows = 0;
        for (std::uint32_t s = 0; s < count; ++s)
            if (leaf_wants_network<R>(t, leaf_of(s), fresh(s))) ask(rows++, agent, t, scratch.slots[s].node);
        if (rows > 0) batch.run(rows);
        rows = 0;
        // A leaf that several simulations share is owned by the lowest of them, so it is known before the others ask.
        for (std::uint32_t s = 0; s < count; ++s) {
            if (leaf_wants_network<R>(t, leaf_of(s), fresh(s))) hear(rows++, agent, t, scratch.slots[s].node);
            scratch.slots[s].value = guided_return<R>(t, leaf_of(s), fresh(s), batch.has_value(), settings, key.random,
                                                      agent, first + s, w.flags)
                                         .value[0];
        }
        watch.pass(SearchPart::evaluate, SearchPart::back_up);
        wave_go_up<R>(t, scratch, w, settings, count);
        watch.end(SearchPart::back_up);
    }

    // Puts a node into a row of the batch.
    void ask(std::uint32_t row, [[maybe_unused]] std::uint32_t agent, const GuidedTree<R>& t,
             std::uint32_t node) const {
        if constexpr (Latent<R>)
            batch.ask(row, agent, node, t.header(node));
        else
            write_features<R>(batch.row(row), t.state(node), SerialLanes{});
    }

    // Takes what the network said of it. False where that is nothing to go on from: below the root the branch ends.
    bool hear(std::uint32_t row, std::uint32_t agent, const GuidedTree<R>& t, std::uint32_t node) const {
        std::uint32_t& flags = work[agent].flags;
        if constexpr (Latent<R>) {
            if (!hear_state<R>(t, node, batch.heard(row), batch.latent(agent, node), batch.state_count(), flags,
                               SerialLanes{}))
                return false;
        }
        take_advice<R>(t, node, batch.advice(row), flags, SerialLanes{});
        return true;
    }
};

}  // namespace augur::core

#endif  // AUGUR_CORE_GUIDED_SEARCH_H
