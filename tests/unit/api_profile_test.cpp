// Profiles: round trips, files that mean no good, and how fields go into descs.
#include <augur/augur.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/profile.h"
#include "support/fake_host.h"
#include "support/split_mix.h"

namespace augur {
namespace {

namespace fs = std::filesystem;
using test::FakeHost;

augur_profile unusual() {
    augur_profile profile = augur_profile_default();
    profile.budget_us = 1234;
    profile.simulations = 77;
    profile.selection = AUGUR_SELECTION_GUMBEL;
    profile.execution = AUGUR_EXECUTION_WAVES;
    profile.leaves_per_wave = 9;
    profile.horizon = 5;
    profile.exploration = 1.2f;
    profile.early_stop = 0;
    profile.considered_actions = 7;
    profile.gumbel_scale = 0.1f;
    profile.model = 0;
    profile.precision = AUGUR_PRECISION_INT8;
    profile.phase_weight = 2.5f;
    profile.depth_weight = 0.3f;
    profile.priority = 1.5f;
    profile.adaptive = 1;
    profile.most_simulations = 200;
    profile.least_simulations = 11;
    profile.gpu_sharing = AUGUR_GPU_SHARING_TURNS;
    profile.carry_over = AUGUR_CARRY_OVER_WARM_START;
    profile.count_carried = 1;
    profile.urgency_peak = 3.5f;
    profile.urgency_fall = 0.7f;
    profile.partition_multiprocessors = 17;
    profile.frame_budget_us = 4321;
    profile.late_actions = AUGUR_LATE_ACTIONS_DROP;
    return profile;
}

bool same(const augur_profile& a, const augur_profile& b) {
    return std::memcmp(static_cast<const void*>(&a), static_cast<const void*>(&b), sizeof a) == 0;
}

bool said(const char* words) {
    return std::strstr(augur_last_message(), words) != nullptr;
}

class ProfileTest : public ::testing::Test {
  protected:
    void SetUp() override {
        folder = fs::temp_directory_path() / ("augur_profile_" + std::to_string(::getpid()));
        fs::create_directories(folder);
        path = (folder / "tuned.json").string();
        host.context_desc.backend = AUGUR_BACKEND_CPU;
        ASSERT_EQ(host.create_context(), AUGUR_OK);
    }
    void TearDown() override { fs::remove_all(folder); }

