// The benchmark program as a user runs it, and the parts of it that could be wrong without being seen.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "measure.h"
#include "scenes.h"

namespace augur::bench {
namespace {

namespace fs = std::filesystem;

struct Outcome {
    int code = -1;
    std::string text;  // of both streams
};

Outcome shell(const std::string& command) {
    Outcome outcome;
    FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return outcome;
    char part[4096];
    for (std::size_t got = 0; (got = fread(part, 1, sizeof part, pipe)) > 0;)
        outcome.text.append(part, got);
    const int status = pclose(pipe);
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return outcome;
}

Outcome bench(const std::string& arguments) {
    return shell(std::string("'") + AUGUR_BENCH_PROGRAM + "' " + arguments);
}

std::size_t lines_of(const std::string& text) {
    std::size_t lines = 0;
    for (const char letter : text)
        lines += letter == '\n' ? 1 : 0;
    return lines;
}

class Folder {
  public:
    Folder() : path_(fs::temp_directory_path() / ("augur-bench-" + std::to_string(::getpid()))) {
        fs::create_directories(path_);
    }
    ~Folder() { fs::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::string file(const char* name) const { return (path_ / name).string(); }

  private:
    fs::path path_;
};

TEST(Bench, QuickRunWritesJsonWithPositiveFigures) {
    const Folder folder;
    const std::string path = folder.file("bench.json");
    const Outcome ran = bench("--quick --backend cpu --filter 'smoke|memory/skirmish' --json '" + path + "'");
    ASSERT_EQ(ran.code, 0) << ran.text;
    std::ifstream file(path);
    const nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
    ASSERT_FALSE(json.is_discarded());
    EXPECT_EQ(json.at("program"), "augur_bench");
    EXPECT_NE(json.at("command").get<std::string>().find("--quick"), std::string::npos);
    ASSERT_EQ(json.at("rows").size(), 3u);
    for (const auto& row : json.at("rows")) {
        EXPECT_EQ(row.at("device"), "cpu");
        EXPECT_NE(ran.text.find(row.at("name").get<std::string>()), std::string::npos);
        if (row.at("kind") == "memory") {
            EXPECT_GT(row.at("bytes_per_node"), 0);
            EXPECT_EQ(row.at("baselines").at(0).at("value"), 128.0);
            continue;
        }
        const auto& frame = row.at("frame_ms");
        EXPECT_GE(frame.at("count"), 3);
        EXPECT_GT(frame.at("median").get<double>(), 0.0);
        EXPECT_LE(frame.at("min").get<double>(), frame.at("median").get<double>());
        EXPECT_LE(frame.at("median").get<double>(), frame.at("p99").get<double>());
        EXPECT_LE(frame.at("p99").get<double>(), frame.at("max").get<double>());
        EXPECT_GT(row.at("simulations_per_s").get<double>(), 0.0);
        EXPECT_GT(row.at("host_cpu_us").at("median").get<double>(), 0.0);
        EXPECT_GT(row.at("host_bytes"), 0);
    }
}

TEST(Bench, PlansOnLearnedRules) {
    const Folder folder;
    const std::string path = folder.file("bench.json");
    const Outcome ran =
        bench("--repeats 3 --backend cpu --filter '^learned/balance/4096x32/int8$' --json '" + path + "'");
    ASSERT_EQ(ran.code, 0) << ran.text;
    std::ifstream file(path);
    const nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
    ASSERT_EQ(json.at("rows").size(), 1u);
    EXPECT_EQ(json["rows"][0].at("game"), "balance");
    EXPECT_EQ(json["rows"][0].at("frame_ms").at("count"), 3);
}

TEST(Bench, WatchesFramesAndPlaysThemWithEverything) {
    const Folder folder;
    const std::string path = folder.file("bench.json");
    const Outcome ran = bench(
        "--repeats 8 --backend cpu --filter '^telemetry/connect_four/256|^host/connect_four/4096/everything$' --json "
        "'" +
        path + "'");
    ASSERT_EQ(ran.code, 0) << ran.text;
    std::ifstream file(path);
    const nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
    ASSERT_EQ(json.at("rows").size(), 2u);
    const auto &everything = json["rows"][0], &telemetry = json["rows"][1];
    EXPECT_EQ(everything.at("request_us").at("count"), 8);
    EXPECT_EQ(everything.at("machine_us").at("count"), 8);
    EXPECT_GT(everything.at("machine_us").at("min").get<double>(), 0.0);
    EXPECT_EQ(everything.at("baselines").at(1).at("metric"), "host_cpu_p99_us");
    EXPECT_FALSE(everything.contains("telemetry_us"));
    EXPECT_EQ(telemetry.at("frame_ms").at("count"), 8);
    EXPECT_EQ(telemetry.at("telemetry_us").at("count"), 8);
    EXPECT_GT(telemetry.at("inspect_us").at("min").get<double>(), 0.0);
    EXPECT_GT(telemetry.at("trace_ms").at("min").get<double>(), 0.0);
    const double percent = telemetry.at("telemetry_percent");
    EXPECT_NEAR(percent,
                telemetry["telemetry_us"]["median"].get<double>() / telemetry["frame_ms"]["median"].get<double>() * 0.1,
                1e-9);
    EXPECT_EQ(telemetry.at("baselines").at(0).at("ours"), percent);
}

TEST(Bench, ReportTurnsJsonIntoTables) {
    if (std::string(AUGUR_BENCH_PYTHON).empty()) GTEST_SKIP() << "no Python here";
    const Folder folder;
    const std::string path = folder.file("bench.json");
    ASSERT_EQ(bench("--quick --backend cpu --filter "
                    "'smoke/|memory/skirmish|telemetry/connect_four/256|host/connect_four/4096$' --json '" +
                    path + "'")
                  .code,
              0);
    const Outcome report =
        shell(std::string("'") + AUGUR_BENCH_PYTHON + "' '" + AUGUR_BENCH_REPORT + "' '" + path + "'");
    ASSERT_EQ(report.code, 0) << report.text;
    EXPECT_NE(report.text.find("smoke/skirmish/64x8"), std::string::npos) << report.text;
    EXPECT_NE(report.text.find("memory/skirmish/4096x64"), std::string::npos) << report.text;
    EXPECT_NE(report.text.find("128"), std::string::npos) << report.text;
    EXPECT_NE(report.text.find("telemetry/connect_four/256x32 | cpu |"), std::string::npos) << report.text;
    EXPECT_NE(report.text.find("host/connect_four/4096 | cpu |"), std::string::npos) << report.text;
    EXPECT_NE(report.text.find("--quick --backend cpu"), std::string::npos) << report.text;
}

TEST(Bench, ListNamesEveryCaseAndHonoursTheFilter) {
    const Outcome all = bench("--list"), some = bench("--list --filter '^budget/'");
    EXPECT_EQ(all.code, 0);
    EXPECT_NE(all.text.find("forest/connect_four/4096x32\n"), std::string::npos);
    EXPECT_NE(all.text.find("forest/skirmish/65536x32\n"), std::string::npos);
    EXPECT_NE(all.text.find("tree/connect_four/1000\n"), std::string::npos);
    EXPECT_EQ(some.code, 0);
    EXPECT_EQ(lines_of(some.text), 11u);
    EXPECT_GT(lines_of(all.text), lines_of(some.text));
}

TEST(Bench, RefusesWhatItCannotDo) {
    for (const char* arguments :
         {"--bogus", "extra", "--backend gpu", "--repeats 0", "--repeats -3", "--repeats many", "--filter '('",
          "--filter nothing_is_called_so", "--json", "--json /no/such/folder/bench.json"}) {
        const Outcome outcome = bench(arguments);
        EXPECT_EQ(outcome.code, 2) << arguments << "\n" << outcome.text;
        EXPECT_NE(outcome.text.find("--help"), std::string::npos) << arguments << "\n" << outcome.text;
    }
    EXPECT_EQ(bench("--help").code, 0);
}

TEST(BenchMeasure, PercentilesAreNearestRank) {
    std::vector<double> samples;
    for (int i = 200; i >= 1; --i)
        samples.push_back(i);
    const Summary summary = summarise(samples);
    EXPECT_EQ(summary.count, 200u);
    EXPECT_EQ(summary.min, 1);
    EXPECT_EQ(summary.median, 100);
    EXPECT_EQ(summary.p95, 190);
    EXPECT_EQ(summary.p99, 198);
    EXPECT_EQ(summary.max, 200);
    EXPECT_DOUBLE_EQ(summary.mean, 100.5);
    EXPECT_EQ(summarise({7.0}).p99, 7.0);
    EXPECT_EQ(summarise({}).count, 0u);
}

TEST(BenchScenes, SeesFourInEveryDirectionAndNotAcrossTheEdge) {
    const auto cells = [](std::initializer_list<int> bits) {
        std::uint64_t stones = 0;
        for (const int bit : bits)
            stones |= 1ull << bit;
        return stones;
    };
    EXPECT_TRUE(four_in_a_row(cells({0, 7, 14, 21})));
    EXPECT_TRUE(four_in_a_row(cells({2, 3, 4, 5})));
    EXPECT_TRUE(four_in_a_row(cells({0, 8, 16, 24})));
    EXPECT_TRUE(four_in_a_row(cells({24, 30, 36, 42})));
    EXPECT_FALSE(four_in_a_row(cells({3, 4, 5, 7})));        // the top of a column and the bottom of the next
    EXPECT_FALSE(four_in_a_row(cells({0, 7, 14, 28, 35})));  // a gap
}

TEST(BenchScenes, BoardsAreLegalAndRepeat) {
    const auto boards = random_boards(500, 3), again = random_boards(500, 3), others = random_boards(500, 4);
    std::size_t different = 0;
    for (std::size_t i = 0; i < boards.size(); ++i) {
        const std::uint64_t all = boards[i].own | boards[i].other;
        ASSERT_EQ(boards[i].own & boards[i].other, 0u);
        const int own = std::popcount(boards[i].own), other = std::popcount(boards[i].other);
        ASSERT_TRUE(own == other || own + 1 == other);
        ASSERT_FALSE(four_in_a_row(boards[i].own) || four_in_a_row(boards[i].other));
        for (int column = 0; column < 7; ++column) {
            const std::uint64_t stack = (all >> (7 * column)) & 0x7f;
            ASSERT_EQ(stack & (stack + 1), 0u) << "a stone hangs in the air";
            ASSERT_LT(stack, 64u);
        }
        ASSERT_EQ(boards[i].own, again[i].own);
        different += boards[i].own != others[i].own ? 1 : 0;
    }
    EXPECT_GT(different, 300u);
}

TEST(BenchScenes, BattlesHaveBothTeamsInReachOfEachOther) {
    const auto units = random_battle(4096, 3);
    ASSERT_EQ(units.size(), 4096u);
    std::size_t teams[2] = {}, met = 0;
    for (const Unit& unit : units) {
        ASSERT_TRUE(unit.team == 0 || unit.team == 1);
        ++teams[unit.team];
        ASSERT_GT(unit.health, 0);
        bool near = false;
        for (const Unit& other : units) {
            const float dx = other.position[0] - unit.position[0], dy = other.position[1] - unit.position[1];
            near = near || (other.team != unit.team && dx * dx + dy * dy < 64.0f);
        }
        met += near ? 1 : 0;
    }
    EXPECT_EQ(teams[0], teams[1]);
    EXPECT_GT(met, units.size() * 3 / 4);  // most have an enemy within 8.0, which is what a unit sees
    EXPECT_EQ(random_battle(1, 3).size(), 1u);
}

TEST(LoadBench, RefusesWhatItCannotDo) {
    const std::string program = std::string("'") + AUGUR_LOAD_BENCH_PROGRAM + "' ";
    for (const char* arguments : {"--loads 0", "--loads many", "--backend npu", "--backend", "--rows 4"}) {
        const Outcome outcome = shell(program + arguments);
        EXPECT_EQ(outcome.code, 2) << arguments;
        EXPECT_NE(outcome.text.find("usage: augur_load_bench"), std::string::npos) << outcome.text;
    }
}

TEST(JointBench, PlaysEveryModeAndWritesItsFigures) {
    const Folder folder;
    const std::string json = folder.file("joint.json");
    const std::string program = std::string("'") + AUGUR_JOINT_BENCH_PROGRAM + "' --backend cpu ";
    const Outcome outcome = shell(
        program + "--frames 3 --budget-frames 2 --rows 0 --render-ms 0 --agents 4 --fps 500 --json '" + json + "'");
    ASSERT_EQ(outcome.code, 0) << outcome.text;
    std::ifstream in(json);
    const nlohmann::json found = nlohmann::json::parse(in);
    ASSERT_EQ(found["modes"].size(), 16u);
    for (const nlohmann::json& mode : found["modes"]) {
        EXPECT_EQ(mode["search_ms"]["count"], 3) << mode["mode"];
        EXPECT_GT(mode["search_ms"]["mean"], 0.0) << mode["mode"];
        EXPECT_GE(mode["frame_ms"]["mean"], mode["both_ms"]["mean"]) << mode["mode"];
    }
    EXPECT_EQ(found["modes"][6]["budgets"].size(), 3u);
    const Outcome budgets = shell(program + "--frames 0 --budget-frames 2 --rows 0 --render-ms 0 --agents 4 --fps 500");
    EXPECT_EQ(budgets.code, 0) << budgets.text;
    EXPECT_EQ(budgets.text.find("| mode | in use"), std::string::npos) << budgets.text;
    EXPECT_NE(budgets.text.find("| mode | budget"), std::string::npos) << budgets.text;
    EXPECT_NE(shell(program + "--frames -1").code, 0);
    EXPECT_NE(shell(program + "--frames 1 --budget-frames 0 --rows 0 --render-ms 0 --json /nowhere/at/all.json").code,
              0);
}

}  // namespace
}  // namespace augur::bench
