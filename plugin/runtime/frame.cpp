// The frame: from request to collect. Nothing here allocates, and no lock is taken but that of a shared frame budget.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <utility>

#include "backend/profiler.h"
#include "runtime/context.h"
#include "runtime/desc.h"
#include "runtime/message.h"
#include "runtime/planner.h"
#include "runtime/result_text.h"
#include "runtime/system.h"

namespace augur {

namespace {

constexpr std::uint32_t kOwnSimulations = 0xffffffffu;
constexpr std::uint64_t kCountUp = 0xffffffffffffffffull;
constexpr float kLeastWeight = 0.001f, kMostWeight = 1000.0f;

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

std::uint64_t us_to_ns(std::uint64_t us) {
    return us > UINT64_MAX / 1000 ? UINT64_MAX : us * 1000;
}

std::uint64_t since(std::uint64_t begin_ns, std::uint64_t now_ns) {
    return now_ns > begin_ns ? now_ns - begin_ns : 0;
}

// Agents carrying a flag.
std::uint32_t carrying(const FrameOutput& output, augur_agent_flag flag) {
    return output.flag_counts[std::countr_zero(static_cast<unsigned>(flag))];
}

}  // namespace

augur_result Planner::resolve_frame(const augur_frame_desc& desc, std::uint64_t now_ns, FrameWork* work) const {
    if (desc.agent_count > desc_.agent_capacity)
        return fail(AUGUR_ERROR_LIMIT, "agent_count is %u, agent_capacity is %u", desc.agent_count,
                    desc_.agent_capacity);
    if (desc.simulations != kOwnSimulations && desc.simulations > desc_.simulations)
        return fail(AUGUR_ERROR_LIMIT, "simulations is %u, the planner has room for %u", desc.simulations,
                    desc_.simulations);
    for (const auto& [field, weight] :
         {std::pair{"phase_weight", desc.phase_weight}, {"depth_weight", desc.depth_weight}})
        if (!(weight >= kLeastWeight && weight <= kMostWeight))  // so that a NaN fails
            return fail(AUGUR_ERROR_INVALID_ARGUMENT, "%s is %g, allowed 0.001..1000", field,
                        static_cast<double>(weight));
    *work = {};
    work->frame = desc.frame != kCountUp ? desc.frame : next_frame_;
    work->agent_count = desc.agent_count;
    work->request_ns = now_ns;
    work->urgency_weight = desc.phase_weight * desc.depth_weight;
    work->simulations = desc.simulations != kOwnSimulations ? desc.simulations : desc_.simulations;
    std::uint64_t budget_ns = default_budget_ns_;
    if (desc.budget_us != INT64_MIN) {
        // What is left of a frame may be less than nothing: then too there is no time to search.
        const bool limited = desc.budget_us > 0 && desc.budget_us != INT64_MAX;
        budget_ns = limited ? us_to_ns(static_cast<std::uint64_t>(desc.budget_us)) : 0;
        if (desc.budget_us <= 0) work->simulations = 0;
    }
    // Without simulations nothing can be late.
    if (budget_ns != 0 && work->simulations != 0) {
        const std::uint64_t deadline = saturating_add(now_ns, budget_ns);
        work->deadline_ns = deadline != UINT64_MAX ? deadline : 0;
    }
    return AUGUR_OK;
}

augur_result Planner::check_gl() const {
    for (std::size_t i = 0; i < fields_.size(); ++i) {
        const Buffer* buffer = fields_[i].buffer;
        if (buffer == nullptr || buffer->staged_gl() == nullptr || (i > 0 && fields_[i - 1].buffer == buffer)) continue;
        const augur_result result = buffer->staged_gl()->check(buffer->desc().gl_buffer, buffer->size_bytes(), false);
        if (result != AUGUR_OK) return result;
    }
    const Buffer& actions = *actions_.buffer;
    if (actions.staged_gl() == nullptr) return AUGUR_OK;
    return actions.staged_gl()->check(actions.desc().gl_buffer, actions.size_bytes(), true);
}

void Planner::fetch_gl() {
    const ProfilerRange marked("copy fields");
    for (std::size_t i = 0; i < fields_.size(); ++i) {
        const Buffer* buffer = fields_[i].buffer;
        if (buffer == nullptr || buffer->staged_gl() == nullptr) continue;
        // One copy for each buffer: from the first byte that any field reads to the last.
        std::uint64_t first = UINT64_MAX;
        std::uint64_t last = 0;
        bool done_before = false;
        for (std::size_t j = 0; j < fields_.size(); ++j) {
            const Bound& bound = fields_[j];
            if (bound.buffer != buffer) continue;
            if (j < i) done_before = true;
            first = std::min(first, bound.offset_bytes);
            last = std::max(last, bound.offset_bytes + (work_.agent_count - 1) * bound.stride_bytes + bound.size_bytes);
        }
        if (done_before) continue;
        buffer->staged_gl()->download(buffer->desc().gl_buffer, first, last - first, buffer->host_bytes() + first);
        frame_bytes_copied_ += last - first;
    }
}

void Planner::store_gl() {
    const ProfilerRange marked("copy actions");
    const Buffer& buffer = *actions_.buffer;
    const GlFunctions& gl = *buffer.staged_gl();
    const std::uint32_t name = buffer.desc().gl_buffer;
    const std::uint32_t size = actions_.size_bytes;
    const std::uint64_t bytes = (work_.agent_count - 1) * actions_.stride_bytes + size;
    const unsigned char* packed = staged_actions_.data();
    if (actions_.stride_bytes == size) {
        gl.upload(name, actions_.offset_bytes, bytes, packed);
        frame_bytes_copied_ += bytes;
        return;
    }
    // Between the actions lie numbers of the host, which may be newer than what was read at the request.
    unsigned char* range = buffer.host_bytes() + actions_.offset_bytes;
    gl.download(name, actions_.offset_bytes, bytes, range);
    for (std::uint32_t i = 0; i < work_.agent_count; ++i)
        std::memcpy(range + i * actions_.stride_bytes, packed + static_cast<std::size_t>(i) * size, size);
    gl.upload(name, actions_.offset_bytes, bytes, range);
    frame_bytes_copied_ += 2 * bytes;
}

// Its part of the time that everything in the context shares, where a frame was begun. Its own budget holds too.
void Planner::share_frame(const augur_frame_desc& desc) {
    if (work_.simulations == 0) return;
    const std::uint64_t simulations = std::uint64_t{work_.agent_count} * work_.simulations;
    const double urgency = static_cast<double>(desc_.priority) * static_cast<double>(desc.phase_weight) *
                           static_cast<double>(desc.depth_weight);
    const std::uint64_t least = engine_desc_.adaptive ? engine_desc_.least_simulations : 1;
    const Scheduler::Share share = frame_share_.request(
        {urgency, costs_.expected_ns(simulations), costs_.expected_ns(least), false}, work_.request_ns);
    if (!share.shared) return;
    if (share.put_off) {
        work_.simulations = 0;
        work_.deadline_ns = 0;
        ++counters_.frames_unsearched;
    } else {
        work_.deadline_ns = work_.deadline_ns == 0 ? share.deadline_ns : std::min(work_.deadline_ns, share.deadline_ns);
    }
}

// What an adaptive planner's frame has to divide among its agents: what was asked for, or as much as the time will pay
// for.
void Planner::allot_frame() {
    if (!engine_desc_.adaptive || work_.simulations == 0) return;
    const std::uint32_t most = std::min(engine_desc_.simulations, engine_desc_.node_capacity - 1);
    const std::uint32_t mean = std::min(work_.simulations, most);
    const std::uint32_t least = std::min(engine_desc_.least_simulations, mean);
    std::uint64_t granted = BudgetController::kAllOfThem;
    if (work_.deadline_ns != 0) {
        const std::uint64_t budget_ns = since(work_.request_ns, work_.deadline_ns);
        granted = costs_.plan(engine_.load(std::memory_order_relaxed)->usable_budget(budget_ns), least);
    }
    if (granted == 0) {
        work_.simulations = 0;
        work_.deadline_ns = 0;
        ++counters_.frames_unsearched;
        return;
    }
    work_.simulations = most;
    work_.allotment = {granted, mean, most, least, 1};
}

void Planner::count_allotment(const FrameOutput& output) {
    if (work_.allotment.on == 0) return;
    const core::AllotmentReport& allotted = output.allotted;
    const std::uint64_t asked = std::uint64_t{allotted.wanting} * work_.allotment.mean;
    counters_.frames_reduced += work_.allotment.granted < asked ? 1 : 0;
    counters_.frames_in_turns += allotted.put_off > 0 ? 1 : 0;
    counters_.simulations_allotted += allotted.simulations;
    counters_.agents_put_off += allotted.put_off;
}

bool Planner::fall_back(augur_result result) {
    if (result != AUGUR_ERROR_DEVICE_LOST || backend_ != AUGUR_BACKEND_CUDA || !cpu_wiring_.usable) return false;
    backend_ = AUGUR_BACKEND_CPU;
    engine_.store(cpu_engine_.get(), std::memory_order_release);
    ++counters_.backend_switches;
    if (recorder_.active() && engine_desc_.carry_over != AUGUR_CARRY_OVER_NONE)
        recorder_.add_reset(0, desc_.agent_capacity, context_.log());  // the other engine has no trees
    fell_back_in_frame_ = true;
    context_.log().write(
        AUGUR_SEVERITY_ERROR, AUGUR_ERROR_DEVICE_LOST,
        "the GPU reported an error: this planner goes on with the CPU; CUDA is unusable in this process until "
        "it is restarted, for the game's own CUDA work too");
    return true;
}

augur_result Planner::submit() {
    const ProfilerRange range("submit");
    for (;;) {
        const Wiring& wiring = backend_ == AUGUR_BACKEND_CUDA ? gpu_wiring_ : cpu_wiring_;
        if (!wiring.usable)
            return fail(AUGUR_ERROR_UNSUPPORTED, "a bound buffer cannot be used by the backend that answers (%s)",
                        backend_ == AUGUR_BACKEND_CUDA ? "CUDA" : "CPU");
        work_.sources = wiring.sources.data();
        work_.source_count = component_count(rules_);
        work_.urgency = engine_desc_.adaptive ? wiring.sources.back() : Source{};
        work_.actions = wiring.actions;
        work_.seat = guide_.on(backend_).get();
        const augur_result result = engine_.load(std::memory_order_relaxed)->submit(work_);
        if (result >= 0) {
            // A cancel that came before a switch of engines holds for the new one.
            if (cancel_asked_.load()) engine_.load(std::memory_order_relaxed)->cancel();
            return AUGUR_OK;
        }
        if (!fall_back(result)) return fail(result, "the frame could not be started: %s", result_text(result));
    }
}

augur_result Planner::request(const augur_frame_desc& desc) {
    const ProfilerRange range("request");
    const std::uint64_t began = system::now_ns();
    if (state_ == State::running && advance(0, false) == AUGUR_NOT_READY)
        return fail(AUGUR_ERROR_BUSY, "the last frame still runs; collect it first");
    FrameWork work;
    if (const augur_result result = resolve_frame(desc, began, &work); result != AUGUR_OK) return result;
    if (work.agent_count == 0) {
        settle_empty_frame(work);
        return AUGUR_OK;
    }
    if (const augur_result result = check_bound(); result != AUGUR_OK) return result;
    if (const augur_result result = check_gl(); result != AUGUR_OK) return result;

    if (forget_trees_) {
        if (const augur_result result = forget_trees(0, desc_.agent_capacity); result != AUGUR_OK) return result;
        forget_trees_ = false;
    }

    const FrameWork before = work_;
    work_ = work;
    frame_bytes_copied_ = 0;
    copy_span_ = {};
    fell_back_in_frame_ = false;
    cancel_asked_.store(false);
    if (next_guide_.network != nullptr) {
        old_guide_ = std::move(guide_);
        guide_ = std::move(next_guide_);
    }
    share_frame(desc);
    allot_frame();
    fetch_gl();
    if (frame_bytes_copied_ > 0) copy_span_ = {0, since(began, system::now_ns())};
    if (const augur_result result = submit(); result != AUGUR_OK) {
        frame_share_.done();
        work_ = before;
        return result;
    }
    if (WriteWatch::kEnabled) watch_.remember(fields_, work.agent_count);
    running_.store(true);
    state_ = State::running;
    next_frame_ = work.frame + 1;
    budget_zero_ = work_.simulations == 0;
    submit_span_ = {0, since(began, system::now_ns())};
    frame_cpu_ns_ = submit_span_.end_ns;
    return AUGUR_OK;
}

void Planner::settle_empty_frame(const FrameWork& work) {
    state_ = State::done;
    next_frame_ = work.frame + 1;
    searched_agents_ = 0;
    answer_ = AUGUR_OK;
    result_ = {};
    result_.frame = work.frame;
    result_.backend = backend_;
    ++counters_.frames;
}

augur_result Planner::advance(std::uint64_t timeout_ns, bool wait) {
    const ProfilerRange range(wait ? "collect" : "poll");
    const std::uint64_t began = system::now_ns();
    const std::uint64_t give_up = saturating_add(began, timeout_ns);
    std::uint64_t waited = 0;
    augur_result result = AUGUR_NOT_READY;
    for (;;) {
        Engine* engine = engine_.load(std::memory_order_relaxed);
        const std::uint64_t wait_began = system::now_ns();
        const std::uint64_t left = give_up == UINT64_MAX ? UINT64_MAX : since(wait_began, give_up);
        {
            const ProfilerRange waiting("wait");
            result = wait ? engine->wait(left) : engine->poll();
        }
        waited += since(wait_began, system::now_ns());
        if (result == AUGUR_NOT_READY || !fall_back(result)) break;
        result = submit();
        if (result != AUGUR_OK) break;
    }
    if (result != AUGUR_NOT_READY) finish_frame(result, began);
    const std::uint64_t spent = since(began, system::now_ns());
    frame_cpu_ns_ += spent - std::min(spent, waited);
    if (result == AUGUR_NOT_READY) return AUGUR_NOT_READY;
    if (result == AUGUR_OK) latency_[AUGUR_LATENCY_REQUEST - 1].add(frame_cpu_ns_);
    return AUGUR_OK;
}

augur_result Planner::answer_of(const FrameOutput& output) const {
    if (output.cancelled) return AUGUR_CANCELLED;
    if (budget_zero_) return AUGUR_BUDGET_ZERO;
    if (fell_back_in_frame_) return AUGUR_FELL_BACK_TO_CPU;
    if (output.deadline_hit || output.actions_dropped) return AUGUR_DEADLINE_HIT;
    if (carrying(output, AUGUR_AGENT_POOL_EXHAUSTED) > 0) return AUGUR_POOL_EXHAUSTED;
    return output.agents_flagged > 0 ? AUGUR_OK_WITH_FLAGS : AUGUR_OK;
}

void Planner::finish_frame(augur_result result, std::uint64_t began_ns) {
    running_.store(false);
    state_ = State::done;
    searched_agents_ = 0;
    answer_ = result;
    frame_share_.done();
    if (result < 0) return;

    const FrameOutput& output = engine_.load(std::memory_order_relaxed)->output();
    std::uint64_t done_ns = since(work_.request_ns, output.done_ns);
    std::uint64_t cost_ns = done_ns;
    if (WriteWatch::kEnabled) warn_of_writes();
    if (recorder_.active()) recorder_.add(work_, output, fields_, context_.log());
    if (actions_.buffer->staged_gl() != nullptr && !output.actions_dropped) {
        const Buffer& buffer = *actions_.buffer;
        answer_ = buffer.staged_gl()->check(buffer.desc().gl_buffer, buffer.size_bytes(), true);
        if (answer_ < 0) return;
        const std::uint64_t began = system::now_ns();
        store_gl();
        const std::uint64_t ended = system::now_ns();
        copy_span_ = {since(work_.request_ns, began), since(work_.request_ns, ended)};
        done_ns = copy_span_.end_ns;
        // Not how long the game took to come for its actions.
        cost_ns += since(began, ended);
    }
    searched_agents_ = work_.agent_count;
    answer_ = answer_of(output);
    warn_of_full_trees(output);

    const augur_stage_span& search = output.stages[AUGUR_STAGE_SEARCH];
    const std::uint64_t budget_ns = work_.deadline_ns != 0 ? work_.deadline_ns - work_.request_ns : 0;
    result_ = {};
    result_.agent_count = work_.agent_count;
    result_.frame = work_.frame;
    result_.decision_hash = output.decision_hash;
    result_.simulations = output.simulations;
    result_.request_to_done_ns = done_ns;
    result_.search_ns = since(search.begin_ns, search.end_ns);
    result_.agents_flagged = output.agents_flagged;
    result_.deadline_missed = budget_ns != 0 && done_ns > budget_ns ? 1 : 0;
    result_.agents_fallback = carrying(output, AUGUR_AGENT_FALLBACK);
    result_.backend = backend_;
    result_.bytes_copied = output.bytes_copied + frame_bytes_copied_;
    result_.actions_dropped = output.actions_dropped ? 1 : 0;
    if (!output.cancelled) costs_.learn(cost_ns, result_.search_ns, output.simulations, output.deadline_hit);

    augur_timeline_frame frame{};
    frame.frame = work_.frame;
    frame.request_time_ns = work_.request_ns;
    frame.budget_ns = budget_ns;
    frame.done_ns = done_ns;
    frame.simulations = output.simulations;
    frame.agent_count = work_.agent_count;
    frame.deadline_missed = result_.deadline_missed;
    frame.search_until_ns = output.search_until_ns;
    frame.backend = backend_;
    frame.multiprocessors = output.multiprocessors;
    frame.parts_measured = output.parts_measured ? 1 : 0;
    frame.actions_dropped = result_.actions_dropped;
    std::copy(std::begin(output.stages), std::end(output.stages), std::begin(frame.stages));
    frame.stages[AUGUR_STAGE_SUBMIT] = submit_span_;
    frame.stages[AUGUR_STAGE_COPY] = copy_span_;
    frame.stages[AUGUR_STAGE_COLLECT] = {since(work_.request_ns, began_ns), since(work_.request_ns, system::now_ns())};
    timeline_.add(frame);
    count_frame(frame, output);
}

void Planner::warn_of_writes() {
    const std::size_t changed = watch_.first_changed(fields_, work_.agent_count);
    if (changed == fields_.size()) return;
    char text[160];
    std::snprintf(text, sizeof text, "field \"%s\" was written by the host while the frame read it",
                  source_name(static_cast<std::uint32_t>(changed)).c_str());
    context_.log().write(AUGUR_SEVERITY_WARNING, AUGUR_OK, text);
}

void Planner::warn_of_full_trees(const FrameOutput& output) {
    if (carrying(output, AUGUR_AGENT_POOL_EXHAUSTED) == 0) return;
    char text[160];
    std::snprintf(text, sizeof text, "node_capacity is %u, and trees were full; %u never runs out",
                  engine_desc_.node_capacity, engine_desc_.simulations + 1);
    context_.log().write(AUGUR_SEVERITY_WARNING, AUGUR_POOL_EXHAUSTED, text);
}

void Planner::count_frame(const augur_timeline_frame& frame, const FrameOutput& output) {
    ++counters_.frames;
    counters_.agents += work_.agent_count;
    counters_.simulations += output.simulations;
    counters_.deadline_misses += result_.deadline_missed;
    counters_.fallbacks += carrying(output, AUGUR_AGENT_FALLBACK);
    counters_.bad_states += carrying(output, AUGUR_AGENT_BAD_STATE);
    counters_.early_stops += carrying(output, AUGUR_AGENT_EARLY_STOP);
    counters_.dead_ends += carrying(output, AUGUR_AGENT_DEAD_END);
    counters_.values_clamped += carrying(output, AUGUR_AGENT_VALUE_CLAMPED);
    counters_.pools_exhausted += carrying(output, AUGUR_AGENT_POOL_EXHAUSTED);
    counters_.model_fallbacks += carrying(output, AUGUR_AGENT_MODEL_FALLBACK);
    counters_.bad_urgencies += carrying(output, AUGUR_AGENT_BAD_URGENCY);
    count_allotment(output);
    counters_.cancelled += output.cancelled ? 1 : 0;
    counters_.trees_carried += output.trees_carried;
    counters_.nodes_carried += output.nodes_carried;
    counters_.trees_warmed += output.trees_warmed;
    counters_.trees_reset += output.trees_reset;
    counters_.frames_dropped += output.actions_dropped ? 1 : 0;
    counters_.bytes_copied += result_.bytes_copied;
    latency_[AUGUR_LATENCY_SEARCH - 1].add(result_.search_ns);
    latency_[AUGUR_LATENCY_FRAME - 1].add(result_.request_to_done_ns);
    const auto length = [&frame](augur_stage stage) {
        return since(frame.stages[stage].begin_ns, frame.stages[stage].end_ns);
    };
    latency_[AUGUR_LATENCY_WAIT - 1].add(length(AUGUR_STAGE_WAIT));
    latency_[AUGUR_LATENCY_COLLECT - 1].add(length(AUGUR_STAGE_COLLECT));
}

augur_result Planner::answer(augur_frame_result* out_result) const {
    if (answer_ < 0) return fail(answer_, "the frame failed: %s", result_text(answer_));
    if (out_result != nullptr) put_out(out_result, result_);
    return answer_;
}

augur_result Planner::poll() {
    if (state_ == State::idle)
        return fail(AUGUR_ERROR_INVALID_STATE, "no frame was requested; augur_planner_request comes first");
    if (state_ == State::running && advance(0, false) == AUGUR_NOT_READY) return AUGUR_NOT_READY;
    return answer(nullptr);
}

augur_result Planner::collect(std::uint64_t timeout_us, augur_frame_result* out_result) {
    if (state_ == State::idle)
        return fail(AUGUR_ERROR_INVALID_STATE, "no frame was requested; augur_planner_request comes first");
    if (state_ == State::running && advance(us_to_ns(timeout_us), true) == AUGUR_NOT_READY) return AUGUR_NOT_READY;
    return answer(out_result);
}

void Planner::cancel() {
    if (!running_.load()) return;
    cancel_asked_.store(true);
    if (Engine* engine = engine_.load(); engine != nullptr) engine->cancel();
}

}  // namespace augur
