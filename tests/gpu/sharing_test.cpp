// Searches beside evaluations in every mode of sharing the GPU: the same answers, and the mode that is told.

#include <string>

#include "gpu/boards.h"
#include "support/dense_onnx.h"

namespace augur::test {
namespace {

constexpr std::uint32_t kAgents = 300, kRows = 20000, kFeatures = 64, kFrames = 40;

constexpr augur_gpu_sharing kModes[] = {AUGUR_GPU_SHARING_AUTO,     AUGUR_GPU_SHARING_PLAIN,
                                        AUGUR_GPU_SHARING_PRIORITY, AUGUR_GPU_SHARING_PARTITION,
                                        AUGUR_GPU_SHARING_ADAPTIVE, AUGUR_GPU_SHARING_TURNS};

augur_capabilities capabilities_of(augur_context_id context) {
    augur_capabilities out{};
    out.struct_size = sizeof out;
    EXPECT_EQ(augur_context_capabilities(context, &out), AUGUR_OK);
    return out;
}

// The hashes of frames 0 .. kFrames-1, searched while batches of a network run, with and without a budget that is never
// missed, urgent and not.
std::vector<std::uint64_t> search(Host& host, Boards& boards, bool beside) {
    std::vector<std::int32_t> actions(kAgents);
    EXPECT_EQ(host.make_planner(kAgents, 40), AUGUR_OK) << augur_last_message();
    host.bind(boards.own.data(), boards.other.data(), actions.data(), kAgents, AUGUR_BUFFER_HOST);

    const std::string onnx = write_dense_onnx(kFeatures, {128, 128}, {{"out", 8, ""}},
                                              [](std::uint32_t l, std::uint32_t r, std::uint32_t c) {
                                                  return 0.01f * static_cast<float>((l + r * 3 + c) % 7);
                                              });
    std::vector<float> in(kRows * kFeatures, 0.5f), out(kRows * 8);
    augur_model_desc desc = augur_model_desc_default();
    desc.data = onnx.data();
    desc.size_bytes = onnx.size();
    desc.row_capacity = kRows;
    augur_model_id model{};
    EXPECT_EQ(augur_model_create(host.context(), &desc, &model), AUGUR_OK) << augur_last_message();
    augur_evaluation_desc batch = augur_evaluation_desc_default();
    batch.row_count = kRows;
    batch.inputs[0].format = batch.outputs[0].format = AUGUR_FORMAT_F32;
    EXPECT_EQ(
        host.register_memory(in.data(), in.size() * 4, AUGUR_BUFFER_HOST, AUGUR_ACCESS_READ, &batch.inputs[0].buffer),
        AUGUR_OK);
    EXPECT_EQ(host.register_memory(out.data(), out.size() * 4, AUGUR_BUFFER_HOST, AUGUR_ACCESS_WRITE,
                                   &batch.outputs[0].buffer),
              AUGUR_OK);

    std::vector<std::uint64_t> hashes;
    for (std::uint32_t i = 0; i < kFrames; ++i) {
        if (beside) {
            EXPECT_EQ(augur_model_evaluate(model, &batch), AUGUR_OK) << augur_last_message();
        }
        augur_frame_desc frame = augur_frame_desc_default();
        frame.agent_count = kAgents;
        frame.frame = i;
        frame.budget_us = i % 3 == 0 ? 10'000'000 : INT64_MAX;
        frame.phase_weight = i % 2 == 0 ? 1.0f : 0.5f;
        EXPECT_EQ(augur_planner_request(host.planner(), &frame), AUGUR_OK) << augur_last_message();
        augur_frame_result result{};
        EXPECT_GE(host.collect(&result), AUGUR_OK) << augur_last_message();
        hashes.push_back(result.decision_hash);
        if (beside) {
            EXPECT_EQ(augur_model_wait(model, UINT64_MAX, nullptr), AUGUR_OK);
        }
    }
    augur_context_destroy(host.context());
    return hashes;
}

TEST(Sharing, GivesTheSameAnswersInEveryMode) {
    AUGUR_NEEDS_GPU();
    Boards boards(kAgents);
    Host cpu(AUGUR_BACKEND_CPU);
    const std::vector<std::uint64_t> expected = search(cpu, boards, false);
    for (const augur_gpu_sharing mode : kModes) {
        augur_context_desc desc = augur_context_desc_default();
        desc.gpu_sharing = static_cast<std::uint32_t>(mode);
        Host host(AUGUR_BACKEND_CUDA, &desc);
        EXPECT_EQ(capabilities_of(host.context()).gpu_sharing, desc.gpu_sharing) << "this driver cannot divide a GPU";
        EXPECT_EQ(search(host, boards, true), expected) << mode;
    }
}

TEST(Sharing, TellsHowManyMultiprocessorsSearchesHave) {
    AUGUR_NEEDS_GPU();
    augur_context_desc desc = augur_context_desc_default();
    desc.gpu_sharing = AUGUR_GPU_SHARING_PARTITION;
    desc.partition_multiprocessors = 16;
    const Host host(AUGUR_BACKEND_CUDA, &desc);
    const augur_capabilities found = capabilities_of(host.context());
    EXPECT_GE(found.search_multiprocessors, 16u);
    EXPECT_LT(found.search_multiprocessors, found.multiprocessors);
}

struct Warning {
    augur_result code = AUGUR_OK;
    std::string said;
    static void AUGUR_CALL note(void* user, augur_severity severity, augur_result code, const char* text) {
        auto* const own = static_cast<Warning*>(user);
        if (severity == AUGUR_SEVERITY_WARNING) own->code = code;
        own->said += text;
    }
};

TEST(Sharing, SaysWhatItUsesWhereItCannotDivide) {
    AUGUR_NEEDS_GPU();
    Boards boards(kAgents);
    augur_context_desc desc = augur_context_desc_default();
    Warning warning;
    desc.logger = {&Warning::note, &warning};
    desc.gpu_sharing = AUGUR_GPU_SHARING_PARTITION;
    desc.partition_multiprocessors = 100000;
    {
        const Host host(AUGUR_BACKEND_CUDA, &desc);
        EXPECT_EQ(capabilities_of(host.context()).gpu_sharing, static_cast<std::uint32_t>(AUGUR_GPU_SHARING_PRIORITY));
        EXPECT_EQ(warning.code, AUGUR_ERROR_UNSUPPORTED);
    }
    cudaStream_t stream = nullptr;
    ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
    desc.cuda_stream = stream;
    for (const augur_gpu_sharing mode : kModes) {
        desc.gpu_sharing = static_cast<std::uint32_t>(mode);
        warning = {};
        Host host(AUGUR_BACKEND_CUDA, &desc);
        EXPECT_EQ(capabilities_of(host.context()).gpu_sharing, static_cast<std::uint32_t>(AUGUR_GPU_SHARING_PLAIN));
        const bool divides = mode != AUGUR_GPU_SHARING_PLAIN && mode != AUGUR_GPU_SHARING_PRIORITY;
        EXPECT_EQ(warning.code != AUGUR_OK, divides && mode != AUGUR_GPU_SHARING_AUTO) << mode;
        EXPECT_EQ(warning.said.find("gpu_sharing") != std::string::npos, divides) << "AUTO says why, too";
        EXPECT_EQ(search(host, boards, true).size(), kFrames);
    }
    cudaStreamDestroy(stream);
}

}  // namespace
}  // namespace augur::test
