#include <augur/augur.h>

#include <cstdlib>

#include "golden/golden_text.h"

namespace augur::test {
namespace {

constexpr std::uint32_t kAgents = 40, kNumbers = 5;

std::string asset(const std::string& name) {
    const char* tests = std::getenv("AUGUR_TESTS_DIR");
    return (tests != nullptr ? std::string(tests) + "/.." : std::string(AUGUR_SOURCE_DIR)) + "/assets/models/" + name;
}

// What agents see: sixteenths, so that nothing is rounded.
void fill(float (&seen)[kAgents][kNumbers]) {
    for (std::uint32_t i = 0; i < kAgents; ++i) {
        for (std::uint32_t n = 0; n < 4; ++n)
            seen[i][n] = (static_cast<float>((i * (5 + 6 * n) + 3 * n) % 17) - 8.0f) / 16.0f;
        seen[i][4] = 0.0f;
    }
}

class Session {
  public:
    Session() {
        augur_context_desc desc = augur_context_desc_default();
        desc.backend = AUGUR_BACKEND_CPU;
        desc.worker_threads = 1;
        note(augur_context_create(&desc, &context_));
        augur_learned_rules_desc learned = augur_learned_rules_desc_default();
        learned.representation = load("balance_representation.onnx");
        learned.dynamics = load("balance_dynamics.onnx");
        learned.prediction = load("balance_prediction.onnx");
        learned.discount = 0.96875f;
        note(augur_rules_learned(context_, &learned, &rules_));
        fill(seen_);
    }
    ~Session() { augur_context_destroy(context_); }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    // One frame's decisions, a line an agent.
    void plan(const char* way, augur_search search, augur_selection selection) {
        augur_planner_desc desc = augur_planner_desc_default();
        desc.rules = rules_;
        desc.agent_capacity = kAgents;
        desc.search = search;
        desc.selection = selection;
        desc.simulations = 40;
        augur_planner_id planner{0};
        note(augur_planner_create(context_, &desc, &planner));
        augur_binding at{buffer(seen_, sizeof seen_, AUGUR_ACCESS_READ), AUGUR_FORMAT_F32, 0, 0, 0};
        note(augur_planner_bind(planner, "observation", &at));
        at = {buffer(actions_, sizeof actions_, AUGUR_ACCESS_WRITE), AUGUR_FORMAT_I32, 0, 0, 0};
        note(augur_planner_bind_actions(planner, &at));
        augur_frame_desc frame = augur_frame_desc_default();
        frame.agent_count = kAgents;
        frame.frame = 22;
        note(augur_planner_request(planner, &frame));
        note(augur_planner_collect(planner, UINT64_MAX, nullptr));
        for (std::uint32_t i = 0; i < kAgents; ++i) {
            augur_agent_result result{};
            std::uint32_t visits[3] = {};
            float values[3] = {};
            note(augur_planner_results(planner, i, 1, &result));
            note(augur_planner_root(planner, i, visits, values));
            text_ << way << ' ' << i << ": action " << result.action << " flags " << result.flags;
            for (int a = 0; a < 3; ++a)
                text_ << ' ' << visits[a] << ':'
                      << static_cast<std::int64_t>(static_cast<double>(values[a]) * 1073741824.0);
            text_ << '\n';
        }
        note(augur_planner_destroy(planner));
    }
    std::string text() const { return text_.str(); }

  private:
    // A call that fails leaves its message in the text.
    void note(augur_result result) {
        if (result < 0) text_ << augur_last_message() << '\n';
    }
    augur_model_id load(const char* name) {
        const std::string path = asset(name);
        augur_model_desc desc = augur_model_desc_default();
        desc.path = path.c_str();
        desc.precision = AUGUR_PRECISION_INT8;
        desc.precision_limit = 0.5f;  // without real states as samples it is rough, and the same everywhere
        augur_model_id model{0};
        note(augur_model_create(context_, &desc, &model));
        augur_model_info info{};
        info.struct_size = sizeof info;
        note(augur_model_describe(model, &info));
        if (info.exact == 0) text_ << name << " is not exact: " << info.note << '\n';
        return model;
    }
    augur_buffer_id buffer(void* memory, std::size_t size_bytes, augur_access access) {
        augur_buffer_desc desc = augur_buffer_desc_default();
        desc.pointer = memory;
        desc.size_bytes = size_bytes;
        desc.access = static_cast<std::uint32_t>(access);
        augur_buffer_id id{0};
        note(augur_buffer_register(context_, &desc, &id));
        return id;
    }

    std::ostringstream text_;
    augur_context_id context_{0};
    augur_rules_id rules_{0};
    float seen_[kAgents][kNumbers];
    std::int32_t actions_[kAgents] = {};
};

}  // namespace

Golden learned_golden() {
    Session session;
    session.plan("gumbel", AUGUR_SEARCH_FOREST, AUGUR_SELECTION_GUMBEL);
    session.plan("puct", AUGUR_SEARCH_FOREST, AUGUR_SELECTION_PUCT);
    session.plan("waves", AUGUR_SEARCH_TREE, AUGUR_SELECTION_PUCT);
    return {"balance_learned", session.text()};
}

}  // namespace augur::test
