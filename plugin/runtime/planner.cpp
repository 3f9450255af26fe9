#include "runtime/planner.h"

#include <algorithm>
#include <cstring>

#include "runtime/context.h"
#include "runtime/learned_rules.h"
#include "runtime/loaded_network.h"
#include "runtime/message.h"
#include "runtime/planner_desc.h"
#include "runtime/result_text.h"
#include "runtime/rules.h"
#include "runtime/system.h"

namespace augur {

namespace {

augur_result fail_with(augur_result result, const std::string& message) {
    return fail(result, "%s", message.c_str());
}

// Gives a failure of an engine, which has no words, a message.
augur_result told(augur_result result) {
    return result < 0 ? fail(result, "the last frame can no longer be read: %s", result_text(result)) : result;
}

// The planner's desc as an engine of the CPU takes it; what it points to belongs to the rules.
augur_result resolve(const augur_planner_desc& desc, const Rules& rules, EngineDesc* out) {
    const augur_result result = resolve_planner_desc(desc, *rules.info(), out);
    if (result == AUGUR_OK && rules.learned() != nullptr) out->learned = rules.learned()->on(AUGUR_BACKEND_CPU);
    return result;
}

// The same as one of the GPU takes it.
EngineDesc on_gpu(const EngineDesc& desc, const Rules& rules) {
    EngineDesc out = desc;
    out.rules = rules.on(AUGUR_BACKEND_CUDA);
    if (rules.learned() != nullptr) out.learned = rules.learned()->on(AUGUR_BACKEND_CUDA);
    return out;
}

// Whether the CUDA backend can search: without a network, or with networks that are on the GPU too.
bool runs_on_gpu(const EngineDesc& desc, const Rules& rules, const Model* model) {
    if (rules.learned() != nullptr) return rules.learned()->runs_on_gpu;
    return !desc.guided || (model != nullptr && model->network()->use(AUGUR_BACKEND_CUDA).network != nullptr);
}

// The host's allocator may have been the reason; it has said so to the logger already.
augur_result make_engine(Backend& backend, const EngineDesc& desc, std::unique_ptr<Engine>* out) {
    std::string message = "the engine could not be made";
    const augur_result result = backend.make_engine(desc, out, message);
    return result < 0 ? fail_with(result, message) : AUGUR_OK;
}

}  // namespace

Planner::Planner(Context& context, const Rules& rules, const augur_planner_desc& desc, const EngineDesc& engine_desc)
    : context_(context),
      learned_(rules.learned()),
      rules_(*rules.info()),
      desc_(desc),
      engine_desc_(engine_desc),
      default_budget_ns_(static_cast<std::uint64_t>(desc.budget_us) * 1000u),
      frame_share_(context.frame_budget(), true),
      watch_(component_count(rules_) + (engine_desc.adaptive ? 1 : 0)) {
    const std::uint32_t components = component_count(rules_) + (engine_desc.adaptive ? 1 : 0);
    fields_.resize(components);
    optional_.resize(components);
    cpu_wiring_.sources.resize(components);
    gpu_wiring_.sources.resize(components);
    std::uint32_t next = 0;
    for (std::uint32_t i = 0; i < rules_.field_count; ++i) {
        for (std::uint32_t c = 0; c < rules_.fields[i].sources(); ++c)
            optional_[next++] = rules_.fields[i].optional;
    }
    if (engine_desc.adaptive) optional_[next] = true;
}

Planner::~Planner() {
    cancel();
    // The engines end their frame first: it uses the staging and the host's arrays.
    gpu_engine_ = nullptr;
    cpu_engine_ = nullptr;
    if (recorder_.active()) recorder_.stop();
}

augur_result Planner::make(Context& context, const Rules& rules, const Model* model, const augur_planner_desc& desc,
                           std::unique_ptr<Planner>* out) {
    EngineDesc engine_desc;
    if (const augur_result result = resolve(desc, rules, &engine_desc); result != AUGUR_OK) return result;
    std::unique_ptr<Planner> planner(new Planner(context, rules, desc, engine_desc));
    if (const augur_result result = planner->make_engines(rules, model); result != AUGUR_OK) return result;
    if (model != nullptr) {
        if (const augur_result result = planner->make_guide(*model, &planner->guide_); result != AUGUR_OK)
            return result;
    }
    if (const augur_result result = planner->make_staging(); result != AUGUR_OK) return result;
    planner->wire();
    const bool fell_back = context.has_gpu() && planner->gpu_engine_ == nullptr;
    *out = std::move(planner);
    return fell_back ? AUGUR_FELL_BACK_TO_CPU : AUGUR_OK;
}

augur_result Planner::make_engines(const Rules& rules, const Model* model) {
    Backend& backend = context_.backend();
    if (backend.kind() == AUGUR_BACKEND_CUDA && runs_on_gpu(engine_desc_, rules, model)) {
        const EngineDesc desc = on_gpu(engine_desc_, rules);
        if (desc.rules == nullptr)
            return fail(AUGUR_ERROR_UNSUPPORTED, "rules %s cannot be played on the GPU", rules_.name);
        if (const augur_result result = make_engine(backend, desc, &gpu_engine_); result != AUGUR_OK) return result;
    }
    // Made now also where the GPU answers: when that is lost there is no time, and maybe no memory, to make it.
    if (const augur_result result = make_engine(context_.cpu(), engine_desc_, &cpu_engine_); result != AUGUR_OK)
        return result;
    backend_ = gpu_engine_ != nullptr ? AUGUR_BACKEND_CUDA : AUGUR_BACKEND_CPU;
    engine_.store(gpu_engine_ != nullptr ? gpu_engine_.get() : cpu_engine_.get(), std::memory_order_release);
    counters_.backend = backend_;
    return AUGUR_OK;
}

augur_result Planner::make_guide(const Model& model, Guide* out) {
    if (const augur_result result = check_fits(*model.network(), rules_); result != AUGUR_OK) return result;
    out->network = model.network();
    std::string message;
    augur_result result = cpu_engine_->make_seat(out->network->use(AUGUR_BACKEND_CPU), &out->on_cpu, message);
    if (result >= 0 && gpu_engine_ != nullptr && backend_ == AUGUR_BACKEND_CUDA) {
        const NetworkUse use = out->network->use(AUGUR_BACKEND_CUDA);
        if (use.network == nullptr)
            return fail(AUGUR_ERROR_UNSUPPORTED, "the model is on the CPU alone, and this planner searches on the GPU");
        result = gpu_engine_->make_seat(use, &out->on_gpu, message);
    }
    return result < 0 ? fail_with(result, message) : AUGUR_OK;
}

augur_result Planner::set_model(const Model& model) {
    if (learned_ != nullptr)
        return fail(AUGUR_ERROR_INVALID_STATE, "rules %s are learned: their own prediction guides the planner",
                    rules_.name);
    if (!engine_desc_.guided)
        return fail(AUGUR_ERROR_INVALID_STATE, "the planner was made without a model and has no room for one");
    if (recorder_.active())
        return fail(AUGUR_ERROR_INVALID_STATE,
                    "a recording is running; augur_planner_record_stop comes before another model");
    Guide made;
    if (const augur_result result = make_guide(model, &made); result != AUGUR_OK) return result;
    old_guide_ = {};
    next_guide_ = std::move(made);
    forget_trees_ = true;  // what they know is the old model's
    return AUGUR_OK;
}

augur_result Planner::reset_trees(std::uint32_t first, std::uint32_t count) {
    if (first > desc_.agent_capacity || count > desc_.agent_capacity - first)
        return fail(AUGUR_ERROR_LIMIT, "first %u plus count %u is past agent_capacity %u", first, count,
                    desc_.agent_capacity);
    if (state_ == State::running && advance(0, false) == AUGUR_NOT_READY)
        return fail(AUGUR_ERROR_BUSY, "a frame is running; collect it before trees are reset");
    return forget_trees(first, count);
}

augur_result Planner::forget_trees(std::uint32_t first, std::uint32_t count) {
    if (engine_desc_.carry_over == AUGUR_CARRY_OVER_NONE || count == 0) return AUGUR_OK;
    if (recorder_.active()) recorder_.add_reset(first, count, context_.log());
    const augur_result result = engine_.load()->reset_trees(first, count);
    // A GPU that is lost has lost its trees too; the CPU's are empty.
    if (result == AUGUR_OK || result == AUGUR_ERROR_DEVICE_LOST) return AUGUR_OK;
    return fail(result, "the trees could not be reset: %s", result_text(result));
}

augur_result Planner::make_staging() {
    if (!context_.can_copy_gl()) return AUGUR_OK;
    constexpr std::uint64_t kLargestFormat = 4;
    augur_buffer_desc desc{};
    desc.kind = AUGUR_BUFFER_HOST;
    desc.access = AUGUR_ACCESS_WRITE;
    desc.size_bytes = desc_.agent_capacity * kLargestFormat;
    if (!staged_actions_.allocate(context_.memory(), desc.size_bytes, 64))
        return fail(AUGUR_ERROR_OUT_OF_MEMORY, "the actions of %u agents need %llu bytes", desc_.agent_capacity,
                    static_cast<unsigned long long>(desc.size_bytes));
    desc.pointer = staged_actions_.data();
    std::string message;
    augur_result result = context_.cpu().attach(desc, &staged_actions_cpu_, message);
    if (result == AUGUR_OK && gpu_engine_ != nullptr)
        result = context_.backend().attach(desc, &staged_actions_gpu_, message);
    return result < 0 ? fail_with(result, message) : AUGUR_OK;
}

augur_result Planner::memory(Context& context, const Rules& rules, const Model* model, const augur_planner_desc& desc,
                             EngineMemory* out) {
    EngineDesc engine_desc;
    if (const augur_result result = resolve(desc, rules, &engine_desc); result != AUGUR_OK) return result;
    std::string message;
    EngineMemory sum{};
    if (const augur_result result = context.cpu().memory(engine_desc, &sum, message); result < 0)
        return fail_with(result, message);
    Backend& backend = context.backend();
    if (backend.kind() == AUGUR_BACKEND_CUDA && rules.on(AUGUR_BACKEND_CUDA) != nullptr &&
        runs_on_gpu(engine_desc, rules, model)) {
        EngineMemory gpu{};
        if (const augur_result result = backend.memory(on_gpu(engine_desc, rules), &gpu, message); result < 0)
            return fail_with(result, message);
        sum.bytes_per_node = gpu.bytes_per_node;
        sum.device_bytes += gpu.device_bytes;
        sum.host_bytes += gpu.host_bytes;
    }
    if (model != nullptr) {
        if (const augur_result result = check_fits(*model->network(), *rules.info()); result != AUGUR_OK) return result;
        sum.host_bytes += context.cpu().seat_bytes(engine_desc, model->network()->use(AUGUR_BACKEND_CPU));
        if (backend.kind() == AUGUR_BACKEND_CUDA && runs_on_gpu(engine_desc, rules, model))
            sum.device_bytes += backend.seat_bytes(engine_desc, model->network()->use(AUGUR_BACKEND_CUDA));
    }
    if (context.can_copy_gl()) sum.host_bytes += static_cast<std::uint64_t>(desc.agent_capacity) * 4;
    *out = sum;
    return AUGUR_OK;
}

void Planner::wire_for(augur_backend backend, BackendBuffer* staged_actions, Wiring* out) {
    out->usable = true;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
        const Bound& bound = fields_[i];
        BackendBuffer* buffer = bound.buffer != nullptr ? bound.buffer->on(backend) : nullptr;
        if (bound.buffer != nullptr && buffer == nullptr) out->usable = false;
        out->sources[i] = {buffer, bound.offset_bytes, bound.stride_bytes, bound.format};
    }
    out->actions = {};
    if (actions_.buffer == nullptr) return;
    if (actions_.buffer->staged_gl() != nullptr) {
        out->actions = {staged_actions, 0, actions_.size_bytes, actions_.format};
    } else {
        out->actions = {actions_.buffer->on(backend), actions_.offset_bytes, actions_.stride_bytes, actions_.format};
    }
    if (out->actions.buffer == nullptr) out->usable = false;
}

