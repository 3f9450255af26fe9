// Augur for C++20 hosts: owners that clean up, results that carry a value or the reason why not, spans in place of
// pointers.
//
// Header-only, over the C interface; nothing here is exported or allocates in a frame. Nothing throws unless asked to:
//
//   using namespace augur::sdk;
//   Result<Context> context = Context::create();
//   if (!context) return report(context.code(), context.message());
//
//   Context context = unwrap(Context::create());   // the other style: throws augur::sdk::Error
//
// Owners are move-only. A context's destructor takes down everything made from it; owners that live longer then hold a
// dead id, which is harmless.
#ifndef AUGUR_AUGUR_HPP
#define AUGUR_AUGUR_HPP

#include <augur/augur.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace augur::sdk {

// What a call answered: done (perhaps with something worth reading), or failed with the reason.
class [[nodiscard]] Status {
  public:
    Status() = default;
    // Keeps the calling thread's last message where the result is a failure.
    Status(augur_result code) : code_(code), message_(code < 0 ? augur_last_message() : "") {}

    bool ok() const { return code_ >= 0; }
    explicit operator bool() const { return ok(); }
    augur_result code() const { return code_; }
    const char* name() const { return augur_result_name(code_); }
    // Field, value and range of a failure; "" when there was none.
    const std::string& message() const { return message_; }

  private:
    augur_result code_ = AUGUR_OK;
    std::string message_;
};

// A value, or the reason why there is none.
template <class T>
class [[nodiscard]] Result {
  public:
    Result(T value, augur_result code = AUGUR_OK) : status_(code), value_(std::move(value)) {}
    Result(Status failure) : status_(std::move(failure)) {}

    bool ok() const { return value_.has_value(); }
    explicit operator bool() const { return ok(); }
    augur_result code() const { return status_.code(); }
    const char* name() const { return status_.name(); }
    const std::string& message() const { return status_.message(); }
    const Status& status() const { return status_; }

    // Only where ok().
    T& value() & { return *value_; }
    const T& value() const& { return *value_; }
    T&& value() && { return *std::move(value_); }
    T& operator*() & { return *value_; }
    const T& operator*() const& { return *value_; }
    T&& operator*() && { return *std::move(value_); }
    T* operator->() { return &*value_; }
    const T* operator->() const { return &*value_; }

  private:
    Status status_;
    std::optional<T> value_;
};

#if defined(__cpp_exceptions)
// Thrown by unwrap alone.
class Error : public std::runtime_error {
  public:
    explicit Error(const Status& status)
        : std::runtime_error(std::string(status.name()) + ": " + status.message()), code_(status.code()) {}
    augur_result code() const { return code_; }

  private:
    augur_result code_;
};

// The value, or an Error thrown.
template <class T>
T unwrap(Result<T>&& result) {
    if (!result) throw Error(result.status());
    return std::move(*result);
}

// Nothing, or an Error thrown. Gives positive results back.
inline augur_result unwrap(Status&& status) {
    if (!status) throw Error(status);
    return status.code();
}
#endif

// How numbers of a C++ type are stored.
template <class T>
constexpr augur_format format_of() {
    using Number = std::remove_cv_t<T>;
    static_assert(std::is_same_v<Number, float> || (std::is_integral_v<Number> && !std::is_same_v<Number, bool>) ||
                      std::is_enum_v<Number>,
                  "Augur takes float and whole numbers");
    if constexpr (std::is_same_v<Number, float>) {
        return AUGUR_FORMAT_F32;
    } else if constexpr (std::is_enum_v<Number>) {
        return format_of<std::underlying_type_t<Number>>();
    } else {
        static_assert(sizeof(Number) <= 4 || std::is_unsigned_v<Number>, "64-bit numbers are bit sets: unsigned");
        constexpr bool kSigned = std::is_signed_v<Number>;
        if constexpr (sizeof(Number) == 1) return kSigned ? AUGUR_FORMAT_I8 : AUGUR_FORMAT_U8;
        if constexpr (sizeof(Number) == 2) return kSigned ? AUGUR_FORMAT_I16 : AUGUR_FORMAT_U16;
        if constexpr (sizeof(Number) == 4) return kSigned ? AUGUR_FORMAT_I32 : AUGUR_FORMAT_U32;
        return AUGUR_FORMAT_U64;
    }
}