    void write(const std::string& text) const { std::ofstream(path, std::ios::binary | std::ios::trunc) << text; }
    std::string read() const {
        std::ifstream in(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    augur_result load(augur_profile* profile) { return augur_profile_load(host.context, path.c_str(), profile); }
    // Loads the text into a profile that was something else, and expects the defaults.
    void expect_refused(augur_result expected, const std::string& text, const char* words = "") {
        write(text);
        augur_profile profile = unusual();
        EXPECT_EQ(load(&profile), expected) << text << ": " << augur_last_message();
        EXPECT_TRUE(said(words)) << text << ": " << augur_last_message();
        EXPECT_TRUE(same(profile, augur_profile_default())) << text;
    }
    std::size_t files() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
    }

    FakeHost host;
    fs::path folder;
    std::string path;
};

TEST_F(ProfileTest, ComesBackAsItWasSaved) {
    for (const augur_profile& profile : {unusual(), augur_profile_default()}) {
        ASSERT_EQ(augur_profile_save(path.c_str(), &profile), AUGUR_OK) << augur_last_message();
        augur_profile again = augur_profile_default();
        ASSERT_EQ(load(&again), AUGUR_OK) << augur_last_message();
        EXPECT_TRUE(same(again, profile));
        // Without a context too.
        again = augur_profile_default();
        ASSERT_EQ(augur_profile_load({0}, path.c_str(), &again), AUGUR_OK);
        EXPECT_TRUE(same(again, profile));
        EXPECT_EQ(files(), 1u);
    }
    EXPECT_TRUE(host.log.messages().empty());
}

TEST_F(ProfileTest, IsJsonThatAPersonReads) {
    const augur_profile profile = unusual();
    ASSERT_EQ(augur_profile_save(path.c_str(), &profile), AUGUR_OK);
    const nlohmann::json text = nlohmann::json::parse(read());
    EXPECT_EQ(text.at("augur_profile"), 1);
    EXPECT_EQ(text.at("budget_us"), 1234);
    EXPECT_EQ(text.at("selection"), "gumbel");
    EXPECT_EQ(text.at("execution"), "waves");
    EXPECT_EQ(text.at("precision"), "int8");
    EXPECT_EQ(text.at("late_actions"), "drop");
    EXPECT_EQ(text.at("frame_budget_us"), 4321);
    EXPECT_EQ(text.at("early_stop"), false);
    EXPECT_EQ(text.at("exploration").dump(), "1.2") << "the shortest number, not 1.2000000476837158";
    EXPECT_EQ(text.size(), 1 + profile_fields().size());
}

TEST_F(ProfileTest, FieldsThatAreNotThereHaveTheirDefaults) {
    write(R"({"simulations": 5, "augur_profile": 1})");
    augur_profile profile = unusual();
    ASSERT_EQ(load(&profile), AUGUR_OK) << augur_last_message();
    augur_profile expected = augur_profile_default();
    expected.simulations = 5;
    EXPECT_TRUE(same(profile, expected));
}

TEST_F(ProfileTest, UnknownFieldsAreAWarningEach) {
    write(R"({"augur_profile": 1, "colour": {"budget_us": "x", "deep": [[], {"a": null}]}, "simulations": 5,
              "more": [1, 2, {"simulations": 9}], "less": null})");
    augur_profile profile = augur_profile_default();
    ASSERT_EQ(load(&profile), AUGUR_OK) << augur_last_message();
    EXPECT_EQ(profile.simulations, 5u);
    EXPECT_EQ(profile.budget_us, 0u);
    ASSERT_EQ(host.log.messages().size(), 3u);
    EXPECT_EQ(host.log.messages()[0].severity, AUGUR_SEVERITY_WARNING);
    EXPECT_NE(host.log.messages()[0].text.find("colour"), std::string::npos);
    EXPECT_NE(host.log.messages()[2].text.find("less"), std::string::npos);
    // A file full of them is not a page of messages.
    std::string many = R"({"augur_profile": 1)";
    for (int i = 0; i < 500; ++i)
        many += ", \"unknown_" + std::to_string(i) + "\": 0";
    write(many + "}");
    ASSERT_EQ(load(&profile), AUGUR_OK);
    EXPECT_LE(host.log.messages().size(), 3u + 5u);
}

TEST_F(ProfileTest, EveryFieldIsRefusedOfAnotherTypeOutOfItsRangeAndTwice) {
    for (const ProfileField& field : profile_fields()) {
        const std::string begin = R"({"augur_profile": 1, ")" + std::string(field.name) + "\": ";
        for (const char* value : {"null", "[]", "{}", "[1]", "-1", "\"nonsense\"", "1e300", "4294967296"})
            expect_refused(AUGUR_ERROR_INVALID_ARGUMENT, begin + value + "}", field.name);
        if (field.kind != ProfileKind::number) expect_refused(AUGUR_ERROR_INVALID_ARGUMENT, begin + "1.0}", field.name);
        if (field.kind == ProfileKind::flag || field.kind == ProfileKind::choice)
            expect_refused(AUGUR_ERROR_INVALID_ARGUMENT, begin + "1}", field.name);
        else
            expect_refused(AUGUR_ERROR_INVALID_ARGUMENT, begin + "true}", field.name);
        const nlohmann::json first_word = field.kind == ProfileKind::choice ? field.words[0] : "";
        const std::string good = field.kind == ProfileKind::flag     ? "true"
                                 : field.kind == ProfileKind::choice ? first_word.dump()
                                                                     : "1";
        write(begin + good + "}");
        augur_profile profile = augur_profile_default();
        EXPECT_EQ(load(&profile), AUGUR_OK) << augur_last_message();
        expect_refused(AUGUR_ERROR_INVALID_ARGUMENT, begin + good + ", \"" + field.name + "\": " + good + "}", "twice");
        if (field.kind == ProfileKind::flag || field.kind == ProfileKind::choice) continue;
        for (const bool inside : {true, false}) {
            const std::string end = std::to_string(static_cast<std::uint64_t>(field.high) + (inside ? 0 : 1));
            write(begin + end + "}");
            EXPECT_EQ(load(&profile), inside ? AUGUR_OK : AUGUR_ERROR_INVALID_ARGUMENT) << field.name << " " << end;
            if (!inside) {
                EXPECT_TRUE(said(end.c_str()) && said(std::to_string(static_cast<std::uint64_t>(field.high)).c_str()))
                    << augur_last_message();
            }
        }
    }
}

TEST_F(ProfileTest, FilesThatAreNoProfilesAreRefused) {
    expect_refused(AUGUR_ERROR_IO, "", "empty");
    for (const char* text : {" ",
                             "[]",
                             "1",
                             "null",
                             "\"augur_profile\"",
                             "{",
                             "}",
                             "{}",
                             "{]",
                             "{\"a\": }",
                             "nonsense",
                             "{\"augur_profile\": 1",
                             "{\"augur_profile\": 1}}",
                             "{\"augur_profile\": 1} x",
                             "{\"augur_profile\": 1, \"simulations\": NaN}",
                             "{\"augur_profile\": 1, \"gumbel_scale\": 1e999}",
                             "{\"augur_profile\": 1, \"budget_us\": 05}",
                             "{\"simulations\": 5}",
                             "{\"augur_profile\": 1, // no comments\n \"simulations\": 5}",
                             "{\"augur_profile\": 1,}",
                             "{'augur_profile': 1}",
                             "{\"augur_profile\": 1, \"\xff\xfe\": 2}",
                             "\x7f"
                             "ELF",
                             "PK\x03\x04"})
        expect_refused(AUGUR_ERROR_IO, text);
    expect_refused(AUGUR_ERROR_IO, std::string("{\"augur_profile\": 1}\0{", 22), "offset");
    expect_refused(AUGUR_ERROR_IO, "{\"augur_profile\": 1, \"simulations\": 6 6}", "offset");
    for (const char* version : {"2", "0", "-1", "1.0", "\"1\"", "null", "{}", "18446744073709551615"})
        expect_refused(AUGUR_ERROR_VERSION, R"({"augur_profile": )" + std::string(version) + "}", "augur_profile");
}

TEST_F(ProfileTest, FilesThatCannotBeReadHaveTheirOwnResults) {
    const auto expect = [&](augur_result expected, const std::string& at) {
        augur_profile profile = unusual();
        EXPECT_EQ(augur_profile_load(host.context, at.c_str(), &profile), expected) << at << augur_last_message();
        EXPECT_TRUE(same(profile, augur_profile_default())) << at;
    };
    expect(AUGUR_ERROR_NOT_FOUND, (folder / "missing.json").string());
    expect(AUGUR_ERROR_NOT_FOUND, (folder / "missing" / "missing.json").string());
    expect(AUGUR_ERROR_IO, folder.string());
    expect(AUGUR_ERROR_IO, "/dev/zero");
    const std::string pipe = (folder / "pipe").string();
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    expect(AUGUR_ERROR_IO, pipe);
    write(std::string(AUGUR_PROFILE_FILE_MAX_BYTES + 1, ' '));
    expect(AUGUR_ERROR_LIMIT, path);
    fs::resize_file(path, std::uintmax_t{1} << 40);  // a hole, which costs nothing
    expect(AUGUR_ERROR_LIMIT, path);
    expect(AUGUR_ERROR_IO, std::string(5000, 'x'));
    expect(AUGUR_ERROR_NOT_FOUND, "%s%n%x");
    EXPECT_TRUE(said("%s%n%x")) << augur_last_message();
    bool logged = false;
    for (const auto& message : host.log.messages())
        logged = logged || message.code == AUGUR_ERROR_LIMIT;
    EXPECT_TRUE(logged);
    // As large as it may be, nothing but white space around.
    write(R"({"augur_profile": 1, "simulations": 3)" + std::string(AUGUR_PROFILE_FILE_MAX_BYTES - 38, '\n') + "}");
    augur_profile profile = augur_profile_default();
    EXPECT_EQ(load(&profile), AUGUR_OK) << augur_last_message();
    EXPECT_EQ(profile.simulations, 3u);
}

TEST_F(ProfileTest, NestingCostsNothing) {
    for (const char* bracket : {"[", "{\"a\":"}) {
        std::string deep = R"({"augur_profile": 1, "unknown": )";
        while (deep.size() + 8 < AUGUR_PROFILE_FILE_MAX_BYTES)
            deep += bracket;
        expect_refused(AUGUR_ERROR_IO, deep);
    }
}

TEST_F(ProfileTest, CutAnywhereIsRefused) {
    const augur_profile saved = unusual();
    ASSERT_EQ(augur_profile_save(path.c_str(), &saved), AUGUR_OK);
    std::string whole = read();
    while (!whole.empty() && std::isspace(static_cast<unsigned char>(whole.back())))
        whole.pop_back();
    for (std::size_t size = 0; size < whole.size(); ++size) {
        // What is left of a number may be out of its range.
        const bool number = size > 0 && std::isdigit(static_cast<unsigned char>(whole[size - 1])) != 0;
        write(whole.substr(0, size));
        augur_profile profile = unusual();
        const augur_result result = load(&profile);
        EXPECT_TRUE(result == AUGUR_ERROR_IO || (number && result == AUGUR_ERROR_INVALID_ARGUMENT)) << size;
        EXPECT_TRUE(same(profile, augur_profile_default())) << size;
    }
}

// Whatever the bytes are: a result, and either the defaults or numbers that every call takes.
TEST_F(ProfileTest, WithBytesChangedIsReadOrRefused) {
    const augur_profile saved = unusual();
    ASSERT_EQ(augur_profile_save(path.c_str(), &saved), AUGUR_OK);
    const std::string whole = read();
    test::SplitMix64 random{2026};
    const std::string spice = "{}[]\",:0123456789-+.eEtfn\\u \n\xff";
    int kept = 0;
    for (int round = 0; round < 1500; ++round) {
        std::string text = whole;
        for (std::uint64_t edits = 1 + random.next() % 4; edits > 0; --edits) {
            const std::size_t at = random.next() % text.size();
            switch (random.next() % 4) {
                case 0:
                    text[at] = static_cast<char>(random.next());
                    break;
                case 1:
                    text[at] = spice[random.next() % spice.size()];
                    break;
                case 2:
                    text.erase(at, 1 + random.next() % 12);
                    break;
                default:
                    text.insert(at, text.substr(random.next() % text.size(), random.next() % 40));
                    break;
            }
            if (text.empty()) text.push_back(' ');
        }
        write(text);
        augur_profile profile = unusual();
        const augur_result result = load(&profile);
        if (result < 0) {
            ASSERT_TRUE(same(profile, augur_profile_default())) << text;
            continue;
        }
        ++kept;
        ASSERT_EQ(check_profile(profile), AUGUR_OK) << text << augur_last_message();
    }
    EXPECT_GT(kept, 20) << "some edits leave a profile";
}

TEST_F(ProfileTest, IsReadAlikeInEveryLocale) {
    const augur_profile saved = unusual();
    const std::string before = std::setlocale(LC_ALL, nullptr);
    for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C"}) {
        if (std::setlocale(LC_ALL, name) == nullptr) continue;
        ASSERT_EQ(augur_profile_save(path.c_str(), &saved), AUGUR_OK);
        augur_profile again = augur_profile_default();
        EXPECT_EQ(load(&again), AUGUR_OK) << name << augur_last_message();
        EXPECT_TRUE(same(again, saved)) << name;
    }
    std::setlocale(LC_ALL, before.c_str());
}