void Planner::wire() {
    wire_for(AUGUR_BACKEND_CPU, staged_actions_cpu_.get(), &cpu_wiring_);
    wire_for(AUGUR_BACKEND_CUDA, staged_actions_gpu_.get(), &gpu_wiring_);
}

augur_result Planner::settle_for_change() {
    if (state_ == State::running && advance(0, false) == AUGUR_NOT_READY)
        return fail(AUGUR_ERROR_BUSY, "a frame is running; collect it before the bindings change");
    if (recorder_.active())
        return fail(AUGUR_ERROR_INVALID_STATE,
                    "a recording is running; augur_planner_record_stop comes before new bindings");
    return AUGUR_OK;
}

augur_result Planner::check_touching(const Bound* fields, std::uint32_t first, std::uint32_t count,
                                     const Bound& actions) const {
    if (actions.buffer == nullptr) return AUGUR_OK;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (fields[i].buffer != nullptr && overlap(actions, fields[i], desc_.agent_capacity))
            return fail(AUGUR_ERROR_INVALID_BUFFER, "the actions and field \"%s\" share bytes",
                        source_name(first + i).c_str());
    }
    return AUGUR_OK;
}

augur_result Planner::bind(const char* field, const augur_binding& binding, Buffer& buffer) {
    FieldPlace place;
    if (const augur_result result = find_field(rules_, field, &place); result != AUGUR_OK) return result;
    if (const augur_result result = check_field_format(*place.field, binding.format); result != AUGUR_OK) return result;
    if (!buffer.readable())
        return fail(AUGUR_ERROR_INVALID_BUFFER, "access of the buffer is WRITE, field \"%s\" needs READ",
                    place.field->name);
    Bound bound[4];
    augur_result result = resolve_binding(binding, buffer, place.count, desc_.agent_capacity, bound, place.width);
    if (result != AUGUR_OK) return result;
    if (result = check_touching(bound, place.first, place.count, actions_); result != AUGUR_OK) return result;
    if (result = settle_for_change(); result != AUGUR_OK) return result;
    std::copy(bound, bound + place.count, fields_.begin() + place.first);
    wire();
    return AUGUR_OK;
}