// Owns one id and gives it back with Destroy.
template <class Id, augur_result(AUGUR_CALL* Destroy)(Id)>
class Owner {
  public:
    Owner() = default;
    explicit Owner(Id id) : id_(id) {}
    ~Owner() { static_cast<void>(Destroy(id_)); }
    Owner(Owner&& other) noexcept : id_(other.release()) {}
    Owner& operator=(Owner&& other) noexcept {
        if (this != &other) {
            static_cast<void>(Destroy(id_));
            id_ = other.release();
        }
        return *this;
    }
    Owner(const Owner&) = delete;
    Owner& operator=(const Owner&) = delete;

    Id id() const { return id_; }
    explicit operator bool() const { return id_.value != 0; }
    // Gives the id away; the caller destroys it.
    Id release() { return std::exchange(id_, Id{0}); }
    // Destroys now and says how it went.
    Status reset() { return Destroy(release()); }

  private:
    Id id_{0};
};

// Profiles: what augur_profile_load and the others say. A load that fails keeps the defaults in the value it was given.
inline Status load_profile(const char* path, augur_profile& profile, augur_context_id context = {0}) {
    return augur_profile_load(context, path, &profile);
}
inline Status save_profile(const char* path, const augur_profile& profile) {
    return augur_profile_save(path, &profile);
}
inline Status apply(const augur_profile& profile, augur_planner_desc& desc) {
    return augur_profile_apply(&profile, &desc);
}
inline Status apply(const augur_profile& profile, augur_frame_desc& desc) {
    return augur_profile_apply_frame(&profile, &desc);
}
inline Status apply(const augur_profile& profile, augur_context_desc& desc) {
    return augur_profile_apply_context(&profile, &desc);
}
inline Status apply(const augur_profile& profile, augur_frame_budget_desc& desc) {
    return augur_profile_apply_frame_budget(&profile, &desc);
}
inline Status apply(const augur_profile& profile, augur_model_desc& desc) {
    return augur_profile_apply_model(&profile, &desc);
}

// Registered memory of the game. The memory itself stays the game's and must outlive this.
class Buffer : public Owner<augur_buffer_id, augur_buffer_unregister> {
  public:
    using Owner::Owner;
};

// The rules of a game. A plain value: rules live as long as their context, or until destroy.
class Rules {
  public:
    Rules() = default;
    explicit Rules(augur_rules_id id) : id_(id) {}
    augur_rules_id id() const { return id_; }

    Result<augur_rules_info> info() const {
        augur_rules_info out{};
        out.struct_size = sizeof out;
        const Status status = augur_rules_describe(id_, &out);
        return status ? Result<augur_rules_info>(out) : status;
    }
    Result<std::vector<augur_field_info>> fields() const {
        std::vector<augur_field_info> all;
        for (;;) {
            augur_field_info field{};
            field.struct_size = sizeof field;
            const Status status = augur_rules_field(id_, static_cast<std::uint32_t>(all.size()), &field);
            if (status.code() == AUGUR_ERROR_LIMIT) return all;
            if (!status) return status;
            all.push_back(field);
        }
    }
    Result<const char*> action_name(std::uint32_t action) const {
        const char* name = nullptr;
        const Status status = augur_rules_action_name(id_, action, &name);
        return status ? Result<const char*>(name) : status;
    }
    // Ends learned rules, for all copies of this value; others stay.
    Status destroy() { return augur_rules_destroy(id_); }

  private:
    augur_rules_id id_{0};
};

// A model. Each call says what the C function of the same name says.
class Model : public Owner<augur_model_id, augur_model_destroy> {
  public:
    using Owner::Owner;

