// augur_joint_bench: a search, a reward model and rendering on one GPU, sixty frames a second, in every mode of
// sharing.
//
// An ordinary host. Each frame starts a batch of a ResNet-18-sized reward model, then asks for actions, then draws. The
// modes take turns second by second in one run, so that heat, clocks and neighbours are the same for all. What all are
// held against is a search as one writes it first: a chain of kernels, scheduled by default.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <augur/augur.hpp>
#include <cstdio>
#include <exception>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bindings.h"
#include "device_memory.h"
#include "measure.h"
#include "render_load.h"
#include "resnet_onnx.h"
#include "scenes.h"

namespace augur::bench {
namespace {

constexpr std::uint32_t kImage = 3 * 224 * 224, kClasses = 1000;
constexpr double kSearchDeadlineMs = 2.0;  // of the two milliseconds that a game gives its agents
constexpr std::uint64_t kSeed = 20261130;
constexpr std::uint32_t kBudgets[] = {1000, 2000, 4000};
constexpr std::uint32_t kManySimulations = 16384;  // that no budget is enough for

struct Options {
    std::uint32_t frames = 2000, budget_frames = 300, agents = 1024, simulations = 32, rows = 256;
    double fps = 60, render_ms = 8;
    bool draw_first = false;
    std::string backend = "cuda", json;
};

struct Mode {
    const char* name;
    augur_gpu_sharing sharing;
    bool chain;               // the search as a chain of kernels, else in one resident kernel
    bool loads;               // false: the search alone, what it takes at best
    bool has_budgets;         // measured with budgets in microseconds too
    bool draws_last = false;  // the host draws when actions and reward are there, not while they are made
    bool alternates = false;  // a frame searches or evaluates, by turns: time slices across frames
};

constexpr Mode kModes[] = {
    {"chain, plain", AUGUR_GPU_SHARING_PLAIN, true, true, false},  // what the others are held against
    {"chain, alone", AUGUR_GPU_SHARING_PRIORITY, true, false, false},
    {"chain, priority", AUGUR_GPU_SHARING_PRIORITY, true, true, true},
    {"chain, partition", AUGUR_GPU_SHARING_PARTITION, true, true, false},
    {"chain, adaptive", AUGUR_GPU_SHARING_ADAPTIVE, true, true, false},
    {"alone", AUGUR_GPU_SHARING_PRIORITY, false, false, false},
    {"plain", AUGUR_GPU_SHARING_PLAIN, false, true, true},
    {"plain, drawn last", AUGUR_GPU_SHARING_PLAIN, false, true, false, true},
    {"priority", AUGUR_GPU_SHARING_PRIORITY, false, true, true},
    {"priority, drawn last", AUGUR_GPU_SHARING_PRIORITY, false, true, false, true},
    {"priority, alternating", AUGUR_GPU_SHARING_PRIORITY, false, true, false, false, true},
    {"partition", AUGUR_GPU_SHARING_PARTITION, false, true, true},
    {"partition, drawn last", AUGUR_GPU_SHARING_PARTITION, false, true, false, true},
    {"adaptive", AUGUR_GPU_SHARING_ADAPTIVE, false, true, true},
    {"turns", AUGUR_GPU_SHARING_TURNS, false, true, false},
    {"auto", AUGUR_GPU_SHARING_AUTO, false, true, true},
};

struct Samples {
    std::vector<double> search_ms, reward_ms, both_ms, frame_ms;  // frame: until the picture is drawn too
    std::uint32_t late_searches = 0, late_frames = 0;
};

struct BudgetSamples {
    std::vector<double> overrun_us;  // never less than 0
    std::uint64_t agents_without_search = 0, agents = 0;
};

// What a frame draws, if anything.
struct Drawing {
    RenderLoad* load;
    void start() const {
        if (load != nullptr) load->draw();
    }
    void finish() const {
        if (load != nullptr) load->finish();
    }
};

// One mode: a context with a planner and a model.
class Player {
  public:
    Player(const Mode& own_mode, const Options& options, const std::string& onnx, const void* images, void* classes)
        : mode(own_mode), boards_(random_boards(options.agents, kSeed)), actions_(options.agents) {
        augur_context_desc desc = augur_context_desc_default();
        desc.backend = options.backend == "cpu" ? AUGUR_BACKEND_CPU : AUGUR_BACKEND_CUDA;
        desc.cuda_device = options.backend == "cpu" ? -1 : 0;
        desc.gpu_sharing = static_cast<std::uint32_t>(mode.sharing);
        context_ = sdk::unwrap(sdk::Context::create(desc));
        capabilities = sdk::unwrap(context_.capabilities());

        augur_planner_desc planner = augur_planner_desc_default();
        planner.rules = sdk::unwrap(context_.rules("connect_four")).id();
        planner.agent_capacity = options.agents;
        planner.simulations = options.simulations;
        planner.early_stop = 0;
        planner.execution = mode.chain ? AUGUR_EXECUTION_WAVES : AUGUR_EXECUTION_RESIDENT;
        planner_ = make_planner(planner);
        if (mode.has_budgets) {
            planner.simulations = kManySimulations;
            planner.node_capacity = 4096;
            patient_ = make_planner(planner);
        }
        if (!mode.loads || options.rows == 0) return;
        augur_model_desc model = augur_model_desc_default();
        model.data = onnx.data();
        model.size_bytes = onnx.size();
        model.row_capacity = options.rows;
        model.precision_limit = 1.0f;
        model_ = sdk::unwrap(context_.make_model(model));
        const auto share = [&](const void* pointer, std::uint64_t numbers, augur_access access) {
            augur_buffer_desc buffer = augur_buffer_desc_default();
            buffer.kind = options.backend == "cpu" ? AUGUR_BUFFER_HOST : AUGUR_BUFFER_CUDA;
            buffer.pointer = const_cast<void*>(pointer);
            buffer.size_bytes = numbers * sizeof(float);
            buffer.access = static_cast<std::uint32_t>(access);
            buffers_.push_back(sdk::unwrap(context_.register_buffer(buffer)));
            return buffers_.back().id();
        };
        batch_ = augur_evaluation_desc_default();
        batch_.row_count = options.rows;
        batch_.inputs[0].buffer = share(images, std::uint64_t{options.rows} * kImage, AUGUR_ACCESS_READ);
        batch_.outputs[0].buffer = share(classes, std::uint64_t{options.rows} * kClasses, AUGUR_ACCESS_WRITE);
        for (augur_rows* rows : {&batch_.inputs[0], &batch_.outputs[0]}) {
            rows->format = AUGUR_FORMAT_F32;
            rows->scale = 1.0f;
        }
    }