augur_result Planner::bind_actions(const augur_binding& binding, Buffer& buffer) {
    augur_result result = check_action_format(binding.format, rules_.action_count);
    if (result != AUGUR_OK) return result;
    if (!buffer.writable()) return fail(AUGUR_ERROR_INVALID_BUFFER, "access of the buffer is READ, actions need WRITE");
    Bound bound;
    if (result = resolve_binding(binding, buffer, 1, desc_.agent_capacity, &bound); result != AUGUR_OK) return result;
    result = check_touching(fields_.data(), 0, static_cast<std::uint32_t>(fields_.size()), bound);
    if (result != AUGUR_OK) return result;
    if (result = settle_for_change(); result != AUGUR_OK) return result;
    actions_ = bound;
    wire();
    return AUGUR_OK;
}

augur_result Planner::bind_urgency(const augur_binding& binding, Buffer& buffer) {
    if (!engine_desc_.adaptive)
        return fail(AUGUR_ERROR_INVALID_STATE, "the planner was made with adaptive 0: its agents are all equal");
    if (binding.format == AUGUR_FORMAT_U64)
        return fail(AUGUR_ERROR_INVALID_BUFFER, "format is U64, urgency takes every format but U64");
    if (!buffer.readable())
        return fail(AUGUR_ERROR_INVALID_BUFFER, "access of the buffer is WRITE, urgency needs READ");
    Bound bound;
    augur_result result = resolve_binding(binding, buffer, 1, desc_.agent_capacity, &bound);
    if (result != AUGUR_OK) return result;
    const std::uint32_t place = component_count(rules_);
    if (result = check_touching(&bound, place, 1, actions_); result != AUGUR_OK) return result;
    if (result = settle_for_change(); result != AUGUR_OK) return result;
    fields_[place] = bound;
    wire();
    return AUGUR_OK;
}