    Result<augur_model_info> info() const {
        augur_model_info out{};
        out.struct_size = sizeof out;
        const Status status = augur_model_describe(id(), &out);
        return status ? Result<augur_model_info>(out) : status;
    }
    Result<augur_tensor_info> input(std::uint32_t index) const {
        augur_tensor_info out{};
        out.struct_size = sizeof out;
        const Status status = augur_model_input(id(), index, &out);
        return status ? Result<augur_tensor_info>(out) : status;
    }
    Result<augur_tensor_info> output(std::uint32_t index) const {
        augur_tensor_info out{};
        out.struct_size = sizeof out;
        const Status status = augur_model_output(id(), index, &out);
        return status ? Result<augur_tensor_info>(out) : status;
    }
    Status evaluate(const augur_evaluation_desc& desc) { return augur_model_evaluate(id(), &desc); }
    // Check code() for AUGUR_NOT_READY: then the value is all zero.
    Result<augur_evaluation_result> wait(std::uint64_t timeout_us = UINT64_MAX) {
        augur_evaluation_result out{};
        out.struct_size = sizeof out;
        const augur_result code = augur_model_wait(id(), timeout_us, &out);
        return code >= 0 ? Result<augur_evaluation_result>(out, code) : Status(code);
    }
    Result<augur_latency> latency(augur_latency_kind kind) {
        augur_latency out{};
        out.struct_size = sizeof out;
        const Status status = augur_model_latency(id(), kind, &out);
        return status ? Result<augur_latency>(out) : status;
    }
};

// A planner. Each call says what the C function of the same name says.
class Planner : public Owner<augur_planner_id, augur_planner_destroy> {
  public:
    using Owner::Owner;

    // T is the type of one number. stride_bytes: from one agent to the next, 0 for packed.
    template <class T>
    Status bind(const char* field, const Buffer& buffer, std::size_t offset_bytes = 0, std::size_t stride_bytes = 0) {
        const augur_binding binding = binding_of<T>(buffer, offset_bytes, stride_bytes);
        return augur_planner_bind(id(), field, &binding);
    }
    template <class T>
    Status bind_actions(const Buffer& buffer, std::size_t offset_bytes = 0, std::size_t stride_bytes = 0) {
        const augur_binding binding = binding_of<T>(buffer, offset_bytes, stride_bytes);
        return augur_planner_bind_actions(id(), &binding);
    }

    // Adaptive planners: the agents' urgency.
    template <class T>
    Status bind_urgency(const Buffer& buffer, std::size_t offset_bytes = 0, std::size_t stride_bytes = 0) {
        const augur_binding binding = binding_of<T>(buffer, offset_bytes, stride_bytes);
        return augur_planner_bind_urgency(id(), &binding);
    }

    // From the next request on.
    Status set_model(const Model& model) { return augur_planner_set_model(id(), model.id()); }

    Status request(std::uint32_t agent_count) {
        augur_frame_desc frame = augur_frame_desc_default();
        frame.agent_count = agent_count;
        return request(frame);
    }
    Status request(const augur_frame_desc& frame) { return augur_planner_request(id(), &frame); }
    Status poll() { return augur_planner_poll(id()); }
    // Check code() for AUGUR_NOT_READY: then the value is all zero.
    Result<augur_frame_result> collect(std::uint64_t timeout_us = UINT64_MAX) {
        augur_frame_result out{};
        out.struct_size = sizeof out;
        const augur_result code = augur_planner_collect(id(), timeout_us, &out);
        return code >= 0 ? Result<augur_frame_result>(out, code) : Status(code);
    }
    Status cancel() { return augur_planner_cancel(id()); }
    // Of agents first, first + 1, ...; see augur_carry_over.
    Status reset_trees(std::uint32_t first, std::uint32_t count) {
        return augur_planner_reset_trees(id(), first, count);
    }

