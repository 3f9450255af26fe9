// Recordings of a real game on the CPU backend: the same hashes on replay, and no damaged byte gets through.
#include <augur/augur.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "runtime/checksum.h"
#include "runtime/recording_format.h"
#include "runtime/system.h"
#include "support/captured_log.h"
#include "support/connect_four_host.h"
#include "support/dense_onnx.h"
#include "support/split_mix.h"

namespace augur {
namespace {

namespace fs = std::filesystem;
using test::ConnectFourHost;

class RecordingTest : public ::testing::Test {
  protected:
    void SetUp() override {
        folder = fs::temp_directory_path() / ("augur_recording_" + std::to_string(::getpid()));
        fs::create_directories(folder);
        path = (folder / "session.augur").string();
    }
    void TearDown() override { fs::remove_all(folder); }

    // Plays frames with positions that change and agents that come and go.
    static void play(ConnectFourHost& host, int frames) {
        for (int i = 0; i < frames; ++i) {
            augur_frame_desc frame = augur_frame_desc_default();
            frame.agent_count = ConnectFourHost::kAgents - static_cast<std::uint32_t>(i % 3);
            if (i % 4 == 3) frame.simulations = 5;
            if (i == 2) frame.frame = 1000;
            ASSERT_EQ(augur_planner_request(host.planner, &frame), AUGUR_OK) << augur_last_message();
            ASSERT_GE(augur_planner_collect(host.planner, UINT64_MAX, nullptr), 0);
            host.play_actions();
        }
    }
    void record(ConnectFourHost& host, int frames) {
        ASSERT_EQ(augur_planner_record_start(host.planner, path.c_str()), AUGUR_OK) << augur_last_message();
        EXPECT_FALSE(fs::exists(path)) << "it appears when it is complete";
        play(host, frames);
        ASSERT_EQ(augur_planner_record_stop(host.planner), AUGUR_OK) << augur_last_message();
    }
    augur_result replay(const std::string& file, augur_replay_report* report) {
        ConnectFourHost other;
        other.create_context(1);
        report->struct_size = sizeof *report;
        return augur_replay(other.context, file.c_str(), report);
    }
    static std::vector<char> read(const std::string& file) {
        std::ifstream in(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    }
    std::string write(const std::vector<char>& bytes) {
        const std::string file = (folder / "damaged").string();
        std::ofstream(file, std::ios::binary | std::ios::trunc)
            .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        return file;
    }

    fs::path folder;
    std::string path;
};

TEST_F(RecordingTest, ReplaysToTheSameHashes) {
    ConnectFourHost host;
    host.set_up(0);
    record(host, 12);
    augur_replay_report report{};
    ASSERT_EQ(replay(path, &report), AUGUR_OK) << augur_last_message();
    EXPECT_EQ(report.frames, 12u);
    EXPECT_EQ(report.frames_equal, 12u);
    EXPECT_EQ(report.frames_skipped, 0u);
    EXPECT_EQ(report.first_different, 0xffffffffu);
    EXPECT_EQ(report.backend, static_cast<std::uint32_t>(AUGUR_BACKEND_CPU));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1) << "no other file is left";
}

TEST_F(RecordingTest, KeepsThePlannersSettings) {
    ConnectFourHost host;
    host.planner_desc.selection = AUGUR_SELECTION_UCT;
    host.planner_desc.exploration = 0.7f;
    host.planner_desc.discount = 0.93f;
    host.planner_desc.horizon = 9;
    host.planner_desc.seed = 77;
    host.planner_desc.early_stop = 0;
    host.planner_desc.node_capacity = 20;
    host.set_up(0);
    record(host, 6);
    augur_replay_report report{};
    ASSERT_EQ(replay(path, &report), AUGUR_OK) << augur_last_message();
    EXPECT_EQ(report.frames_equal, 6u);
}

TEST_F(RecordingTest, OfTheLargeTreeReplaysToo) {
    ConnectFourHost host;
    host.planner_desc.search = AUGUR_SEARCH_TREE;
    host.planner_desc.simulations = 200;
    host.set_up(0);
    record(host, 3);
    augur_replay_report report{};
    ASSERT_EQ(replay(path, &report), AUGUR_OK) << augur_last_message();
    EXPECT_EQ(report.frames_equal, 3u);
}

TEST_F(RecordingTest, LeavesOutFramesThatTimeEnded) {
    ConnectFourHost host;
    host.set_up(0);
    ASSERT_EQ(augur_planner_record_start(host.planner, path.c_str()), AUGUR_OK);
    play(host, 2);
    augur_frame_desc frame = augur_frame_desc_default();
    frame.agent_count = ConnectFourHost::kAgents;
    ASSERT_EQ(augur_planner_request(host.planner, &frame), AUGUR_OK);
    ASSERT_EQ(augur_planner_cancel(host.planner), AUGUR_OK);
    ASSERT_EQ(augur_planner_collect(host.planner, UINT64_MAX, nullptr), AUGUR_CANCELLED);
    ASSERT_EQ(augur_planner_record_stop(host.planner), AUGUR_OK);
    augur_replay_report report{};
    ASSERT_EQ(replay(path, &report), AUGUR_OK);
    EXPECT_EQ(report.frames, 3u);
    EXPECT_EQ(report.frames_equal, 2u);
    EXPECT_EQ(report.frames_skipped, 1u);
}

TEST_F(RecordingTest, TellsTheFirstFrameThatDiffers) {
    // One bit of frame 1's decision hash changed, and the checksum made right again.
    ConnectFourHost host;
    host.set_up(0);
    record(host, 4);
    std::vector<char> bytes = read(path);
    const std::size_t header = padded(sizeof(RecordingHeader) + 2 * sizeof(std::uint32_t)) + 8;
    const auto body = [](std::uint32_t agents) {
        return padded(sizeof(FrameHead) + agents * sizeof(ConnectFourHost::Board));
    };
    const std::size_t frame = header + body(ConnectFourHost::kAgents) + 8;
    FrameHead head{};
    std::memcpy(&head, bytes.data() + frame, sizeof head);
    ASSERT_EQ(head.marker, kFrameMarker);
    ASSERT_EQ(head.agent_count, ConnectFourHost::kAgents - 1);
    head.decision_hash ^= 1;
    std::memcpy(bytes.data() + frame, &head, sizeof head);
    const std::uint64_t sum = checksum(bytes.data() + frame, body(head.agent_count));
    std::memcpy(bytes.data() + frame + body(head.agent_count), &sum, sizeof sum);
    augur_replay_report report{};
    ASSERT_EQ(replay(write(bytes), &report), AUGUR_OK) << augur_last_message();
    EXPECT_EQ(report.frames, 4u);
    EXPECT_EQ(report.frames_equal, 3u);
    EXPECT_EQ(report.first_different, 1u);
}

TEST_F(RecordingTest, TruncatedAnywhereIsRefused) {
    ConnectFourHost host;
    host.set_up(0);
    record(host, 2);
    const std::vector<char> whole = read(path);
    ConnectFourHost other;
    other.create_context(0);
    for (std::size_t size = 0; size < whole.size(); ++size) {
        augur_replay_report report{};
        report.struct_size = sizeof report;
        report.frames = 77;
        const std::string file = write({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
        ASSERT_EQ(augur_replay(other.context, file.c_str(), &report), AUGUR_ERROR_IO) << size << " of " << whole.size();
        ASSERT_EQ(report.frames, 77u);
        ASSERT_NE(std::strstr(augur_last_message(), "offset"), nullptr) << augur_last_message();
    }
}

TEST_F(RecordingTest, WithAnyByteChangedOrAddedIsRefused) {
    ConnectFourHost host;
    host.set_up(0);
    record(host, 2);
    std::vector<char> bytes = read(path);
    ConnectFourHost other;
    other.create_context(0);
    augur_replay_report report{};
    report.struct_size = sizeof report;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<char>(bytes[i] ^ (1 << (i % 8)));
        ASSERT_EQ(augur_replay(other.context, write(bytes).c_str(), &report), AUGUR_ERROR_IO) << i;
        bytes[i] = static_cast<char>(bytes[i] ^ (1 << (i % 8)));
    }
    bytes.push_back('\0');
    EXPECT_EQ(augur_replay(other.context, write(bytes).c_str(), &report), AUGUR_ERROR_IO);
}

TEST_F(RecordingTest, WithAnyNumbersInAWholeHeaderIsReplayedOrRefused) {
    ConnectFourHost host;
    host.set_up(0);
    record(host, 2);
    const std::vector<char> whole = read(path);
    ConnectFourHost other;
    other.create_context(0);
    test::SplitMix64 random(9);
    const std::size_t first = offsetof(RecordingHeader, component_count), last = offsetof(RecordingHeader, seed);
    const std::size_t body = padded(sizeof(RecordingHeader) + 2 * sizeof(std::uint32_t));
    // Small enough that no planner needs much memory, or far outside every range.
    const std::uint32_t values[] = {0, 1, 2, 3, 8, 40, 100, 0x3f800000, 0x7fc00000, 0x80000000, 0xffffffff};
    int refused = 0;
    for (int round = 0; round < 400; ++round) {
        std::vector<char> bytes = whole;
        for (int change = 0; change < 1 + round % 2; ++change) {
            const auto words = static_cast<int>((last - first) / 4);
            const std::size_t at = first + 4 * static_cast<std::size_t>(random.below(words));
            const std::uint32_t value = values[random.below(11)];
            std::memcpy(bytes.data() + at, &value, sizeof value);
        }
        const std::uint64_t sum = checksum(bytes.data(), body);
        std::memcpy(bytes.data() + body, &sum, sizeof sum);
        augur_replay_report report{};
        report.struct_size = sizeof report;
        const augur_result result = augur_replay(other.context, write(bytes).c_str(), &report);
        const bool known = result == AUGUR_OK || result == AUGUR_ERROR_IO || result == AUGUR_ERROR_INVALID_ARGUMENT ||
                           result == AUGUR_ERROR_LIMIT || result == AUGUR_ERROR_NOT_FOUND ||
                           result == AUGUR_ERROR_INVALID_BUFFER;
        ASSERT_TRUE(known) << augur_last_message();
        refused += result < 0 ? 1 : 0;
    }
    EXPECT_GT(refused, 100);
    EXPECT_LT(refused, 400);
}

TEST_F(RecordingTest, FilesThatAreNotOnesAreRefused) {
    ConnectFourHost host;
    host.create_context(0);
    augur_replay_report report{};
    report.struct_size = sizeof report;
    const std::vector<char> zeros(100000, '\0'), text(1000, 'A');
    for (const std::string& file : {folder.string(), (folder / "missing").string(), std::string("/dev/zero"),
                                    write(zeros), write(text), std::string(5000, 'x'), std::string("%s%n")})
        EXPECT_EQ(augur_replay(host.context, file.c_str(), &report), AUGUR_ERROR_IO);
    EXPECT_EQ(augur_replay(host.context, "", &report), AUGUR_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(augur_replay(host.context, nullptr, &report), AUGUR_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(augur_replay(host.context, "x", nullptr), AUGUR_ERROR_INVALID_ARGUMENT);
}

TEST_F(RecordingTest, PathsAreDataWhateverTheyHold) {
    ConnectFourHost host;
    host.set_up(0);
    // Format characters, bytes that are no UTF-8, UTF-8, and an end in the middle.
    for (const std::string& name : {std::string("%s%n%d.augur"), std::string("caf\xe9 \xff\xfe.augur"),
                                    std::string("a caf\xc3\xa9.augur"), std::string("first part\0 second part", 24)}) {
        path = folder.string() + "/" + name;
        ASSERT_EQ(augur_planner_record_start(host.planner, path.c_str()), AUGUR_OK) << augur_last_message();
        play(host, 1);
        ASSERT_EQ(augur_planner_record_stop(host.planner), AUGUR_OK) << augur_last_message();
        EXPECT_TRUE(fs::exists(path.c_str()));
        augur_replay_report report{};
        ASSERT_EQ(replay(path, &report), AUGUR_OK) << augur_last_message();
        EXPECT_EQ(report.frames_equal, 1u);
        ASSERT_EQ(augur_planner_write_trace(host.planner, path.c_str()), AUGUR_OK) << augur_last_message();
        EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
        fs::remove(path.c_str());
    }
    // What cannot be a file is named in a message that a terminal and a log can show, shortened.
    const std::string megabyte(1 << 20, 'a');
    for (const std::string& file : {folder.string() + "/none/%s%n%n", folder.string() + "/none/\xff\x01\x1b[2J",
                                    megabyte, folder.string() + "/" + megabyte}) {
        const auto expect_told = [&](augur_result result) {
            EXPECT_EQ(result, AUGUR_ERROR_IO);
            const std::string message = augur_last_message();
            EXPECT_NE(message.find(file.substr(0, 20)), std::string::npos) << message;
            EXPECT_LT(message.size(), 300u);
            for (const char c : message)
                EXPECT_TRUE(c >= ' ' && c <= '~') << message;
        };
        augur_replay_report report{};
        report.struct_size = sizeof report;
        expect_told(augur_replay(host.context, file.c_str(), &report));
        expect_told(augur_planner_record_start(host.planner, file.c_str()));
        expect_told(augur_planner_write_trace(host.planner, file.c_str()));
    }
}

TEST_F(RecordingTest, NeedsEverythingBoundAndOneAtATime) {
    ConnectFourHost host;
    host.create_context(0);
    host.create_planner();
    EXPECT_EQ(augur_planner_record_start(host.planner, path.c_str()), AUGUR_ERROR_INVALID_STATE);
    host.bind_all();
    EXPECT_EQ(augur_planner_record_start(host.planner, (folder / "missing" / "file").c_str()), AUGUR_ERROR_IO);
    EXPECT_EQ(augur_planner_record_start(host.planner, folder.c_str()), AUGUR_ERROR_IO);
    EXPECT_EQ(augur_planner_record_start(host.planner, nullptr), AUGUR_ERROR_INVALID_ARGUMENT);
    ASSERT_EQ(augur_planner_record_start(host.planner, path.c_str()), AUGUR_OK);
    EXPECT_EQ(augur_planner_record_start(host.planner, path.c_str()), AUGUR_ERROR_INVALID_STATE);
    const augur_binding binding{host.buffer, AUGUR_FORMAT_U64, 0, 0, 16};
    EXPECT_EQ(augur_planner_bind(host.planner, "own", &binding), AUGUR_ERROR_INVALID_STATE);
    ASSERT_EQ(augur_planner_record_stop(host.planner), AUGUR_OK);
    EXPECT_EQ(augur_planner_bind(host.planner, "own", &binding), AUGUR_OK);
    augur_replay_report report{};
    EXPECT_EQ(replay(path, &report), AUGUR_OK);
    EXPECT_EQ(report.frames, 0u);
}

TEST_F(RecordingTest, IsCompletedWhenItsPlannerIsDestroyed) {
    ConnectFourHost host;
    host.set_up(0);
    ASSERT_EQ(augur_planner_record_start(host.planner, path.c_str()), AUGUR_OK);
    play(host, 2);
    ASSERT_EQ(augur_planner_destroy(host.planner), AUGUR_OK);
    augur_replay_report report{};
    EXPECT_EQ(replay(path, &report), AUGUR_OK) << augur_last_message();
    EXPECT_EQ(report.frames_equal, 2u);
}

TEST_F(RecordingTest, ThatNoLongerFitsOnTheDiskIsToldByStopAndDoesNotStopTheGame) {
    ConnectFourHost host;
    test::CapturedLog log;
    host.context_desc.logger = log.logger();
    host.set_up(0);
    ASSERT_EQ(augur_planner_record_start(host.planner, path.c_str()), AUGUR_OK);
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit small = before;
    small.rlim_cur = 300;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    play(host, 3);
    const augur_result stopped = augur_planner_record_stop(host.planner);
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, old_handler);
    EXPECT_EQ(stopped, AUGUR_ERROR_IO);
    EXPECT_FALSE(fs::exists(path));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 0);
    bool told = false;
    for (const auto& message : log.messages())
        told = told || message.code == AUGUR_ERROR_IO;
    EXPECT_TRUE(told);
}

using TraceTest = RecordingTest;

nlohmann::json events_of(const std::string& path) {
    std::ifstream in(path);
    return nlohmann::json::parse(in).at("traceEvents");
}

// Spans of one track lie in or beside each other, as viewers need them, and none ends before it begins.
void expect_tracks(const nlohmann::json& events) {
    std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> tracks;
    for (const auto& event : events) {
        if (event.at("ph") != "X") continue;
        const double begin = event.at("ts"), length = event.at("dur");
        EXPECT_GT(begin, 0.0);
        EXPECT_GE(length, 0.0);
        tracks[{event.at("pid"), event.at("tid")}].emplace_back(begin, begin + length);
    }
    for (const auto& [track, spans] : tracks) {
        for (std::size_t i = 0; i < spans.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                const auto [a, b] = spans[i];
                const auto [c, d] = spans[j];
                constexpr double kRounding = 0.002;
                const bool apart = b <= c + kRounding || d <= a + kRounding;
                const bool nested =
                    (a >= c - kRounding && b <= d + kRounding) || (c >= a - kRounding && d <= b + kRounding);
                EXPECT_TRUE(apart || nested) << "pid " << track.first << " tid " << track.second << ": " << a << ".."
                                             << b << " and " << c << ".." << d;
            }
        }
    }
}

TEST_F(TraceTest, IsJsonWithASpanForEveryStageThatRan) {
    ConnectFourHost host;
    host.set_up(0);
    play(host, 3);
    ASSERT_EQ(augur_planner_write_trace(host.planner, path.c_str()), AUGUR_OK) << augur_last_message();
    const nlohmann::json events = events_of(path);
    std::map<std::string, int> spans, names, others;
    for (const auto& event : events) {
        if (event.at("ph") == "M")
            ++names[event.at("args").value("name", "")];
        else
            ++(event.at("ph") == "X" ? spans : others)[event.at("name")];
    }
    for (const char* stage : {"frame", "submit", "wait", "fetch", "gather", "search", "finalise", "collect"})
        EXPECT_EQ(spans[stage], 3) << stage;
    EXPECT_EQ(others["from request to actions"], 3) << "a curve of the latency";
    EXPECT_EQ(others["frame"], 6) << "arrows from calls to stages";
    EXPECT_EQ(names["planner 1: connect_four"], 1);
    EXPECT_EQ(names["host: calls"], 1);
    EXPECT_EQ(names["CPU: stages"], 1);
    expect_tracks(events);
}

TEST_F(TraceTest, ShowsWhichFramesMissedTheirBudget) {
    ConnectFourHost host;
    host.set_up(1);
    augur_frame_desc frame = augur_frame_desc_default();
    frame.agent_count = ConnectFourHost::kAgents;
    frame.budget_us = 1;
    ASSERT_EQ(augur_planner_request(host.planner, &frame), AUGUR_OK);
    ASSERT_GE(augur_planner_collect(host.planner, UINT64_MAX, nullptr), 0);
    ASSERT_EQ(augur_planner_write_trace(host.planner, path.c_str()), AUGUR_OK);
    int missed = 0;
    for (const auto& event : events_of(path))
        missed += event.at("name") == "deadline missed" ? 1 : 0;
    EXPECT_EQ(missed, 1);
}

TEST_F(TraceTest, OfAContextHoldsAllPlannersAndModelsOnOneClock) {
    ConnectFourHost host;
    host.set_up(1);
    play(host, 2);
    // A second planner beside it, on the same boards.
    const augur_planner_id first = host.planner;
    ASSERT_EQ(augur_planner_create(host.context, &host.planner_desc, &host.planner), AUGUR_OK) << augur_last_message();
    host.bind_all();
    play(host, 4);
    const std::string bytes = test::write_dense_onnx(3, {4}, {{"score", 2, ""}}, [](auto...) { return 0.25f; });
    augur_model_desc desc = augur_model_desc_default();
    desc.data = bytes.data();
    desc.size_bytes = bytes.size();
    desc.row_capacity = 8;
    augur_model_id model{0}, unused{0};
    ASSERT_EQ(augur_model_create(host.context, &desc, &model), AUGUR_OK) << augur_last_message();
    ASSERT_EQ(augur_model_create(host.context, &desc, &unused), AUGUR_OK);
    float rows[8][3] = {}, scores[8][2] = {};
    const auto registered = [&](void* pointer, std::size_t size, augur_access access) {
        augur_buffer_desc memory = augur_buffer_desc_default();
        memory.pointer = pointer;
        memory.size_bytes = size;
        memory.access = static_cast<std::uint32_t>(access);
        augur_buffer_id id{0};
        EXPECT_EQ(augur_buffer_register(host.context, &memory, &id), AUGUR_OK) << augur_last_message();
        return id;
    };
    augur_evaluation_desc batch = augur_evaluation_desc_default();
    batch.row_count = 8;
    batch.inputs[0].buffer = registered(rows, sizeof rows, AUGUR_ACCESS_READ);
    batch.inputs[0].format = AUGUR_FORMAT_F32;
    batch.outputs[0].buffer = registered(scores, sizeof scores, AUGUR_ACCESS_WRITE);
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(augur_model_evaluate(model, &batch), AUGUR_OK) << augur_last_message();
        augur_evaluation_result result{};
        result.struct_size = sizeof result;
        ASSERT_EQ(augur_model_wait(model, UINT64_MAX, &result), AUGUR_OK);
        EXPECT_LE(result.request_to_begin_ns, result.request_to_done_ns);
        EXPECT_GT(result.request_to_begin_ns, 0u);
    }
    ASSERT_EQ(augur_context_write_trace(host.context, path.c_str()), AUGUR_OK) << augur_last_message();
    const nlohmann::json events = events_of(path);
    std::map<std::string, std::set<int>> processes;
    std::map<std::string, int> spans;
    double first_begin = 1e300, last_end = 0.0;
    for (const auto& event : events) {
        if (event.at("ph") == "M" && event.at("name") == "process_name")
            processes[event.at("args").at("name")].insert(event.at("pid").get<int>());
        if (event.at("ph") != "X") continue;
        ++spans[event.at("name")];
        first_begin = std::min(first_begin, event.at("ts").get<double>());
        last_end = std::max(last_end, event.at("ts").get<double>() + event.at("dur").get<double>());
    }
    EXPECT_EQ(processes["planner 1: connect_four"].size(), 1u);
    EXPECT_EQ(processes["planner 2: connect_four"].size(), 1u);
    EXPECT_EQ(processes["model 1: fp32"].size(), 1u);
    EXPECT_EQ(processes.size(), 3u) << "a model that was not evaluated has nothing to show";
    EXPECT_EQ(spans["frame"], 6);
    EXPECT_EQ(spans["batch"], 3);
    expect_tracks(events);
    const double now_us = static_cast<double>(system::now_ns()) * 1e-3;
    EXPECT_GT(first_begin, now_us - 60e6);
    EXPECT_LT(last_end, now_us) << "all times are of this process's steady clock";
    EXPECT_EQ(augur_planner_destroy(first), AUGUR_OK);
    EXPECT_EQ(augur_context_write_trace(host.context, nullptr), AUGUR_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(augur_context_write_trace(host.context, ""), AUGUR_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(augur_context_write_trace(host.context, folder.c_str()), AUGUR_ERROR_IO);
    EXPECT_EQ(augur_context_write_trace({7}, path.c_str()), AUGUR_ERROR_STALE_ID);
}

TEST_F(TraceTest, OfAContextIsWrittenWhileItsPlannersPlan) {
    ConnectFourHost host;
    host.set_up(1);
    std::atomic<bool> stop{false};
    std::thread game([&] {
        while (!stop.load())
            play(host, 1);
    });
    for (int i = 0; i < 20; ++i) {
        ASSERT_EQ(augur_context_write_trace(host.context, path.c_str()), AUGUR_OK) << augur_last_message();
        expect_tracks(events_of(path));
    }
    stop = true;
    game.join();
}

TEST_F(TraceTest, OfAnEmptyContextIsJsonToo) {
    ConnectFourHost host;
    host.create_context(0);
    ASSERT_EQ(augur_context_write_trace(host.context, path.c_str()), AUGUR_OK);
    EXPECT_TRUE(events_of(path).empty());
}

TEST_F(TraceTest, MemoryOfAContextIsWhatItsObjectsHold) {
    ConnectFourHost host;
    host.create_context(0);
    const auto usage = [&] {
        augur_memory_usage out{};
        out.struct_size = sizeof out;
        EXPECT_EQ(augur_context_memory(host.context, &out), AUGUR_OK);
        return out;
    };
    const augur_memory_usage before = usage();
    EXPECT_EQ(before.planner_count, 0u);
    host.create_planner();
    const augur_memory_usage after = usage();
    EXPECT_EQ(after.planner_count, 1u);
    EXPECT_EQ(after.model_count, 0u);
    augur_counters counters{};
    counters.struct_size = sizeof counters;
    ASSERT_EQ(augur_planner_counters(host.planner, &counters), AUGUR_OK);
    EXPECT_EQ(after.host_bytes - before.host_bytes, counters.host_bytes);
    EXPECT_EQ(after.device_bytes, 0u) << "a context on the CPU";
    EXPECT_EQ(after.device_total_bytes, 0u);
    ASSERT_EQ(augur_planner_destroy(host.planner), AUGUR_OK);
    EXPECT_EQ(usage().host_bytes, before.host_bytes);
    EXPECT_EQ(augur_context_memory(host.context, nullptr), AUGUR_ERROR_INVALID_ARGUMENT);
    augur_memory_usage bad{};
    EXPECT_EQ(augur_context_memory(host.context, &bad), AUGUR_ERROR_INVALID_ARGUMENT);
}

TEST_F(TraceTest, IsJsonAlsoBeforeTheFirstFrame) {
    ConnectFourHost host;
    host.set_up(0);
    ASSERT_EQ(augur_planner_write_trace(host.planner, path.c_str()), AUGUR_OK);
    std::ifstream in(path);
    EXPECT_FALSE(nlohmann::json::parse(in).at("traceEvents").empty());
}

TEST_F(TraceTest, ThatCannotBeWrittenLeavesTheOldFile) {
    ConnectFourHost host;
    host.set_up(0);
    EXPECT_EQ(augur_planner_write_trace(host.planner, (folder / "missing" / "file").c_str()), AUGUR_ERROR_IO);
    EXPECT_EQ(augur_planner_write_trace(host.planner, folder.c_str()), AUGUR_ERROR_IO);
    EXPECT_EQ(augur_planner_write_trace(host.planner, "/dev/full"), AUGUR_ERROR_IO);
    EXPECT_EQ(augur_planner_write_trace(host.planner, ""), AUGUR_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(augur_planner_write_trace(host.planner, nullptr), AUGUR_ERROR_INVALID_ARGUMENT);
    std::ofstream(path) << "old";
    const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit small = before;
    small.rlim_cur = 50;
    setrlimit(RLIMIT_FSIZE, &small);
    const augur_result written = augur_planner_write_trace(host.planner, path.c_str());
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, old_handler);
    EXPECT_EQ(written, AUGUR_ERROR_IO);
    const std::vector<char> kept = read(path);
    EXPECT_EQ(std::string(kept.begin(), kept.end()), "old");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace augur