TEST_F(ProfileTest, IsNotSavedOutOfRange) {
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    std::ofstream(path) << "old";
    for (const ProfileField& field : profile_fields()) {
        augur_profile profile = augur_profile_default();
        if (field.kind == ProfileKind::number) {
            for (const float value : {-0.01f, static_cast<float>(field.high) * 1.01f, nan, inf, -inf}) {
                field.put(&profile, value);
                EXPECT_EQ(augur_profile_save(path.c_str(), &profile), AUGUR_ERROR_INVALID_ARGUMENT) << field.name;
                EXPECT_TRUE(said(field.name)) << augur_last_message();
            }
        } else {
            for (const std::uint32_t value : {static_cast<std::uint32_t>(field.high) + 1, 0xffffffffu}) {
                field.put(&profile, value);
                EXPECT_EQ(augur_profile_save(path.c_str(), &profile), AUGUR_ERROR_INVALID_ARGUMENT) << field.name;
                EXPECT_TRUE(said(field.name)) << augur_last_message();
            }
        }
    }
    EXPECT_EQ(read(), "old");
}

TEST_F(ProfileTest, ThatCannotBeWrittenLeavesTheOldFile) {
    const augur_profile profile = augur_profile_default();
    const auto save = [&](const fs::path& at) { return augur_profile_save(at.c_str(), &profile); };
    EXPECT_EQ(save(folder), AUGUR_ERROR_IO);
    EXPECT_EQ(save(folder / "missing" / "file"), AUGUR_ERROR_IO);
    EXPECT_EQ(save("/dev/full"), AUGUR_ERROR_IO);
    EXPECT_EQ(save(std::string(5000, 'x')), AUGUR_ERROR_IO);
    write("old");
    const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit small = before;
    small.rlim_cur = 50;
    setrlimit(RLIMIT_FSIZE, &small);
    const augur_result written = save(path);
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, old_handler);
    EXPECT_EQ(written, AUGUR_ERROR_IO);
    EXPECT_EQ(read(), "old");
    EXPECT_EQ(files(), 1u) << "nothing half written stays";
}