// What messages call a field's component, or the urgency.
std::string Planner::source_name(std::uint32_t source) const {
    return source < component_count(rules_) ? component_name(rules_, source) : "urgency";
}

bool Planner::uses(const Buffer& buffer) const {
    bool used = actions_.buffer == &buffer;
    for (const Bound& bound : fields_)
        used = used || bound.buffer == &buffer;
    return used;
}

void Planner::forget(const Buffer& buffer) {
    if (!uses(buffer)) return;
    if (state_ == State::running) advance(UINT64_MAX, true);
    for (Bound& bound : fields_) {
        if (bound.buffer == &buffer) bound = {};
    }
    if (actions_.buffer == &buffer) actions_ = {};
    wire();
}

augur_result Planner::check_bound() const {
    for (std::uint32_t i = 0; i < fields_.size(); ++i) {
        if (fields_[i].buffer == nullptr && !optional_[i])
            return fail(AUGUR_ERROR_INVALID_STATE, "field \"%s\" is not bound; augur_planner_bind comes first",
                        component_name(rules_, i).c_str());
    }
    if (actions_.buffer == nullptr)
        return fail(AUGUR_ERROR_INVALID_STATE, "the actions are not bound; augur_planner_bind_actions comes first");
    return AUGUR_OK;
}

augur_result Planner::check_collected(std::uint32_t agent) const {
    if (state_ == State::idle)
        return fail(AUGUR_ERROR_INVALID_STATE, "no frame was requested; augur_planner_request comes first");
    if (state_ == State::running) return fail(AUGUR_ERROR_BUSY, "a frame is running; collect it first");
    if (agent >= searched_agents_)
        return fail(AUGUR_ERROR_LIMIT, "agent is %u, the last frame had %u agents", agent, searched_agents_);
    return AUGUR_OK;
}

