// What the phases of a frame do with single agents, for engine.h.

template <class R>
inline void CpuEngine<R>::fetch(std::uint32_t agent) {
    for (std::uint32_t s = 0; s < bindings_.count(); ++s)
        core::fetch_component(bindings_.sources()[s], agent, layout_.words, layout_.agents);
    if (allots()) layout_.urgency[agent] = core::fetch_urgency(bindings_.urgency(), agent);
}

template <class R>
inline void CpuEngine<R>::allot() {
    const core::AllotmentView agents = {layout_.work, layout_.urgency, layout_.ages, frame_.agent_count};
    const core::SerialTeam team;
    output_.allotted = core::Allotment<core::SerialTeam>{agents, frame_.allotment, *layout_.allotment, team}.run();
    if (rounds_ == 1) return;
    // Rounds were reckoned for an agent that has as many as one may have.
    std::uint32_t most = 1;
    for (std::uint32_t i = 0; i < frame_.agent_count; ++i)
        most = kit::maximum(most, layout_.work[i].active);
    rounds_ = kit::minimum(rounds_, pieces(most, core::kEarlyStopPeriod));
}

template <class R>
inline void CpuEngine<R>::grid_insert(std::uint32_t agent) {
    std::uint32_t bucket = 0;
    if (!core::grid_place<R>(grid_, fields_, agent, bucket)) return;
    layout_.grid_next[agent] = std::atomic_ref(layout_.grid_heads[bucket]).exchange(agent, std::memory_order_relaxed);
}

template <class R>
inline void CpuEngine<R>::gather(std::uint32_t agent, [[maybe_unused]] std::uint32_t worker) {
    typename R::State state;
    kit::Gathered found = core::gather_agent<R>(state, bindings_.sources(), bindings_.count(), fields_, grid_, agent,
                                                core::SerialLanes{});
    if constexpr (core::Latent<R>) {
        R::begin(state, learned_->game().action_count, learned_->game().player_count);
        if (!learned_->sees_numbers(worker, agent)) found = kit::Gathered::bad_state;
    }
    layout_.turns[agent].store(0, std::memory_order_relaxed);
    if (layout_.carries) {
        if (found == kit::Gathered::ready) layout_.roots[agent] = state;
        layout_.found[agent] = found;
        return;
    }
    layout_.work[agent] =
        core::begin_tree<R>(layout_.pool.tree(agent), state, found, frame_.simulations, core::SerialLanes{});
    if constexpr (core::Guidable<R>) {
        if (layout_.guided)
            core::begin_guide<R>(layout_.guides.tree(layout_.pool, agent, 0, settings_.selection), layout_.work[agent]);
    }
    if (layout_.slots > 0) {
        const std::size_t first = static_cast<std::size_t>(agent) * layout_.slots;
        core::clear_slots(layout_.table_keys + first, layout_.table_nodes + first, layout_.slots);
    }
}

// What agents' last trees are worth to this frame.
template <class R>
inline void CpuEngine<R>::carry_piece(std::uint32_t piece) {
    if constexpr (!core::Latent<R>) {
        std::array<std::uint32_t, 4> counts{};  // by outcome
        std::uint64_t nodes = 0;
        each(piece, kCarryPiece, frame_.agent_count, [&](std::uint32_t agent) {
            const std::size_t first = static_cast<std::size_t>(agent) * layout_.nodes;
            const core::CarryScratch scratch = {layout_.carry_forward + first, layout_.carry_source + first};
            core::AgentWork& work = layout_.work[agent];
            const core::Carried carried = with_tree(agent, [&](const auto& tree) {
                return core::carry_tree<R>(tree, work, layout_.roots[agent], layout_.found[agent], settings_,
                                           frame_.simulations, scratch, core::SerialLanes{});
            });
            work = carried.work;
            ++counts[static_cast<std::size_t>(carried.outcome)];
            if (carried.outcome == core::CarryOutcome::carried) nodes += work.nodes;
        });
        const std::lock_guard lock(mutex_);
        output_.trees_carried += counts[static_cast<std::size_t>(core::CarryOutcome::carried)];
        output_.trees_warmed += counts[static_cast<std::size_t>(core::CarryOutcome::warmed)];
        output_.trees_reset += counts[static_cast<std::size_t>(core::CarryOutcome::reset)];
        output_.nodes_carried += nodes;
    }
}