    void play(Samples* out, Drawing drawing) {
        ++played_;
        const bool evaluates = model_ && !(mode.alternates && played_ % 2 == 0);
        const bool searches = !(mode.alternates && evaluates);
        if (evaluates) start_batch();
        const double begin = steady_us();
        augur_frame_desc frame = augur_frame_desc_default();
        frame.agent_count = static_cast<std::uint32_t>(boards_.size());
        if (searches) sdk::unwrap(planner_.request(frame));
        if (!mode.draws_last) drawing.start();
        double searched = searches ? 0 : -1, rewarded = evaluates ? 0 : -1;
        while (searched == 0 || rewarded == 0) {
            if (searched == 0 && planner_.poll().code() != AUGUR_NOT_READY) searched = steady_us();
            if (rewarded == 0 && model_.wait(0).code() != AUGUR_NOT_READY) rewarded = steady_us();
        }
        if (mode.draws_last) drawing.start();
        drawing.finish();
        const double drawn = steady_us();
        if (out == nullptr) return;
        if (searches) {
            const double search_ms = static_cast<double>(sdk::unwrap(planner_.collect()).request_to_done_ns) * 1e-6;
            out->search_ms.push_back(search_ms);
            out->late_searches += search_ms > kSearchDeadlineMs ? 1 : 0;
        }
        const double both_ms = (std::max(searched, rewarded) - begin) * 1e-3;
        out->both_ms.push_back(both_ms);
        out->frame_ms.push_back((drawn - begin) * 1e-3);
        out->late_frames += out->frame_ms.back() > 1000.0 / 60.0 ? 1 : 0;
        if (evaluates)
            out->reward_ms.push_back(static_cast<double>(sdk::unwrap(model_.wait()).request_to_done_ns) * 1e-6);
    }