TEST_F(ProfileTest, GoesIntoDescsAndLeavesTheRest) {
    const augur_profile profile = unusual();
    augur_planner_desc planner = augur_planner_desc_default();
    planner.rules.value = 11;
    planner.agent_capacity = 12;
    planner.seed = 13;
    planner.model.value = 14;
    planner.discount = 0.5f;
    augur_planner_desc expected = planner;
    ASSERT_EQ(augur_profile_apply(&profile, &planner), AUGUR_OK) << augur_last_message();
    expected.budget_us = 1234;
    expected.simulations = 200;
    expected.adaptive = 1;
    expected.least_simulations = 11;
    expected.priority = 1.5f;
    expected.late_actions = AUGUR_LATE_ACTIONS_DROP;
    expected.carry_over = AUGUR_CARRY_OVER_WARM_START;
    expected.count_carried = 1;
    expected.selection = AUGUR_SELECTION_GUMBEL;
    expected.execution = AUGUR_EXECUTION_WAVES;
    expected.leaves_per_wave = 9;
    expected.horizon = 5;
    expected.exploration = 1.2f;
    expected.early_stop = 0;
    expected.considered_actions = 7;
    expected.gumbel_scale = 0.1f;
    expected.model.value = 0;
    EXPECT_EQ(std::memcmp(static_cast<void*>(&planner), static_cast<void*>(&expected), sizeof planner), 0);

    augur_frame_desc frame = augur_frame_desc_default();
    frame.agent_count = 5;
    frame.frame = 6;
    ASSERT_EQ(augur_profile_apply_frame(&profile, &frame), AUGUR_OK);
    EXPECT_EQ(frame.budget_us, 1234);
    EXPECT_EQ(frame.simulations, 77u);
    EXPECT_EQ(frame.phase_weight, 2.5f);
    EXPECT_EQ(frame.depth_weight, 0.3f);
    EXPECT_EQ(frame.agent_count, 5u);
    EXPECT_EQ(frame.frame, 6u);
    const augur_profile unlimited = augur_profile_default();
    ASSERT_EQ(augur_profile_apply_frame(&unlimited, &frame), AUGUR_OK);
    EXPECT_EQ(frame.budget_us, INT64_MAX) << "no limit, where 0 of a frame would be no time at all";

    augur_context_desc context = augur_context_desc_default();
    context.worker_threads = 3;
    ASSERT_EQ(augur_profile_apply_context(&profile, &context), AUGUR_OK);
    EXPECT_EQ(context.gpu_sharing, static_cast<std::uint32_t>(AUGUR_GPU_SHARING_TURNS));
    EXPECT_EQ(context.partition_multiprocessors, 17u);
    EXPECT_EQ(context.worker_threads, 3u);

    augur_frame_budget_desc shared = augur_frame_budget_desc_default();
    ASSERT_EQ(augur_profile_apply_frame_budget(&profile, &shared), AUGUR_OK);
    EXPECT_EQ(shared.budget_us, 4321);
    ASSERT_EQ(augur_profile_apply_frame_budget(&unlimited, &shared), AUGUR_OK);
    EXPECT_EQ(shared.budget_us, INT64_MAX) << "nothing is shared";

    augur_model_desc model = augur_model_desc_default();
    model.row_capacity = 3;
    ASSERT_EQ(augur_profile_apply_model(&profile, &model), AUGUR_OK);
    EXPECT_EQ(model.precision, static_cast<std::uint32_t>(AUGUR_PRECISION_INT8));
    EXPECT_EQ(model.row_capacity, 3u);
}