template <class R>
inline bool CpuEngine<R>::out_of_time() {
    if (stop_.load(std::memory_order_relaxed)) return true;
    if (search_until_ns_ == 0 || clock_ns() < search_until_ns_) return false;
    stop_.store(true, std::memory_order_relaxed);
    return true;
}

template <class R>
inline bool CpuEngine<R>::is_past_last_round(std::uint32_t piece) const {
    return piece >= rounds_ * pieces(frame_.agent_count, search_piece());
}

template <class R>
inline void CpuEngine<R>::search_piece(std::uint32_t piece, std::uint32_t worker) {
    const std::uint32_t groups = pieces(frame_.agent_count, search_piece());
    const std::uint32_t round = piece / groups, group = piece % groups;
    if (is_past_last_round(piece)) return;
    const bool in_rounds = frame_.deadline_ns != 0 && !large();
    const std::uint32_t target =
        in_rounds ? kit::minimum((round + 1) * core::kEarlyStopPeriod, key_.simulations) : key_.simulations;
    PartMeter meter;
    search_group(group, round, target, worker, meter);
    for (std::uint32_t part = 0; part < core::kSearchParts; ++part)
        part_sums_[part].fetch_add(meter.times().sums[part], std::memory_order_relaxed);
}

// One round of a group of trees.
template <class R>
inline void CpuEngine<R>::search_group(std::uint32_t group, std::uint32_t round, std::uint32_t target,
                                       std::uint32_t worker, PartMeter& meter) {
    if constexpr (core::Latent<R>) {
        search_guided(group, round, target, CpuLearned::Batch{*learned_, worker}, meter);
        return;
    } else if constexpr (core::Guidable<R>) {
        if (layout_.guided) {
            search_guided(group, round, target, CpuSeat::Batch{*static_cast<CpuSeat*>(frame_.seat), worker}, meter);
            return;
        }
    }
    if constexpr (!core::Latent<R>) search_plainly(group, round, target, meter);
}

// One that no network guides.
template <class R>
inline void CpuEngine<R>::search_plainly(std::uint32_t group, std::uint32_t round, std::uint32_t target,
                                         PartMeter& meter) {
    bool watched = true;  // of the trees the first that has something to search
    each(group, search_piece(), frame_.agent_count, [&](std::uint32_t agent) {
        if (!wait_for_turn(agent, round)) return;
        if (layout_.work[agent].active && !out_of_time()) {
            if (large())
                search_large(agent, meter);
            else
                search_small(agent, target, meter, std::exchange(watched, false));
        }
        layout_.turns[agent].store(round + 1, std::memory_order_release);
    });
}

// Until the tree has had its last round, which another worker may be at. False where that round may have been given
// up.
template <class R>
inline bool CpuEngine<R>::wait_for_turn(std::uint32_t agent, std::uint32_t round) {
    while (layout_.turns[agent].load(std::memory_order_acquire) != round) {
        if (stop_.load(std::memory_order_relaxed)) return false;
        phases_.pause();
    }
    return true;
}

// watched: a simulation is measured now and then.
template <class R>
inline void CpuEngine<R>::search_small(std::uint32_t agent, std::uint32_t target, PartMeter& meter, bool watched) {
    const core::Tree<R> tree = layout_.pool.tree(agent);
    core::AgentWork& work = layout_.work[agent];
    while (watched && work.active && work.simulations < target) {
        const std::uint32_t next = PartMeter::next_wanted(work.simulations);
        if (next >= target) break;
        cpu_search<R>(tree, work, settings_, key_, agent, next);
        if (work.active) cpu_measured_simulation<R>(tree, work, settings_, key_, agent, meter);
    }
    cpu_search<R>(tree, work, settings_, key_, agent, target);
}