    void play_budget(std::uint32_t budget_us, BudgetSamples* out, Drawing drawing) {
        start_batch();
        augur_frame_desc frame = augur_frame_desc_default();
        frame.agent_count = static_cast<std::uint32_t>(boards_.size());
        frame.budget_us = budget_us;
        sdk::unwrap(patient_.request(frame));
        drawing.start();
        const augur_frame_result result = sdk::unwrap(patient_.collect());
        if (model_) sdk::unwrap(model_.wait());
        drawing.finish();
        if (out == nullptr) return;
        out->overrun_us.push_back(
            std::max(0.0, static_cast<double>(result.request_to_done_ns) * 1e-3 - static_cast<double>(budget_us)));
        out->agents += result.agent_count;
        out->agents_without_search += result.agents_fallback;
    }

    const Mode mode;
    augur_capabilities capabilities{};
    Samples samples;
    BudgetSamples budget_samples[std::size(kBudgets)];

  private:
    sdk::Planner make_planner(const augur_planner_desc& desc) {
        sdk::Planner planner = sdk::unwrap(context_.make_planner(desc));
        const auto share = [&](void* pointer, std::size_t size_bytes, augur_access access) -> const sdk::Buffer& {
            augur_buffer_desc buffer = augur_buffer_desc_default();
            buffer.pointer = pointer;
            buffer.size_bytes = size_bytes;
            buffer.access = static_cast<std::uint32_t>(access);
            buffers_.push_back(sdk::unwrap(context_.register_buffer(buffer)));
            return buffers_.back();
        };
        if (buffers_.empty()) {
            share(boards_.data(), boards_.size() * sizeof(Board), AUGUR_ACCESS_READ);
            share(actions_.data(), actions_.size() * sizeof(std::int32_t), AUGUR_ACCESS_WRITE);
        }
        bind_boards(planner, buffers_[0]);
        sdk::unwrap(planner.bind_actions<std::int32_t>(buffers_[1]));
        return planner;
    }

    void start_batch() {
        if (model_) sdk::unwrap(model_.evaluate(batch_));
    }

    std::vector<Board> boards_;
    std::vector<std::int32_t> actions_;
    sdk::Context context_;
    std::vector<sdk::Buffer> buffers_;
    sdk::Model model_;
    sdk::Planner planner_, patient_;
    augur_evaluation_desc batch_{};
    std::uint64_t played_ = 0;
};

// Keeps sixty frames a second.
class Pacer {
  public:
    explicit Pacer(double fps) : period_us_(1e6 / fps), next_us_(steady_us() + period_us_) {}
    void wait() {
        const double now = steady_us();
        if (next_us_ > now) sleep_us(next_us_ - now);
        next_us_ = std::max(next_us_ + period_us_, steady_us());
    }

