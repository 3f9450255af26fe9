#include <gtest/gtest.h>

#include "demo/program.h"

namespace augur::test {
namespace {

TEST(DemoArguments, HelpNamesEveryArgumentAndExitsWithZero) {
    const DemoRun run = run_demo({"--help"});
    EXPECT_EQ(run.exit_code, 0);
    for (const char* argument :
         {"--headless", "--scene",      "--agents",    "--frames",  "--backend",      "--simulations", "--budget-us",
          "--seed",     "--model",      "--selection", "--profile", "--save-profile", "--render-load", "--model-load",
          "--ab",       "--screenshot", "--trace",     "--report",  "--list-scenes",  "--help"}) {
        EXPECT_NE(run.output.find(argument), std::string::npos) << argument;
    }
}

TEST(DemoArguments, ListScenesNamesBothScenes) {
    const DemoRun run = run_demo({"--list-scenes"});
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_NE(run.output.find("skirmish"), std::string::npos);
    EXPECT_NE(run.output.find("connect_four"), std::string::npos);
}

struct Mistake {
    const char* name;
    std::vector<std::string> arguments;
    const char* said;  // what the message must name
};

class DemoMistake : public testing::TestWithParam<Mistake> {};

TEST_P(DemoMistake, IsNamedAndExitsWithTwo) {
    std::vector<std::string> arguments = {"--headless", "--frames", "1"};
    arguments.insert(arguments.end(), GetParam().arguments.begin(), GetParam().arguments.end());
    const DemoRun run = run_demo(arguments);
    EXPECT_EQ(run.exit_code, 2) << run.errors;
    EXPECT_NE(run.errors.find(GetParam().said), std::string::npos) << run.errors;
    EXPECT_TRUE(run.output.empty()) << run.output;
}

INSTANTIATE_TEST_SUITE_P(
    Each, DemoMistake,
    testing::Values(Mistake{"UnknownArgument", {"--bogus"}, "--bogus"}, Mistake{"StrayWord", {"skirmish"}, "skirmish"},
                    Mistake{"UnknownScene", {"--scene", "chess"}, "allowed skirmish, connect_four"},
                    Mistake{"ZeroAgents", {"--agents", "0"}, "--agents is 0, allowed 2..65536"},
                    Mistake{"NegativeAgents", {"--agents", "-5"}, "--agents is -5"},
                    Mistake{"TooManyAgents", {"--agents", "65537"}, "allowed 2..65536"},
                    Mistake{"TooManyBoards", {"--scene", "connect_four", "--agents", "4096"}, "allowed 1..49"},
                    Mistake{"AgentsAreAWord", {"--agents", "many"}, "many"},
                    Mistake{"HugeNumber", {"--agents", "99999999999999999999999"}, "--agents"},
                    Mistake{"ZeroFrames", {"--headless", "--frames=0"}, "--frames"},
                    Mistake{"ZeroSimulations", {"--simulations", "0"}, "--simulations is 0, allowed 1..4096"},
                    Mistake{"NegativeBudget", {"--budget-us", "-1"}, "--budget-us is -1, allowed 0..1000000"},
                    Mistake{"BudgetNotANumber", {"--budget-us", "nan"}, "nan"},
                    Mistake{"UnknownBackend", {"--backend", "vulkan"}, "vulkan"},
                    Mistake{"UnknownSelection", {"--selection", "thompson"}, "thompson"},
                    Mistake{"GumbelWithoutAModel", {"--selection", "gumbel"}, "Gumbel selection needs a model"},
                    Mistake{"UnknownModel", {"--model", "oracle"}, "--model is \"oracle\""},
                    Mistake{"MissingModelFile", {"--model", "/nowhere/at/all/a.onnx"}, "/nowhere/at/all/a.onnx"},
                    Mistake{"EmptyModel", {"--model="}, "--model"},
                    Mistake{"ModelWithoutAValue", {"--model"}, "--model"},
                    Mistake{"EmptyProfile", {"--profile", ""}, "--profile is \"\""},
                    Mistake{"EmptySavedProfile", {"--save-profile", ""}, "--save-profile is \"\""},
                    Mistake{"NegativeRenderLoad", {"--render-load", "-1"}, "--render-load is -1, allowed 0..50"},
                    Mistake{"HugeRenderLoad", {"--render-load", "51"}, "--render-load is 51"},
                    Mistake{"RenderLoadNotANumber", {"--render-load", "nan"}, "--render-load"},
                    Mistake{"NegativeModelLoad", {"--model-load", "-1"}, "--model-load is -1, allowed 0..16384"},
                    Mistake{"HugeModelLoad", {"--model-load", "16385"}, "--model-load is 16385"},
                    Mistake{"ComparisonOfNothing", {"--ab", "0"}, "--ab is 0, allowed 0.05..60"},
                    Mistake{"EndlessComparison", {"--ab", "inf"}, "--ab"},
                    Mistake{"NegativeSeed", {"--seed", "-1"}, "--seed"},
                    Mistake{"ValueMissing", {"--report"}, "--report"},
                    Mistake{"SizeWithoutHeight", {"--size", "640"}, "--size is \"640\""},
                    Mistake{"NegativeSize", {"--size=-1x480"}, "--size"},
                    Mistake{"SizeTooLarge", {"--size", "20000x2"}, "allowed WIDTHxHEIGHT, each 0..16384"}),
    [](const testing::TestParamInfo<Mistake>& each) { return each.param.name; });

}  // namespace
}  // namespace augur::test