TEST_F(ProfileTest, MakesAnAdaptivePlannerForMoreThanTheMean) {
    const auto made_for = [](std::uint32_t mean, std::uint32_t most) {
        augur_profile profile = augur_profile_default();
        profile.adaptive = 1;
        profile.simulations = mean;
        profile.most_simulations = most;
        augur_planner_desc desc = augur_planner_desc_default();
        EXPECT_EQ(augur_profile_apply(&profile, &desc), AUGUR_OK);
        augur_frame_desc frame = augur_frame_desc_default();
        EXPECT_EQ(augur_profile_apply_frame(&profile, &frame), AUGUR_OK);
        EXPECT_EQ(frame.simulations, mean);
        return desc.simulations;
    };
    EXPECT_EQ(made_for(16, 0), 64u);
    EXPECT_EQ(made_for(16, 40), 40u);
    EXPECT_EQ(made_for(16, 3), 16u) << "never fewer than the mean";
    EXPECT_EQ(made_for(65535, 0), 65535u);
    EXPECT_EQ(made_for(30000, 0), 65535u);
}

TEST_F(ProfileTest, OfDefaultsMakesTheDefaultPlanner) {
    const augur_profile profile = augur_profile_default();
    augur_planner_desc planner = augur_planner_desc_default();
    const augur_planner_desc before = planner;
    ASSERT_EQ(augur_profile_apply(&profile, &planner), AUGUR_OK);
    EXPECT_EQ(std::memcmp(static_cast<void*>(&planner), static_cast<const void*>(&before), sizeof planner), 0);
}

