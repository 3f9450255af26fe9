#include "runtime/self_test.h"

#include <cstdio>
#include <memory>
#include <string>

#include "runtime/context.h"
#include "runtime/desc.h"
#include "runtime/message.h"
#include "runtime/planner.h"
#include "runtime/rules.h"

namespace augur {

namespace {

struct Trial {
    augur_result result = AUGUR_OK;
    std::uint64_t decision_hash = 0;
    augur_capabilities capabilities{};
    std::string message;  // why not
};

augur_result fail_answer(std::int32_t action, std::int32_t expected) {
    return fail(AUGUR_ERROR_INTERNAL, "the known position was answered with column %d, expected column %d", action,
                expected);
}

// Connect Four, three stones of the mover on top of each other in column 3, three of the opponent in column 0: the
// mover wins in column 3 or loses. A bit is 7 * column + row.
augur_result plan_known_position(Context& context, std::uint64_t* out_hash) {
    std::uint64_t stones[2] = {7ull << 21, 7ull};
    std::int32_t action[1] = {-2};
    constexpr std::int32_t kWinning = 3;

    std::uint64_t rules_id = 0;
    augur_result result = context.find_rules("connect_four", &rules_id);
    if (result != AUGUR_OK) return result;
    Use<Rules> rules;
    if (result = rules.acquire(rules_id); result != AUGUR_OK) return result;

    std::unique_ptr<Buffer> stones_buffer;
    std::unique_ptr<Buffer> action_buffer;
    augur_buffer_desc memory = DescTraits<augur_buffer_desc>::defaults();
    memory.pointer = stones;
    memory.size_bytes = sizeof stones;
    if (result = Buffer::make(context, memory, &stones_buffer); result != AUGUR_OK) return result;
    memory.access = AUGUR_ACCESS_WRITE;
    memory.pointer = action;
    memory.size_bytes = sizeof action;
    if (result = Buffer::make(context, memory, &action_buffer); result != AUGUR_OK) return result;

    augur_planner_desc desc = DescTraits<augur_planner_desc>::defaults();
    desc.agent_capacity = 1;
    desc.simulations = 256;
    std::unique_ptr<Planner> planner;
    if (result = Planner::make(context, *rules, nullptr, desc, &planner); result < 0) return result;
    if (result = planner->bind("own", {{0}, AUGUR_FORMAT_U64, 0, 0, 0}, *stones_buffer); result != AUGUR_OK)
        return result;
    if (result = planner->bind("other", {{0}, AUGUR_FORMAT_U64, 0, 8, 0}, *stones_buffer); result != AUGUR_OK)
        return result;
    if (result = planner->bind_actions({{0}, AUGUR_FORMAT_I32, 0, 0, 0}, *action_buffer); result != AUGUR_OK)
        return result;

    augur_frame_desc frame = DescTraits<augur_frame_desc>::defaults();
    frame.agent_count = 1;
    augur_frame_result done{};
    done.struct_size = sizeof done;
    if (result = planner->request(frame); result < 0) return result;
    if (result = planner->collect(UINT64_MAX, &done); result < 0) return result;
    *out_hash = done.decision_hash;
    return action[0] == kWinning ? AUGUR_OK : fail_answer(action[0], kWinning);
}

Trial try_backend(const BackendFactory& factory, augur_backend backend) {
    Trial trial;
    augur_context_desc desc = DescTraits<augur_context_desc>::defaults();
    desc.api_version = AUGUR_VERSION;
    desc.backend = backend;
    desc.worker_threads = 0;
    std::uint64_t id = 0;
    trial.result = create_context(desc, factory, &id);
    if (trial.result >= 0) {
        Use<Context> context;
        trial.result = context.acquire_alone(id);
        if (trial.result == AUGUR_OK) {
            trial.result = plan_known_position(*context, &trial.decision_hash);
            trial.capabilities = context->capabilities();
            if (trial.result < 0) trial.message = last_message();
            destroy_context(context);
            return trial;
        }
    }
    trial.message = last_message();
    return trial;
}

std::string sentence(const char* name, const Trial& trial) {
    if (trial.result < 0) return std::string(name) + " not usable: " + trial.message + "\n";
    return std::string(name) + " works: " + trial.capabilities.device_name + "\n";
}

}  // namespace

augur_self_test_report run_self_test(const BackendFactory& factory) {
    augur_self_test_report report{};
    const Trial cpu = try_backend(factory, AUGUR_BACKEND_CPU);
    const Trial cuda = try_backend(factory, AUGUR_BACKEND_CUDA);
    const CudaProbe probe = factory.probe();
    report.cpu = cpu.result;
    report.cuda = cuda.result;
    report.device_count = probe.device_count;
    report.cuda_driver = probe.driver_version;
    report.cuda_needed = probe.runtime_version;
    const bool both = cpu.result == AUGUR_OK && cuda.result == AUGUR_OK;
    report.backends_agree = both && cpu.decision_hash == cuda.decision_hash ? 1 : 0;
    std::string text = sentence("CPU", cpu) + sentence("CUDA", cuda);
    if (!probe.text.empty()) text += "CUDA probe: " + probe.text + "\n";
    if (both) text += report.backends_agree ? "both gave the same decisions\n" : "they gave DIFFERENT decisions\n";
    std::snprintf(report.text, sizeof report.text, "%s", text.c_str());
    return report;
}

}  // namespace augur