template <class R>
inline void CpuEngine<R>::search_large(std::uint32_t agent, PartMeter& meter) {
    if constexpr (core::kHasLargeTree<R>) {
        core::AgentWork& work = layout_.work[agent];
        for (std::uint32_t wave = 0; work.active && !out_of_time(); ++wave) {
            if (PartMeter::wants(wave))
                run_measured_wave(agent, meter);
            else
                core::run_wave<R>(layout_.pool.tree(agent), table_of(agent), scratch_of(agent), work, settings_, key_,
                                  agent);
        }
    }
}

template <class R>
[[gnu::noinline]] void CpuEngine<R>::run_measured_wave(std::uint32_t agent, PartMeter& meter) {
    core::run_wave<R>(layout_.pool.tree(agent), table_of(agent), scratch_of(agent), layout_.work[agent], settings_,
                      key_, agent, meter);
}

// Guided trees, or a large one to its end. Without any simulation the roots are still looked at: their priors are the
// answer.
template <class R>
template <class Batch>
inline void CpuEngine<R>::search_guided(std::uint32_t group, std::uint32_t round, std::uint32_t target,
                                        const Batch& batch, PartMeter& meter) {
    const std::uint32_t first = group * search_piece();
    const std::uint32_t last = kit::minimum(first + search_piece(), frame_.agent_count);
    const core::GuidedSearch<R, Batch, PartMeter> search = {batch,     layout_.pool, layout_.guides, layout_.work,
                                                            settings_, key_,         meter};
    for (std::uint32_t agent = first; agent < last; ++agent)
        if (!wait_for_turn(agent, round)) return;
    if (round == 0 && (key_.simulations == 0 || !out_of_time())) search.advise_roots(first, last);
    if (large()) {
        if constexpr (core::kHasLargeTree<R>)
            for (std::uint32_t wave = 0; layout_.work[first].active && !out_of_time(); ++wave)
                search.wave(first, table_of(first), scratch_of(first), PartMeter::wants(wave));
    } else {
        search.search(first, last, target, [this] { return out_of_time(); });
    }
    for (std::uint32_t agent = first; agent < last; ++agent)
        layout_.turns[agent].store(round + 1, std::memory_order_release);
}

template <class R>
inline core::TranspositionTable CpuEngine<R>::table_of(std::size_t agent) const {
    return {layout_.table_keys + agent * layout_.slots, layout_.table_nodes + agent * layout_.slots, layout_.slots};
}

template <class R>
inline core::WaveScratch CpuEngine<R>::scratch_of(std::size_t agent) const {
    return {layout_.wave_slots + agent * layout_.waves, layout_.wave_path + agent * layout_.waves * layout_.path,
            layout_.path};
}

// What the search of an agent came to.
template <class R>
inline core::Decision CpuEngine<R>::decide(std::uint32_t agent) const {
    return with_tree(agent, [&](const auto& tree) { return core::choose<R>(tree, layout_.work[agent]); });
}

template <class R>
inline void CpuEngine<R>::finalise_piece(std::uint32_t piece) {
    std::uint64_t hash = 0, simulations = 0;
    std::array<std::uint32_t, core::kFlagBits> counts{};
    std::uint32_t flagged = 0;
    each(piece, kFetchPiece, frame_.agent_count, [&](std::uint32_t agent) {
        core::AgentWork& work = layout_.work[agent];
        if (work.active) {
            work.flags |= core::kFlagDeadline;
            work.active = 0;
        }
        const core::Decision d = decide(agent);
        layout_.decisions[agent] = d;
        if (!output_.actions_dropped) core::store_action(bindings_.sink(), agent, d.action);
        if (layout_.adaptive) layout_.ages[agent] = core::next_age(layout_.ages[agent], d.flags | core::rested(work));
        hash += core::decision_hash(agent, d);
        simulations += work.simulations - work.counted;
        for (std::uint32_t bit = 0; bit < core::kFlagBits; ++bit)
            counts[bit] += (d.flags >> bit) & 1u;
        flagged += (d.flags & ~core::kHarmlessFlags) != 0 ? 1u : 0u;
    });
    const std::lock_guard lock(mutex_);
    output_.decision_hash += hash;
    output_.simulations += simulations;
    output_.agents_flagged += flagged;
    for (std::uint32_t bit = 0; bit < core::kFlagBits; ++bit)
        output_.flag_counts[bit] += counts[bit];
}