augur_result Planner::results(std::uint32_t first, std::uint32_t count, augur_agent_result* out) {
    if (count == 0 && state_ == State::done) return AUGUR_OK;
    if (const augur_result result = check_collected(first); result != AUGUR_OK) return result;
    if (count > searched_agents_ - first)
        return fail(AUGUR_ERROR_LIMIT, "first %u plus count %u is past the %u agents of the last frame", first, count,
                    searched_agents_);
    if (out == nullptr) return fail(AUGUR_ERROR_INVALID_ARGUMENT, "out_results is null");
    return told(engine_.load()->results(first, count, out));
}

augur_result Planner::tree(std::uint32_t agent, augur_tree_node* out, std::uint32_t* count) {
    if (count == nullptr) return fail(AUGUR_ERROR_INVALID_ARGUMENT, "count is null");
    if (out == nullptr && *count != 0)
        return fail(AUGUR_ERROR_INVALID_ARGUMENT, "out_nodes is null and *count is %u", *count);
    if (const augur_result result = check_collected(agent); result != AUGUR_OK) return result;
    std::uint32_t needed = 0;
    const augur_result result = engine_.load()->tree(agent, out, *count, &needed);
    if (result != AUGUR_ERROR_SIZE && result < 0) return told(result);
    if (result == AUGUR_ERROR_SIZE)
        fail(result, "*count is %u, the tree of agent %u has %u nodes", *count, agent, needed);
    *count = needed;
    return result;
}

augur_result Planner::root(std::uint32_t agent, std::uint32_t* visits, float* values) {
    if (const augur_result result = check_collected(agent); result != AUGUR_OK) return result;
    return told(engine_.load()->root(agent, visits, values));
}

augur_result Planner::advice(std::uint32_t agent, float* priors, float* value) {
    if (!engine_desc_.guided) return fail(AUGUR_ERROR_INVALID_STATE, "no model guides this planner");
    if (const augur_result result = check_collected(agent); result != AUGUR_OK) return result;
    return told(engine_.load()->advice(agent, priors, value));
}

augur_latency Planner::stage_latency(std::uint32_t stage) const {
    return distribution_over(timeline_, [stage](const augur_timeline_frame& frame) {
        return frame.stages[stage].end_ns - frame.stages[stage].begin_ns;
    });
}

