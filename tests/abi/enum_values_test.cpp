// Numbers with names mean what they meant when hosts were compiled. Values are only ever added, never renumbered;
// abidiff does not see them, because structs hold them as uint32_t.

#include <augur/augur.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace {

struct Value {
    const char* name;
    int now;
    int released;
};

#define ENTRY(name, value)                     \
    Value {                                    \
#name, static_cast < int>(name), value \
    }
const Value kValues[] = {
    ENTRY(AUGUR_RESULT_FORCE_32, 2147483647),
    ENTRY(AUGUR_OK, 0),
    ENTRY(AUGUR_NOT_READY, 1),
    ENTRY(AUGUR_DEADLINE_HIT, 2),
    ENTRY(AUGUR_OK_WITH_FLAGS, 3),
    ENTRY(AUGUR_FELL_BACK_TO_CPU, 4),
    ENTRY(AUGUR_BUDGET_ZERO, 5),
    ENTRY(AUGUR_CANCELLED, 6),
    ENTRY(AUGUR_POOL_EXHAUSTED, 7),
    ENTRY(AUGUR_ERROR_INVALID_ARGUMENT, -1),
    ENTRY(AUGUR_ERROR_INVALID_STATE, -2),
    ENTRY(AUGUR_ERROR_STALE_ID, -3),
    ENTRY(AUGUR_ERROR_SIZE, -4),
    ENTRY(AUGUR_ERROR_LIMIT, -5),
    ENTRY(AUGUR_ERROR_BUSY, -6),
    ENTRY(AUGUR_ERROR_NOT_FOUND, -7),
    ENTRY(AUGUR_ERROR_IO, -8),
    ENTRY(AUGUR_ERROR_INVALID_MODEL, -9),
    ENTRY(AUGUR_ERROR_UNSUPPORTED_OPERATOR, -10),
    ENTRY(AUGUR_ERROR_RULES_COMPILE, -11),
    ENTRY(AUGUR_ERROR_OUT_OF_MEMORY, -12),
    ENTRY(AUGUR_ERROR_DRIVER_TOO_OLD, -13),
    ENTRY(AUGUR_ERROR_NO_DEVICE, -14),
    ENTRY(AUGUR_ERROR_DEVICE_LOST, -15),
    ENTRY(AUGUR_ERROR_VERSION, -16),
    ENTRY(AUGUR_ERROR_INVALID_BUFFER, -17),
    ENTRY(AUGUR_ERROR_UNSUPPORTED, -18),
    ENTRY(AUGUR_ERROR_CALLBACK, -19),
    ENTRY(AUGUR_ERROR_CAPTURE_CONFLICT, -20),
    ENTRY(AUGUR_ERROR_INTERNAL, -21),
    ENTRY(AUGUR_BUFFER_HOST, 1),
    ENTRY(AUGUR_BUFFER_CUDA, 2),
    ENTRY(AUGUR_BUFFER_OPENGL, 3),
    ENTRY(AUGUR_ACCESS_READ, 1),
    ENTRY(AUGUR_ACCESS_WRITE, 2),
    ENTRY(AUGUR_ACCESS_READ_WRITE, 3),
    ENTRY(AUGUR_FORMAT_F32, 1),
    ENTRY(AUGUR_FORMAT_I32, 2),
    ENTRY(AUGUR_FORMAT_U32, 3),
    ENTRY(AUGUR_FORMAT_I16, 4),
    ENTRY(AUGUR_FORMAT_U16, 5),
    ENTRY(AUGUR_FORMAT_I8, 6),
    ENTRY(AUGUR_FORMAT_U8, 7),
    ENTRY(AUGUR_FORMAT_U64, 8),
    ENTRY(AUGUR_BACKEND_AUTO, 0),
    ENTRY(AUGUR_BACKEND_CPU, 1),
    ENTRY(AUGUR_BACKEND_CUDA, 2),
    ENTRY(AUGUR_SEVERITY_INFO, 0),
    ENTRY(AUGUR_SEVERITY_WARNING, 1),
    ENTRY(AUGUR_SEVERITY_ERROR, 2),
    ENTRY(AUGUR_LATENCY_REQUEST, 1),
    ENTRY(AUGUR_LATENCY_SEARCH, 2),
    ENTRY(AUGUR_LATENCY_FRAME, 3),
    ENTRY(AUGUR_LATENCY_WAIT, 4),
    ENTRY(AUGUR_LATENCY_COLLECT, 5),
    ENTRY(AUGUR_STAGE_COUNT, 14),
    ENTRY(AUGUR_TREE_TERMINAL, 1),
    ENTRY(AUGUR_TREE_PROVEN_WIN, 2),
    ENTRY(AUGUR_TREE_PROVEN_LOSS, 4),
    ENTRY(AUGUR_TREE_PROVEN_DRAW, 8),
    ENTRY(AUGUR_STAGE_SUBMIT, 0),
    ENTRY(AUGUR_STAGE_WAIT, 1),
    ENTRY(AUGUR_STAGE_FETCH, 2),
    ENTRY(AUGUR_STAGE_GRID, 3),
    ENTRY(AUGUR_STAGE_GATHER, 4),
    ENTRY(AUGUR_STAGE_SEARCH, 5),
    ENTRY(AUGUR_STAGE_EVALUATE, 6),
    ENTRY(AUGUR_STAGE_FINALISE, 7),
    ENTRY(AUGUR_STAGE_COPY, 8),
    ENTRY(AUGUR_STAGE_COLLECT, 9),
    ENTRY(AUGUR_STAGE_CARRY, 10),
    ENTRY(AUGUR_STAGE_SELECT, 11),
    ENTRY(AUGUR_STAGE_EXPAND, 12),
    ENTRY(AUGUR_STAGE_BACK_UP, 13),
    ENTRY(AUGUR_SEARCH_FOREST, 1),
    ENTRY(AUGUR_SEARCH_TREE, 2),
    ENTRY(AUGUR_CARRY_OVER_NONE, 0),
    ENTRY(AUGUR_CARRY_OVER_SUBTREE, 1),
    ENTRY(AUGUR_CARRY_OVER_WARM_START, 2),
    ENTRY(AUGUR_LATE_ACTIONS_WRITE, 0),
    ENTRY(AUGUR_LATE_ACTIONS_DROP, 1),
    ENTRY(AUGUR_SELECTION_PUCT, 1),
    ENTRY(AUGUR_SELECTION_UCT, 2),
    ENTRY(AUGUR_SELECTION_GUMBEL, 3),
    ENTRY(AUGUR_PRECISION_AUTO, 0),
    ENTRY(AUGUR_PRECISION_FP32, 1),
    ENTRY(AUGUR_PRECISION_FP16, 2),
    ENTRY(AUGUR_PRECISION_INT8, 3),
    ENTRY(AUGUR_VALUE_BOUNDED, 1),
    ENTRY(AUGUR_VALUE_TANH, 2),
    ENTRY(AUGUR_VALUE_PROBABILITY, 3),
    ENTRY(AUGUR_VALUE_LOGIT, 4),
    ENTRY(AUGUR_VALUE_OUTCOMES, 5),
    ENTRY(AUGUR_GPU_SHARING_AUTO, 0),
    ENTRY(AUGUR_GPU_SHARING_PLAIN, 1),
    ENTRY(AUGUR_GPU_SHARING_PRIORITY, 2),
    ENTRY(AUGUR_GPU_SHARING_PARTITION, 3),
    ENTRY(AUGUR_GPU_SHARING_ADAPTIVE, 4),
    ENTRY(AUGUR_GPU_SHARING_TURNS, 5),
    ENTRY(AUGUR_EXECUTION_AUTO, 0),
    ENTRY(AUGUR_EXECUTION_RESIDENT, 1),
    ENTRY(AUGUR_EXECUTION_WAVES, 2),
    ENTRY(AUGUR_AGENT_DEADLINE, 1),
    ENTRY(AUGUR_AGENT_EARLY_STOP, 2),
    ENTRY(AUGUR_AGENT_PROVEN, 4),
    ENTRY(AUGUR_AGENT_ONLY_ACTION, 8),
    ENTRY(AUGUR_AGENT_NO_ACTION, 16),
    ENTRY(AUGUR_AGENT_BAD_STATE, 32),
    ENTRY(AUGUR_AGENT_FALLBACK, 64),
    ENTRY(AUGUR_AGENT_POOL_EXHAUSTED, 128),
    ENTRY(AUGUR_AGENT_DEAD_END, 256),
    ENTRY(AUGUR_AGENT_VALUE_CLAMPED, 512),
    ENTRY(AUGUR_AGENT_ABSENT, 1024),
    ENTRY(AUGUR_AGENT_MODEL_FALLBACK, 2048),
    ENTRY(AUGUR_AGENT_BAD_URGENCY, 4096),
    ENTRY(AUGUR_TURN_SINGLE, 1),
    ENTRY(AUGUR_TURN_ALTERNATING, 2),
    ENTRY(AUGUR_TURN_SIMULTANEOUS, 3),
    ENTRY(AUGUR_FIELD_INTEGER, 1),
    ENTRY(AUGUR_FIELD_FIXED, 2),
    ENTRY(AUGUR_FIELD_BITS64, 3),
    ENTRY(AUGUR_FIELD_ROW, 4),
};
#undef ENTRY