    // Of agents first, first + 1, ... of the last frame.
    Status results(std::uint32_t first, std::span<augur_agent_result> out) {
        return augur_planner_results(id(), first, static_cast<std::uint32_t>(out.size()), out.data());
    }
    Result<std::vector<augur_tree_node>> tree(std::uint32_t agent) {
        std::vector<augur_tree_node> nodes;
        std::uint32_t count = 0;
        augur_result code = augur_planner_tree(id(), agent, nullptr, &count);
        if (code == AUGUR_ERROR_SIZE) {
            nodes.resize(count);
            code = augur_planner_tree(id(), agent, nodes.data(), &count);
        }
        return code >= 0 ? Result<std::vector<augur_tree_node>>(std::move(nodes)) : Status(code);
    }
    // Both [K], or empty to leave out.
    Status root(std::uint32_t agent, std::span<std::uint32_t> visits, std::span<float> values) {
        return augur_planner_root(id(), agent, visits.empty() ? nullptr : visits.data(),
                                  values.empty() ? nullptr : values.data());
    }
    // What the model said of an agent's root: priors [K], or empty to leave out; gives its value.
    Result<float> advice(std::uint32_t agent, std::span<float> priors = {}) {
        float value = 0.0f;
        const Status status = augur_planner_advice(id(), agent, priors.empty() ? nullptr : priors.data(), &value);
        return status ? Result<float>(value) : status;
    }
    Result<augur_counters> counters() {
        augur_counters out{};
        out.struct_size = sizeof out;
        const Status status = augur_planner_counters(id(), &out);
        return status ? Result<augur_counters>(out) : status;
    }
    Result<augur_latency> latency(augur_latency_kind kind) {
        augur_latency out{};
        out.struct_size = sizeof out;
        const Status status = augur_planner_latency(id(), kind, &out);
        return status ? Result<augur_latency>(out) : status;
    }
    Result<augur_latency> stage_latency(augur_stage stage) {
        augur_latency out{};
        out.struct_size = sizeof out;
        const Status status = augur_planner_stage_latency(id(), stage, &out);
        return status ? Result<augur_latency>(out) : status;
    }
    // Oldest first; gives the part of out that was written.
    Result<std::span<augur_timeline_frame>> timeline(std::span<augur_timeline_frame> out) {
        auto count = static_cast<std::uint32_t>(out.size());
        const Status status = augur_planner_timeline(id(), out.data(), &count);
        return status ? Result<std::span<augur_timeline_frame>>(out.first(count)) : status;
    }
    Status write_trace(const char* path) { return augur_planner_write_trace(id(), path); }
    Status record_start(const char* path) { return augur_planner_record_start(id(), path); }
    Status record_stop() { return augur_planner_record_stop(id()); }

  private:
    template <class T>
    static augur_binding binding_of(const Buffer& buffer, std::size_t offset_bytes, std::size_t stride_bytes) {
        return {buffer.id(), static_cast<std::uint32_t>(format_of<T>()), 0, offset_bytes, stride_bytes};
    }
};

// A context.
class Context : public Owner<augur_context_id, augur_context_destroy> {
  public:
    using Owner::Owner;