augur_counters Planner::counters() const {
    augur_counters out = counters_;
    out.backend = backend_;
    for (const Engine* engine : {gpu_engine_.get(), cpu_engine_.get()}) {
        if (engine == nullptr) continue;
        out.device_bytes += engine->memory().device_bytes;
        out.host_bytes += engine->memory().host_bytes;
    }
    for (const Guide* guide : {&guide_, &next_guide_, &old_guide_}) {
        if (guide->on_cpu != nullptr) out.host_bytes += guide->on_cpu->memory_bytes();
        if (guide->on_gpu != nullptr) out.device_bytes += guide->on_gpu->memory_bytes();
    }
    out.simulation_cost_ps = costs_.simulation_ps();
    out.execution = engine_.load()->execution(guide_.on(backend_).get());
    if (staged_actions_.data() != nullptr) out.host_bytes += static_cast<std::uint64_t>(desc_.agent_capacity) * 4;
    return out;
}

augur_result Planner::record_start(const char* path) {
    if (recorder_.active())
        return fail(AUGUR_ERROR_INVALID_STATE, "this planner records already; augur_planner_record_stop comes first");
    if (engine_desc_.adaptive)
        return fail(AUGUR_ERROR_UNSUPPORTED,
                    "adaptive is 1: what agents get depends on frames before the recording, and on time");
    if (const augur_result result = check_bound(); result != AUGUR_OK) return result;
    for (std::uint32_t i = 0; i < fields_.size(); ++i) {
        if (fields_[i].buffer != nullptr && fields_[i].buffer->host_bytes() == nullptr)
            return fail(AUGUR_ERROR_UNSUPPORTED,
                        "field \"%s\" lies in memory of the GPU; only host memory can be recorded",
                        component_name(rules_, i).c_str());
    }
    if (engine_desc_.carry_over != AUGUR_CARRY_OVER_NONE) {
        // What the trees know came before the recording. A frame that runs has begun with them.
        if (state_ == State::running && advance(0, false) == AUGUR_NOT_READY)
            return fail(AUGUR_ERROR_BUSY, "a frame is running on trees of earlier frames; collect it first");
        forget_trees_ = true;
    }
    const Guide& guide = next_guide_.network != nullptr ? next_guide_ : guide_;
    const std::uint64_t guided_by = guide.network != nullptr ? guide.network->identity : 0;
    return recorder_.start(path, engine_desc_, learned_ != nullptr ? learned_->identity : guided_by, fields_);
}

augur_result Planner::record_stop() {
    if (!recorder_.active())
        return fail(AUGUR_ERROR_INVALID_STATE, "this planner does not record; augur_planner_record_start comes first");
    return recorder_.stop();
}

augur_result destroy_planner(Use<Planner>& planner) {
    Use<Context> context;
    if (const augur_result result = context.acquire(planner->context().id()); result != AUGUR_OK) return result;
    const std::uint64_t id = planner.id();
    delete planner.take_down();
    // Only now: whoever waits for the planner's frame waits until it is gone from here.
    context->remove_child(id);
    return AUGUR_OK;
}

augur_result unregister_buffer(Use<Buffer>& buffer) {
    Use<Context> context;
    if (const augur_result result = context.acquire(buffer->context().id()); result != AUGUR_OK) return result;
    const std::uint64_t id = buffer.id();
    // No call binds it any more, and those that were about to have ended.
    const std::unique_ptr<Buffer> object(buffer.take_down());
    // What a child does with it ends first: forget waits for a frame, finish for an evaluation.
    const auto each = [&]<class T>(Kind kind, void (*stop)(T&, const Buffer&)) {
        for (std::uint64_t child = 0; context->next_child(kind, &child);) {
            Use<T> use;
            if (use.acquire(child) == AUGUR_OK && use.lock_briefly()) {
                // Calls of other threads on a child that does not know the buffer must not notice.
                if (!use->uses(*object)) continue;
                use.stay_locked();
                stop(*use, *object);
                continue;
            }
            use.reset();
            // It is being destroyed by another thread, which waits for its frame or evaluation.
            for (std::uint32_t attempt = 0; context->has_child(child); ++attempt)
                system::back_off(attempt);
        }
    };
    each.operator()<Planner>(Kind::planner, [](Planner& planner, const Buffer& gone) { planner.forget(gone); });
    each.operator()<Model>(Kind::model, [](Model& model, const Buffer&) { model.finish(); });
    context->remove_child(id);
    return AUGUR_OK;
}

}  // namespace augur