TEST(EnumValues, AreTheOnesHostsWereCompiledWith) {
    for (const Value& value : kValues)
        EXPECT_EQ(value.now, value.released) << value.name;
}

TEST(EnumValues, EveryOneInTheHeadersIsOnTheList) {
    std::set<std::string> on_list;
    for (const Value& value : kValues)
        on_list.insert(value.name);
    const std::regex enumerator(R"((?:^|[{,])\s*(AUGUR_\w+) = -?\(?[0-9])");
    const std::regex list_entry(R"(\bX\((AUGUR_\w+), -?[0-9])");
    std::set<std::string> found;
    for (const auto& file : std::filesystem::directory_iterator(AUGUR_SOURCE_DIR "/sdk/include/augur")) {
        if (file.path().extension() != ".h") continue;
        std::ifstream stream(file.path());
        for (std::string line; std::getline(stream, line);) {
            for (const std::regex& pattern : {enumerator, list_entry}) {
                for (std::sregex_iterator match(line.begin(), line.end(), pattern), end; match != end; ++match) {
                    EXPECT_TRUE(on_list.count((*match)[1])) << (*match)[1] << " of " << file.path().filename();
                    found.insert((*match)[1]);
                }
            }
        }
    }
    // Two of the list stand behind a macro on one line with other text.
    EXPECT_GE(found.size() + 2, on_list.size()) << "the headers were not understood";
}

}  // namespace
