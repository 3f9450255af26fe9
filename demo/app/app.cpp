#include "app/app.h"

#include <imgui.h>

#include <cstdio>
#include <filesystem>

#include "app/assets.h"
#include "app/png.h"
#include "app/report.h"
#include "app/thoughts.h"
#include "app/tuning.h"

namespace augur::demo {
namespace {

constexpr std::uint64_t kHeadlessFrames = 120;
constexpr double kHeadlessFrameSeconds = 1.0 / 60.0;
// In a window a frame waits this long for its plan; a plan that takes longer is taken in by a later frame.
constexpr std::uint64_t kPatienceUs = 4000;
// Without a number from the user a software-rendered machine plans fewer agents, so that the first sight is not a slide
// show.
constexpr std::uint32_t kSoftwareAgents = 1024;
// A comparison without a number of frames ends when it can say something, or gives up.
constexpr std::size_t kPairsWanted = 5;
constexpr std::uint64_t kMostComparedFrames = 100000;

/// Milliseconds since the last call.
class Lap {
  public:
    float operator()() {
        const auto now = std::chrono::steady_clock::now();
        const double ms = std::chrono::duration<double, std::milli>(now - last_).count();
        last_ = now;
        return static_cast<float>(ms);
    }

  private:
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

int fail(const std::string& sentence) {
    std::fprintf(stderr, "augur_demo: %s\n", sentence.c_str());
    return 1;
}

std::string default_profile(const SceneInfo& info) {
    return std::string(info.name) + ".json";
}

bool is_there(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
}

}  // namespace

App::App(const Options& options, std::unique_ptr<Surface> surface) : options_(options), surface_(std::move(surface)) {}

bool App::start() {
    std::string error;
    const SceneInfo& info = *find_scene(options_.scene);
    begin_settings(info);
    if (!choose_model(info)) return false;
    if (!surface_)
        surface_ = options_.headless ? make_headless(options_.size, error) : make_window("Augur", options_.size, error);
    if (!surface_) {
        fail(error + (options_.headless ? "" : "\nRun with --headless to draw without a display."));
        return false;
    }
    if (!load_gl(surface_->loader(), gl_, error) || !overlay_.start(*surface_, asset_folder(), error) ||
        !draw_.start(error) || !render_load_.start(error)) {
        fail(error);
        return false;
    }
    if (!first_message_.empty()) overlay_.say(first_message_);
    session_ = std::make_unique<PlannerSession>(surface_->loader());
    wishes_.clock = &clock_;
    render_load_.set_ms(wishes_.render_load_ms);
    follow_comparison();
    std::uint32_t agents = options_.agents.value_or(info.default_agents);
    if (!options_.agents && !options_.headless && gl_.software)
        agents = std::min(agents, std::max(info.min_agents, kSoftwareAgents));
    return open_scene(info, agents);
}

void App::begin_settings(const SceneInfo& info) {
    SearchSettings& search = wishes_.search;
    search.simulations = info.default_simulations;
    wishes_.profile_path = options_.profile;
    if (!options_.profile.empty()) {
        augur_profile profile = augur_profile_default();
        if (load_profile(options_.profile, profile, first_message_)) {
            // Which file is the model's is not known yet; take_model() follows this.
            take_profile(profile, "", search);
            if (!options_.model_given) options_.model = profile.model != 0 ? "default" : "none";
            profile_in_use_ = options_.profile;
            wishes_.share_budget = search.frame_budget_us > 0;
        }
        if (!first_message_.empty()) fail(first_message_);
    }
    if (wishes_.profile_path.empty())
        wishes_.profile_path = options_.save_profile.empty() ? default_profile(info) : options_.save_profile;
    search.backend = options_.backend;
    search.seed = options_.seed;
    search.budget_us = options_.budget_us.value_or(search.budget_us);
    search.selection = options_.selection.value_or(search.selection);
    search.simulations = options_.simulations.value_or(search.simulations);
    wishes_.render_load_ms = options_.render_load_ms;
    wishes_.model_load_rows = static_cast<int>(options_.model_load_rows);
    wishes_.compare = options_.ab_seconds > 0.0;
    if (wishes_.compare) wishes_.compare_seconds = static_cast<float>(options_.ab_seconds);
}

void App::load_profile_now() {
    augur_profile profile = augur_profile_default();
    std::string message;
    wishes_.profile_good = load_profile(wishes_.profile_path, profile, message);
    if (wishes_.profile_good) {
        profile_in_use_ = wishes_.profile_path;
        take_profile(profile, wishes_.model_file, wishes_.search);
        wishes_.share_budget = wishes_.share_budget || wishes_.search.frame_budget_us > 0;
        wishes_.apply_search = true;
    }
    wishes_.profile_message = message.empty() ? "Loaded." : message;
    if (!message.empty()) tell(message);
}

SearchSettings App::to_keep(SearchSettings settings) const {
    if (!wishes_.share_budget) settings.frame_budget_us = 0;
    return settings;
}

void App::save_profile_now() {
    std::string message;
    wishes_.profile_good = save_profile(wishes_.profile_path, to_keep(wishes_.search), message);
    wishes_.profile_message = wishes_.profile_good ? "Saved." : message;
    if (!wishes_.profile_good) tell(message);
}

void App::follow_load() {
    const auto rows =
        static_cast<std::uint32_t>(std::clamp(wishes_.model_load_rows, 0, static_cast<int>(kMostLoadRows)));
    if (!session_->is_open() || model_load_.rows() == rows) return;
    const std::string& file = wishes_.search.model.empty() ? wishes_.model_file : wishes_.search.model;
    std::string message;
    if (model_load_.open(*session_, file, rows, message)) return;
    wishes_.model_load_rows = 0;
    tell(message);
}

void App::follow_comparison() {
    if (wishes_.compare == ab_.running() &&
        (!wishes_.compare || ab_.period_seconds() == static_cast<double>(wishes_.compare_seconds)))
        return;
    if (wishes_.compare)
        ab_.start(static_cast<double>(wishes_.compare_seconds));
    else
        ab_.stop();
    surface_->measure(ab_.running());
}

bool App::choose_model(const SceneInfo& info) {
    const bool own = options_.model == "default";
    for (const SceneInfo& each : scenes())
        models_[&each] = {model_file(each.model), own};
    if (own || options_.model == "none") return true;
    models_[&info] = {model_file(options_.model), true};
    if (is_model_path(options_.model) || is_there(models_[&info].file)) return true;
    fail("--model is \"" + options_.model + "\", and there is no " + models_[&info].file +
         "; allowed none, default, a path that ends in .onnx, or a name: " + shipped_models());
    exit_code_ = kMistake;
    return false;
}

bool App::take_model(const SceneInfo& info, bool starting) {
    if (!starting) models_[scene_info_].on = !wishes_.search.model.empty();
    const SceneModel& model = models_[&info];
    wishes_.model_file = model.file;
    wishes_.search.model = model.on ? model.file : "";
    // A model that was named must be there; one that comes with the scene need not be.
    if (!model.on || is_there(model.file) || (starting && options_.model != "default")) return true;
    tell("The model " + model.file + " is not there: simulations are played out instead.");
    wishes_.search.model.clear();
    if (!starting || wishes_.search.selection != AUGUR_SELECTION_GUMBEL) return true;
    fail("--selection is gumbel: Gumbel selection needs a model");
    exit_code_ = kMistake;
    return false;
}

void App::tell(const std::string& sentence) {
    fail(sentence);
    overlay_.say(sentence);
}

bool App::open_scene(const SceneInfo& info, std::uint32_t agents) {
    model_load_.close();
    session_->close();
    const bool starting = scene_info_ == nullptr;
    if (!take_model(info, starting)) return false;
    SceneSetup setup;
    setup.agents = agents;
    setup.seed = wishes_.search.seed;
    setup.interactive = surface_->interactive();
    std::unique_ptr<Scene> scene = info.make(setup);
    std::string error;
    if (!scene->start(error)) {
        fail(error);
        return false;
    }
    scene_ = std::move(scene);
    scene_info_ = &info;
    scene_->reset(agents, wishes_.search.seed);
    scene_->take_urgency(wishes_.search.urgency);
    clock_.ticks_per_second = scene_->ticks_per_second();
    agents_ = scene_->needs().agents;
    wishes_.agents = static_cast<int>(agents_);
    if (starting ? open_planner() : open_planner_somehow()) return true;
    if (starting && session_->model_refused()) {
        exit_code_ = kMistake;
        return false;
    }
    // A backend that was asked for by name and is not there is a failure only at the start; later the overlay says so.
    return surface_->interactive() && options_.backend == BackendChoice::kAuto;
}

bool App::open_planner() {
    thoughts_ = {};
    plan_fresh_ = false;
    model_load_.close();
    if (wishes_.search.model.empty() && wishes_.search.selection == AUGUR_SELECTION_GUMBEL) {
        wishes_.search.selection = AUGUR_SELECTION_PUCT;
    }
    if (session_->open(scene_->needs(), wishes_.search) && scene_->bind(*session_)) {
        follow_load();
        return true;
    }
    const std::string reason = session_->message();
    session_->close();
    overlay_.say(reason);
    shown_message_ = reason;
    return false;
}

bool App::open_planner_somehow() {
    if (open_planner()) return true;
    if (!session_->model_refused()) return false;
    wishes_.search.model.clear();
    return open_planner();
}

int App::run() {
    if (!start()) return exit_code_;
    started_ = std::chrono::steady_clock::now();
    last_frame_ = started_;
    wanted_frames_ = options_.frames.value_or(options_.headless ? kHeadlessFrames : 0);
    const bool until_compared = options_.headless && ab_.running() && !options_.frames;
    if (until_compared) wanted_frames_ = kMostComparedFrames;
    while (!surface_->should_close() && (wanted_frames_ == 0 || frames_ < wanted_frames_)) {
        frame();
        // One more frame, which knows that it is the last.
        if (until_compared && ab_.result().pairs >= kPairsWanted && wanted_frames_ == kMostComparedFrames)
            wanted_frames_ = frames_ + 1;
    }
    return finish() ? 0 : 1;
}

void App::frame() {
    const auto now = std::chrono::steady_clock::now();
    const double real_seconds = std::chrono::duration<double>(now - last_frame_).count();
    last_frame_ = now;
    const double seconds = options_.headless ? kHeadlessFrameSeconds : real_seconds;
    seconds_ += seconds;

    const bool last = frames_ + 1 == wanted_frames_;
    surface_->begin_frame(seconds);
    size_ = gl_is_current() ? surface_->extent() : Extent{};
    overlay_.fit(size_);
    overlay_.begin();
    const Viewport view = overlay_.viewport(size_);
    Pointer pointer;
    read_pointer(pointer, view);
    hot_keys();
    scene_->handle(pointer, view);
    clock_.advance(seconds);

    const bool final_picture = last && !options_.screenshot.empty();
    if (final_picture) scene_->compose();
    FrameRecord record;
    plan_and_draw(view, final_picture, last, record);

    Lap lap;
    overlay_.build({*session_, *scene_, *scene_info_, thoughts_, frame_ms_, gl_, agents_, history_, ab_, render_load_,
                    model_load_, real_seconds_since_start()},
                   wishes_, size_);
    if (!size_.empty()) {
        picture_.bind();
        overlay_.draw();
    } else {
        ImGui::EndFrame();
    }
    record.part_ms[kPartOverlay] = lap();
    const bool due = surface_->interactive() ? clock_.due() : true;
    const bool goes_on = plan_fresh_ || (!record.ai_on && scene_->plays_without_plans());
    if (due && goes_on && scene_->tick()) {
        clock_.tick_taken();
        ++ticks_;
        plan_fresh_ = false;
    } else if (surface_->interactive() && plan_fresh_ && time_for_another_plan()) {
        // Nothing to apply yet: the next frame plans the same moment again, as a game that plans every frame would.
        plan_fresh_ = false;
    }
    surface_->present(picture_.framebuffer(), size_);
    note_gl_errors();
    keep(record, now);
    // Changes of settings cost time that no frame of a game pays.
    follow_wishes();
    ++frames_;
    if (session_->message() != shown_message_) {
        shown_message_ = session_->message();
        if (!shown_message_.empty()) overlay_.say(shown_message_);
    }
}

void App::plan_and_draw(const Viewport& view, bool final_picture, bool last, FrameRecord& record) {
    record.number = frames_;
    record.ai_on = ab_.ai_on();
    frames_with_ai_ += record.ai_on ? 1 : 0;
    const std::uint64_t plans_before = session_->figures().frames;
    Lap lap;
    if (wishes_.share_budget || budget_shared_) session_->begin_frame(wishes_.share_budget);
    budget_shared_ = wishes_.share_budget;
    // A game asks for everything first, so that it is worked on while the picture is drawn.
    model_load_.start();
    record.part_ms[kPartModel] = lap();
    if (record.ai_on && !plan_fresh_ && !session_->running()) session_->request(agents_, ticks_);
    record.part_ms[kPartRequest] = lap();
    picture_.resize(size_);
    if (!final_picture) draw_world(view);
    record.part_ms[kPartDrawing] = lap();
    // Without a person watching, each frame waits for its own plan and is one tick: the same run every time. Reading an
    // agent's tree costs a copy, so it is done only where somebody sees it.
    plan_arrived(!surface_->interactive() || final_picture, surface_->interactive() || last);
    record.part_ms[kPartWait] = lap();
    model_load_.finish();
    record.part_ms[kPartModel] += lap();
    if (final_picture) draw_world(view);
    record.has_plan = session_->figures().frames != plans_before && session_->newest(record.plan);
    record.guided = session_->has_model();
}

void App::keep(FrameRecord& record, std::chrono::steady_clock::time_point began) {
    const auto now = std::chrono::steady_clock::now();
    record.whole_ms = std::chrono::duration<double, std::milli>(now - began).count();
    float told = 0.0f;
    for (const float ms : record.part_ms)
        told += ms;
    record.part_ms[kPartRest] = std::max(static_cast<float>(record.whole_ms) - told, 0.0f);
    frame_ms_.add(record.whole_ms);
    history_.add(record);
    ab_.add(real_seconds_since_start(), record.whole_ms);
}

double App::real_seconds_since_start() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

bool App::time_for_another_plan() const {
    const double plan_seconds = static_cast<double>(session_->last_frame().request_to_done_ns) * 1e-9;
    return clock_.seconds_to_tick() > 1.5 * plan_seconds;
}

void App::draw_world(const Viewport& view) {
    if (size_.empty()) return;
    const float blend = surface_->interactive() ? static_cast<float>(clock_.blend()) : 0.5f;
    scene_->draw(draw_, view, blend, static_cast<float>(seconds_), picture_);
    render_load_.draw(picture_, static_cast<float>(seconds_));
}

bool App::plan_arrived(bool wait, bool read) {
    if (!session_->running()) return plan_fresh_;
    const PlanState state = session_->collect(wait ? UINT64_MAX : kPatienceUs);
    if (state != PlanState::kDone) return false;
    plan_fresh_ = true;
    scene_->planned();
    if (!read) return true;
    read_thoughts(*session_, scene_->selected(), thoughts_);
    if (thoughts_.valid && session_->has_reward() && scene_->features(features_))
        session_->reward(features_, thoughts_.reward);
    scene_->think(thoughts_, session_->action_name(thoughts_.result.action));
    return true;
}

void App::read_pointer(Pointer& pointer, const Viewport&) {
    const ImGuiIO& io = ImGui::GetIO();
    pointer.position = {io.MousePos.x, io.MousePos.y};
    pointer.over_world = surface_->interactive() && !io.WantCaptureMouse && ImGui::IsMousePosValid();
    if (!pointer.over_world && !drag_began_on_world_) return;
    // Window and framebuffer pixels differ on some displays.
    pointer.position = {io.MousePos.x * io.DisplayFramebufferScale.x, io.MousePos.y * io.DisplayFramebufferScale.y};
    pointer.moved = {io.MouseDelta.x * io.DisplayFramebufferScale.x, io.MouseDelta.y * io.DisplayFramebufferScale.y};
    pointer.wheel = io.MouseWheel;
    bool held = false;
    for (int button = 0; button < 3; ++button) {
        if (ImGui::IsMouseClicked(button)) drag_began_on_world_ = pointer.over_world;
        held = held || ImGui::IsMouseDown(button);
        if (drag_began_on_world_ && ImGui::IsMouseDragging(button)) pointer.dragging = true;
    }
    const float slack = io.MouseDragThreshold;
    pointer.clicked =
        drag_began_on_world_ && ImGui::IsMouseReleased(0) && io.MouseDragMaxDistanceSqr[0] < slack * slack;
    if (!held) drag_began_on_world_ = false;
}

void App::hot_keys() {
    const ImGuiIO& io = ImGui::GetIO();
    if (!surface_->interactive() || io.WantTextInput) return;
    if (ImGui::IsKeyPressed(io.KeyMap[ImGuiKey_Space], false)) clock_.paused = !clock_.paused;
    if (ImGui::IsKeyPressed(io.KeyMap[ImGuiKey_RightArrow], false)) {
        clock_.paused = true;
        clock_.request_step();
    }
}

void App::follow_wishes() {
    if (wishes_.load_profile) load_profile_now();
    if (wishes_.save_profile) save_profile_now();
    wishes_.load_profile = wishes_.save_profile = false;
    session_->set_frame(wishes_.search);
    scene_->take_urgency(wishes_.search.urgency);
    if (wishes_.render_load_ms != render_load_.ms()) render_load_.set_ms(wishes_.render_load_ms);
    if (wishes_.apply_load) follow_load();
    wishes_.apply_load = false;
    follow_comparison();
    if (!wishes_.scene.empty()) {
        const SceneInfo* info = find_scene(wishes_.scene);
        wishes_.scene.clear();
        if (info != nullptr && info != scene_info_) {
            wishes_.search.simulations = info->default_simulations;
            wishes_.search.horizon = 0;
            profile_in_use_.clear();
            if (wishes_.profile_path == default_profile(*scene_info_)) wishes_.profile_path = default_profile(*info);
            if (!open_scene(*info, info->default_agents)) overlay_.say("the scene could not be opened");
        }
    } else if (wishes_.restart) {
        model_load_.close();
        session_->close();
        scene_->reset(static_cast<std::uint32_t>(std::max(wishes_.agents, 1)), wishes_.search.seed);
        agents_ = scene_->needs().agents;
        ticks_ = 0;
        open_planner_somehow();
    } else if (wishes_.apply_search) {
        const bool worked = session_->is_open();
        const SearchSettings working = session_->settings();
        if (!open_planner() && worked) {
            // What was asked for cannot be had: say why (open_planner did) and go back to what worked.
            wishes_.search = working;
            open_planner_somehow();
        }
    }
    wishes_.restart = false;
    wishes_.apply_search = false;
}

bool App::finish() {
    session_->finish();
    bool good = true;
    std::string error;
    if (!surface_->interactive() && session_->figures().frames < frames_with_ai_) {
        fail("only " + std::to_string(session_->figures().frames) + " of " + std::to_string(frames_with_ai_) +
             " frames were planned");
        good = false;
    }
    if (!options_.save_profile.empty() && !save_profile(options_.save_profile, to_keep(session_->settings()), error)) {
        fail(error);
        good = false;
    }
    if (!options_.screenshot.empty()) {
        const std::vector<std::uint8_t> pixels = picture_.read_pixels();
        if (!write_png(options_.screenshot, picture_.extent().width, picture_.extent().height, pixels, error)) {
            fail(error);
            good = false;
        }
    }
    if (!options_.trace.empty() && !session_->write_trace(options_.trace)) good = false;
    if (!options_.report.empty() &&
        !write_report(options_.report,
                      {scene_info_->name, *session_, frame_ms_, gl_, surface_->kind(), agents_, frames_, ticks_, size_,
                       profile_in_use_, history_, ab_, render_load_, model_load_, thoughts_},
                      error)) {
        fail(error);
        good = false;
    }
    scene_.reset();
    model_load_.close();
    session_.reset();
    return good;
}

}  // namespace augur::demo