    // code() is AUGUR_FELL_BACK_TO_CPU where a GPU was found but could not be used.
    static Result<Context> create(const augur_context_desc& desc = augur_context_desc_default()) {
        augur_context_id id{0};
        const augur_result code = augur_context_create(&desc, &id);
        return code >= 0 ? Result<Context>(Context(id), code) : Status(code);
    }
    Result<augur_capabilities> capabilities() const {
        augur_capabilities out{};
        out.struct_size = sizeof out;
        const Status status = augur_context_capabilities(id(), &out);
        return status ? Result<augur_capabilities>(out) : status;
    }
    // From here on everything asked of the context shares budget_us, until the next call; INT64_MAX: no limit.
    Status begin_frame(std::int64_t budget_us) const {
        augur_frame_budget_desc desc = augur_frame_budget_desc_default();
        desc.budget_us = budget_us;
        return augur_context_begin_frame(id(), &desc);
    }
    Result<Rules> rules(const char* name) const {
        augur_rules_id id_of_rules{0};
        const Status status = augur_rules_builtin(id(), name, &id_of_rules);
        return status ? Result<Rules>(Rules(id_of_rules)) : status;
    }
    Result<Rules> learned_rules(const augur_learned_rules_desc& desc) const {
        augur_rules_id id_of_rules{0};
        const Status status = augur_rules_learned(id(), &desc, &id_of_rules);
        return status ? Result<Rules>(Rules(id_of_rules)) : status;
    }
    Result<Buffer> register_buffer(const augur_buffer_desc& desc) const {
        augur_buffer_id buffer{0};
        const Status status = augur_buffer_register(id(), &desc, &buffer);
        return status ? Result<Buffer>(Buffer(buffer)) : status;
    }
    // Host memory; elements may be structs. Constant elements are only ever read.
    template <class T, std::size_t Extent>
    Result<Buffer> register_memory(std::span<T, Extent> memory, augur_access access = default_access<T>()) const {
        static_assert(std::is_trivially_copyable_v<std::remove_const_t<T>>);
        augur_buffer_desc desc = augur_buffer_desc_default();
        desc.pointer = const_cast<std::remove_const_t<T>*>(memory.data());
        desc.size_bytes = memory.size_bytes();
        desc.access = static_cast<std::uint32_t>(access);
        return register_buffer(desc);
    }
    // code() is AUGUR_FELL_BACK_TO_CPU where the context has a GPU that cannot run the model.
    Result<Model> make_model(const augur_model_desc& desc) const {
        augur_model_id model{0};
        const augur_result code = augur_model_create(id(), &desc, &model);
        return code >= 0 ? Result<Model>(Model(model), code) : Status(code);
    }
    Result<Model> load_model(const char* path) const {
        augur_model_id model{0};
        const augur_result code = augur_model_load(id(), path, &model);
        return code >= 0 ? Result<Model>(Model(model), code) : Status(code);
    }
    Result<augur_planner_memory_info> planner_memory(const augur_planner_desc& desc) const {
        augur_planner_memory_info out{};
        out.struct_size = sizeof out;
        const Status status = augur_planner_memory(id(), &desc, &out);
        return status ? Result<augur_planner_memory_info>(out) : status;
    }
    Result<Planner> make_planner(const augur_planner_desc& desc) const {
        augur_planner_id planner{0};
        const augur_result code = augur_planner_create(id(), &desc, &planner);
        return code >= 0 ? Result<Planner>(Planner(planner), code) : Status(code);
    }
    // All planners and models in one file.
    Status write_trace(const char* path) const { return augur_context_write_trace(id(), path); }
    Result<augur_memory_usage> memory() const {
        augur_memory_usage out{};
        out.struct_size = sizeof out;
        const Status status = augur_context_memory(id(), &out);
        return status ? Result<augur_memory_usage>(out) : status;
    }
    // model: that guided the session; zero where none did.
    Result<augur_replay_report> replay(const char* path, augur_model_id model = {0}) const {
        augur_replay_report out{};
        out.struct_size = sizeof out;
        const Status status = augur_replay_with_model(id(), path, model, &out);
        return status ? Result<augur_replay_report>(out) : status;
    }
    // Of a session on learned rules.
    Result<augur_replay_report> replay(const char* path, const Rules& learned) const {
        augur_replay_report out{};
        out.struct_size = sizeof out;
        const Status status = augur_replay_with_rules(id(), path, learned.id(), &out);
        return status ? Result<augur_replay_report>(out) : status;
    }

  private:
    template <class T>
    static constexpr augur_access default_access() {
        return std::is_const_v<T> ? AUGUR_ACCESS_READ : AUGUR_ACCESS_READ_WRITE;
    }
};

// What this machine can do; see augur_self_test.
inline Result<augur_self_test_report> self_test() {
    augur_self_test_report out{};
    out.struct_size = sizeof out;
    const Status status = augur_self_test(&out);
    return status ? Result<augur_self_test_report>(out) : status;
}

}  // namespace augur::sdk

#endif  // AUGUR_AUGUR_HPP