TEST_F(ProfileTest, MistakesOfTheCallerAreRefusedAndNothingIsWritten) {
    augur_profile profile = augur_profile_default();
    augur_planner_desc planner = augur_planner_desc_default();
    augur_frame_desc frame = augur_frame_desc_default();
    augur_model_desc model = augur_model_desc_default();
    write(R"({"augur_profile": 1})");
    constexpr augur_result kBad = AUGUR_ERROR_INVALID_ARGUMENT;
    EXPECT_EQ(augur_profile_load(host.context, nullptr, &profile), kBad);
    EXPECT_EQ(augur_profile_load(host.context, "", &profile), kBad);
    EXPECT_EQ(augur_profile_load(host.context, path.c_str(), nullptr), kBad);
    EXPECT_EQ(augur_profile_load({1234567}, path.c_str(), &profile), AUGUR_ERROR_STALE_ID);
    EXPECT_EQ(augur_profile_load(augur_context_id{host.planner.value + 1}, path.c_str(), &profile),
              AUGUR_ERROR_STALE_ID);
    EXPECT_EQ(augur_profile_save(nullptr, &profile), kBad);
    EXPECT_EQ(augur_profile_save("", &profile), kBad);
    EXPECT_EQ(augur_profile_save(path.c_str(), nullptr), kBad);
    EXPECT_EQ(augur_profile_apply(nullptr, &planner), kBad);
    EXPECT_EQ(augur_profile_apply(&profile, nullptr), kBad);
    EXPECT_EQ(augur_profile_apply_frame(nullptr, &frame), kBad);
    EXPECT_EQ(augur_profile_apply_frame(&profile, nullptr), kBad);
    EXPECT_EQ(augur_profile_apply_model(nullptr, &model), kBad);
    EXPECT_EQ(augur_profile_apply_model(&profile, nullptr), kBad);
    EXPECT_EQ(augur_profile_apply_context(&profile, nullptr), kBad);
    augur_frame_budget_desc shared = augur_frame_budget_desc_default();
    EXPECT_EQ(augur_profile_apply_frame_budget(nullptr, &shared), kBad);
    EXPECT_EQ(augur_profile_apply_frame_budget(&profile, nullptr), kBad);
    EXPECT_EQ(shared.budget_us, INT64_MAX);
    augur_profile_init_sized(nullptr, sizeof profile);
    // Garbage, not from the default maker.
    for (const int byte : {0x00, 0x7f, 0xff}) {
        augur_profile garbage;
        std::memset(static_cast<void*>(&garbage), byte, sizeof garbage);
        const augur_profile before = garbage;
        EXPECT_EQ(load(&garbage), kBad);
        EXPECT_TRUE(said("struct_cookie")) << augur_last_message();
        EXPECT_TRUE(same(garbage, before));
        EXPECT_EQ(augur_profile_save(path.c_str(), &garbage), kBad);
        EXPECT_EQ(augur_profile_apply(&garbage, &planner), kBad);
    }
    EXPECT_EQ(read(), R"({"augur_profile": 1})");
    // A field out of its range goes nowhere.
    profile.selection = 99;
    const augur_planner_desc before = planner;
    EXPECT_EQ(augur_profile_apply(&profile, &planner), kBad);
    EXPECT_TRUE(said("selection of the profile is 99, allowed 1..3")) << augur_last_message();
    EXPECT_EQ(std::memcmp(static_cast<void*>(&planner), static_cast<const void*>(&before), sizeof planner), 0);
}