  private:
    double period_us_, next_us_;
};

nlohmann::json json_of(const Summary& s) {
    return {{"count", s.count}, {"mean", s.mean}, {"median", s.median}, {"p99", s.p99}, {"max", s.max}};
}

void report(const std::vector<std::unique_ptr<Player>>& players, const Options& options, const std::string& renderer,
            const std::string& command) {
    const augur_capabilities& machine = players.front()->capabilities;
    std::printf("\n%s; rendering by %s, %.1f ms a frame; %u rows of ResNet-18 a frame; %u agents, %u simulations\n",
                machine.device_name, renderer.c_str(), options.render_ms, options.rows, options.agents,
                options.simulations);
    std::printf("%s\n\n", command.c_str());
    nlohmann::json all = {
        {"device", machine.device_name},  {"renderer", renderer},     {"command", command},
        {"rows", options.rows},           {"agents", options.agents}, {"simulations", options.simulations},
        {"render_ms", options.render_ms}, {"fps", options.fps}};
    const Summary plain_search = summarise(players.front()->samples.search_ms),
                  plain_both = summarise(players.front()->samples.both_ms);
    const bool has_frames = options.frames > 0;
    if (has_frames) {
        std::printf(
            "| mode | in use | SMs | search, mean | p50 | p99 | max | over %.0f ms | search + reward, mean | p50 | p99 "
            "| max | whole frame, mean | p99 | max | over 16.7 ms |\n",
            kSearchDeadlineMs);
        std::printf("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    }
    for (const auto& p : players) {
        const Summary s = summarise(p->samples.search_ms), b = summarise(p->samples.both_ms),
                      r = summarise(p->samples.reward_ms), f = summarise(p->samples.frame_ms);
        if (has_frames)
            std::printf(
                "| %s | %u | %u | %.3f (%.2fx) | %.3f | %.3f (%.2fx) | %.3f | %u | %.3f (%.2fx) | %.3f | %.3f (%.2fx) "
                "| "
                "%.3f | %.3f | %.3f | %.3f | %u |\n",
                p->mode.name, p->capabilities.gpu_sharing, p->capabilities.search_multiprocessors, s.mean,
                s.mean / plain_search.mean, s.median, s.p99, s.p99 / plain_search.p99, s.max, p->samples.late_searches,
                b.mean, b.mean / plain_both.mean, b.median, b.p99, b.p99 / plain_both.p99, b.max, f.mean, f.p99, f.max,
                p->samples.late_frames);
        nlohmann::json mode = {{"mode", p->mode.name},
                               {"chain", p->mode.chain},
                               {"sharing_in_use", p->capabilities.gpu_sharing},
                               {"search_multiprocessors", p->capabilities.search_multiprocessors},
                               {"search_ms", json_of(s)},
                               {"reward_ms", json_of(r)},
                               {"both_ms", json_of(b)},
                               {"frame_ms", json_of(f)},
                               {"draws_last", p->mode.draws_last},
                               {"alternates", p->mode.alternates},
                               {"late_searches", p->samples.late_searches},
                               {"late_frames", p->samples.late_frames}};
        for (std::size_t i = 0; p->mode.has_budgets && i < std::size(kBudgets); ++i)
            mode["budgets"].push_back({{"budget_us", kBudgets[i]},
                                       {"overrun_us", json_of(summarise(p->budget_samples[i].overrun_us))},
                                       {"agents", p->budget_samples[i].agents},
                                       {"agents_without_search", p->budget_samples[i].agents_without_search}});
        all["modes"].push_back(mode);
    }
    std::printf(
        "\n| mode | budget | overrun, p50 | p99 | max | agents that were not searched "
        "|\n|---|---:|---:|---:|---:|---:|\n");
    for (const auto& p : players) {
        for (std::size_t i = 0; p->mode.has_budgets && i < std::size(kBudgets); ++i) {
            const BudgetSamples& b = p->budget_samples[i];
            if (b.overrun_us.empty()) continue;
            const Summary s = summarise(b.overrun_us);
            std::printf("| %s | %u us | %.0f us | %.0f us (%.1f %%) | %.0f us | %.2f %% |\n", p->mode.name, kBudgets[i],
                        s.median, s.p99, 100 * s.p99 / kBudgets[i], s.max,
                        b.agents > 0
                            ? 100.0 * static_cast<double>(b.agents_without_search) / static_cast<double>(b.agents)
                            : 0.0);
        }
    }
    if (options.json.empty()) return;
    std::ofstream out(options.json);
    out << all.dump(1) << '\n';
    if (!out.flush()) throw std::runtime_error("cannot write " + options.json);
}

int run(const Options& options, const std::string& command) {
    std::string why_not, renderer = "nothing";
    std::unique_ptr<RenderLoad> rendering;
    if (options.render_ms > 0) {
        rendering = make_render_load(options.render_ms, why_not);
        renderer = rendering != nullptr ? rendering->renderer() : "nothing (" + why_not + ")";
    }
    const std::string onnx = options.rows > 0 ? resnet18_onnx() : std::string();
    std::vector<float> images(std::size_t{options.rows} * kImage + 1),
        classes(std::size_t{options.rows} * kClasses + 1);
    for (std::size_t i = 0; i < images.size(); ++i)
        images[i] = static_cast<float>(i * 2654435761u % 1000) * 0.001f - 0.5f;
    std::unique_ptr<DeviceMemory> on_device[2];
    void* places[2] = {images.data(), classes.data()};
    if (options.backend != "cpu") {
        on_device[0] = std::make_unique<DeviceMemory>(images.data(), images.size() * sizeof(float));
        on_device[1] = std::make_unique<DeviceMemory>(classes.data(), classes.size() * sizeof(float));
        for (int i = 0; i < 2; ++i)
            places[i] = on_device[i]->pointer();
    }
    std::vector<std::unique_ptr<Player>> players;
    for (const Mode& mode : kModes)
        players.push_back(std::make_unique<Player>(mode, options, onnx, places[0], places[1]));

    Pacer pacer(options.fps);
    // f(player) for each frame; a second of each mode after the other until each has `frames`.
    const auto in_turns = [&](std::uint32_t frames, bool only_with_budgets, auto f) {
        const auto second = static_cast<std::uint32_t>(std::clamp(options.fps, 1.0, 1000.0));
        for (std::uint32_t done = 0; done < frames; done += second) {
            for (const auto& player : players) {
                if (only_with_budgets && !player->mode.has_budgets) continue;
                for (std::uint32_t i = 0; i < std::min(second, frames - done); ++i) {
                    RenderLoad* const load = player->mode.loads ? rendering.get() : nullptr;
                    if (load != nullptr && options.draw_first) load->draw();
                    f(*player, Drawing{options.draw_first ? nullptr : load});
                    if (load != nullptr && options.draw_first) load->finish();
                    pacer.wait();
                }
            }
        }
    };
    in_turns(std::min(options.frames, 40u), false, [](Player& p, Drawing drawing) { p.play(nullptr, drawing); });
    in_turns(options.frames, false, [](Player& p, Drawing drawing) { p.play(&p.samples, drawing); });
    for (std::size_t i = 0; i < std::size(kBudgets); ++i) {
        in_turns(std::min(options.budget_frames, 40u), true,
                 [&](Player& p, Drawing drawing) { p.play_budget(kBudgets[i], nullptr, drawing); });
        in_turns(options.budget_frames, true,
                 [&](Player& p, Drawing drawing) { p.play_budget(kBudgets[i], &p.budget_samples[i], drawing); });
    }
    report(players, options, renderer, command);
    return 0;
}

}  // namespace
}  // namespace augur::bench

int main(int argc, char** argv) {
    augur::bench::Options options;
    CLI::App app("A search, a reward model and rendering on one GPU, in every mode of sharing it.");
    app.add_option("--frames", options.frames, "frames of each mode [2000]; 0: budgets only")
        ->check(CLI::Range(0u, 1000000u));
    app.add_option("--budget-frames", options.budget_frames, "frames of each mode and budget [300]")
        ->check(CLI::Range(0u, 1000000u));
    app.add_option("--agents", options.agents, "agents that search, Connect Four [1024]")
        ->check(CLI::Range(1u, 65536u));
    app.add_option("--simulations", options.simulations, "of each agent [32]")->check(CLI::Range(1u, 65535u));
    app.add_option("--rows", options.rows, "of ResNet-18 in each frame [256]; 0: no reward model")
        ->check(CLI::Range(0u, 4096u));
    app.add_option("--render-ms", options.render_ms, "of shading in each frame [8]; 0: none")
        ->check(CLI::Range(0.0, 1000.0));
    app.add_flag("--draw-first", options.draw_first,
                 "draw before anything is asked, so that the search waits for a draw in flight");
    app.add_option("--fps", options.fps, "frames a second [60]")->check(CLI::Range(1.0, 1000.0));
    app.add_option("--backend", options.backend, "cuda or cpu [cuda]")->check(CLI::IsMember({"cuda", "cpu"}));
    app.add_option("--json", options.json, "file for the figures");
    CLI11_PARSE(app, argc, argv);
    std::string command = "augur_joint_bench";
    for (int i = 1; i < argc; ++i)
        command.append(" ").append(argv[i]);
    try {
        return augur::bench::run(options, command);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "augur_joint_bench: %s\n", error.what());
        return 1;
    }
}