// A host of an earlier or a later header.
TEST_F(ProfileTest, OlderAndNewerHostsKeepWhatTheyKnow) {
    const augur_profile saved = unusual();
    ASSERT_EQ(augur_profile_save(path.c_str(), &saved), AUGUR_OK);
    struct {
        std::uint32_t struct_size, struct_cookie, budget_us, simulations;
        unsigned char canary[64];
    } older;
    std::memset(&older, 0xab, sizeof older);
    auto* as_profile = reinterpret_cast<augur_profile*>(&older);
    augur_profile_init_sized(as_profile, 16);
    ASSERT_EQ(load(as_profile), AUGUR_OK) << augur_last_message();
    EXPECT_EQ(older.struct_size, 16u);
    EXPECT_EQ(older.budget_us, 1234u);
    EXPECT_EQ(older.simulations, 77u);
    for (const unsigned char byte : older.canary)
        ASSERT_EQ(byte, 0xab) << "written past the end of an older profile";
    augur_planner_desc planner = augur_planner_desc_default();
    ASSERT_EQ(augur_profile_apply(as_profile, &planner), AUGUR_OK);
    EXPECT_EQ(planner.simulations, 77u);
    EXPECT_EQ(planner.selection, static_cast<std::uint32_t>(AUGUR_SELECTION_PUCT)) << "what it does not know: defaults";

    struct {
        augur_profile known;
        std::uint64_t unknown[4];
    } newer;
    std::memset(static_cast<void*>(&newer), 0xcd, sizeof newer);
    augur_profile_init_sized(&newer.known, sizeof newer);
    ASSERT_EQ(load(&newer.known), AUGUR_OK) << augur_last_message();
    EXPECT_EQ(newer.known.struct_size, sizeof newer);
    EXPECT_EQ(newer.known.precision, saved.precision);
    newer.unknown[0] = 1;
    EXPECT_EQ(load(&newer.known), AUGUR_ERROR_VERSION);
}

TEST(ProfileAssets, AreValidAndPlan) {
    int found = 0;
    for (const auto& entry : fs::directory_iterator(AUGUR_SOURCE_DIR "/assets/profiles")) {
        if (entry.path().extension() != ".json") continue;
        ++found;
        FakeHost host;
        host.context_desc.backend = AUGUR_BACKEND_CPU;
        ASSERT_EQ(host.create_context(), AUGUR_OK);
        augur_profile profile = augur_profile_default();
        EXPECT_EQ(augur_profile_load(host.context, entry.path().c_str(), &profile), AUGUR_OK) << augur_last_message();
        EXPECT_TRUE(host.log.messages().empty()) << entry.path() << " has fields that nobody knows";
        EXPECT_GT(profile.budget_us, 0u);
        const nlohmann::json text = nlohmann::json::parse(std::ifstream(entry.path()));
        EXPECT_EQ(text.size(), 1 + profile_fields().size()) << entry.path() << " does not say everything";
    }
    EXPECT_GE(found, 3);
}

}  // namespace
}  // namespace augur
