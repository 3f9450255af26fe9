#include "ui/overlay.h"

#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include <cstdio>

#include "ui/theme.h"

namespace augur::demo {
namespace {

// Layout units; a picture of 1080 lines has one unit per pixel.
constexpr float kMargin = 16.0f;
constexpr float kGap = 12.0f;
constexpr float kLeftWidth = 292.0f;
constexpr float kRightWidth = 344.0f;
constexpr float kBottomHeight = 196.0f;
constexpr float kHistogramWidth = 380.0f;
constexpr float kAbHeight = 206.0f;
constexpr float kPinnedHeight = 156.0f;

constexpr double kSentenceSeconds = 8.0;

float scale_of(Extent picture) {
    const float by_height = static_cast<float>(picture.height) / 1080.0f;
    const float by_width = static_cast<float>(picture.width) / 1920.0f;
    // Steps of a quarter, so that dragging a window's edge does not load the fonts at every pixel.
    const float steps = std::floor(4.0f * std::min(by_height, by_width) + 0.5f);
    return std::clamp(0.25f * steps, 0.75f, 3.0f);
}

}  // namespace

Overlay::~Overlay() {
    if (!started_) return;
    ImGui_ImplOpenGL3_Shutdown();
    surface_->detach_overlay();
    ImGui::DestroyContext();
}

bool Overlay::start(Surface& surface, const std::string& asset_folder, std::string& error) {
    surface_ = &surface;
    asset_folder_ = asset_folder;
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    ImGui::GetIO().LogFilename = nullptr;
    ImGui::GetIO().ConfigFlags |= ImGuiConfigFlags_NoMouseCursorChange;
    if (!surface.attach_overlay()) {
        error = "the overlay could not be attached to the window";
        ImGui::DestroyContext();
        return false;
    }
    if (!ImGui_ImplOpenGL3_Init("#version 450 core")) {
        error = "the overlay's OpenGL part could not start";
        surface.detach_overlay();
        ImGui::DestroyContext();
        return false;
    }
    started_ = true;
    std::string message;
    theme::apply(asset_folder_, scale_of(surface.extent()), message);
    if (!message.empty()) {
        std::fprintf(stderr, "augur_demo: %s\n", message.c_str());
        say(message);
    }
    return true;
}

void Overlay::fit(Extent picture) {
    const float wanted = scale_of(picture);
    if (picture.empty() || wanted == theme::scale()) return;
    std::string message;
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    theme::apply(asset_folder_, wanted, message);
    ImGui_ImplOpenGL3_CreateFontsTexture();
}

void Overlay::begin() {
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
}

bool Overlay::roomy(Extent picture) const {
    return static_cast<float>(picture.width) >= theme::px(kLeftWidth + kRightWidth + 420.0f) &&
           static_cast<float>(picture.height) >= theme::px(600.0f);
}

Viewport Overlay::viewport(Extent picture) const {
    Viewport view;
    view.picture = picture;
    view.scale = theme::scale();
    view.high = {static_cast<float>(picture.width), static_cast<float>(picture.height)};
    if (!roomy(picture)) return view;
    view.low = {theme::px(kMargin + kLeftWidth), 0.0f};
    view.high = {view.high.x - theme::px(kMargin + kRightWidth), view.high.y - theme::px(kMargin + kBottomHeight)};
    return view;
}

void Overlay::build(const OverlayFacts& facts, OverlayWishes& wishes, Extent picture) {
    const float margin = theme::px(kMargin);
    const float gap = theme::px(kGap);
    const auto width = static_cast<float>(picture.width);
    const auto height = static_cast<float>(picture.height);
    facts.scene.label(*ImGui::GetBackgroundDrawList(), viewport(picture));
    if (roomy(picture)) {
        const float left = margin + theme::px(kLeftWidth);
        const float right = width - margin - theme::px(kRightWidth);
        const float bottom = height - margin - theme::px(kBottomHeight);
        const float split = right - gap - theme::px(kHistogramWidth);
        const float counters = margin + theme::px(counters_height_);
        const float inspector = facts.ab.running() ? counters + gap + theme::px(kAbHeight) : counters;
        controls_panel(facts, wishes, {margin, margin}, {left, height - margin});
        counters_height_ = counters_panel(facts, {right, margin}, {width - margin, counters}) / theme::scale();
        if (facts.ab.running()) ab_panel(facts, {right, counters + gap}, {width - margin, inspector});
        inspector_panel(facts, {right, inspector + gap}, {width - margin, height - margin});
        timeline_panel(facts, wishes.view, {left + gap, bottom}, {split, height - margin});
        histogram_panel(facts, wishes.view, {split + gap, bottom}, {right - gap, height - margin});
        const FrameRecord* pinned = wishes.view.pinned ? facts.history.find(wishes.view.pinned_frame) : nullptr;
        wishes.view.pinned = pinned != nullptr;
        if (pinned != nullptr) {
            pinned_panel(*pinned, wishes.view, {left + gap, bottom - gap - theme::px(kPinnedHeight)},
                         {right - gap, bottom - gap});
        }
    }
    if (!sentence_.empty() && ImGui::GetTime() < sentence_until_) {
        ImDrawList& list = *ImGui::GetForegroundDrawList();
        const float wrap = std::max(theme::px(560.0f), 32.0f);
        const ImFont* font = theme::fonts().body;
        const ImVec2 size = font->CalcTextSizeA(font->FontSize, FLT_MAX, wrap, sentence_.c_str());
        const ImVec2 low(0.5f * (width - size.x) - theme::px(16.0f), margin);
        const ImVec2 high(low.x + size.x + theme::px(32.0f), low.y + size.y + theme::px(20.0f));
        list.AddRectFilled(low, high, IM_COL32(46, 36, 20, 244), theme::px(10.0f));
        list.AddRect(low, high, theme::with_alpha(theme::kWarning, 0.5f), theme::px(10.0f));
        list.AddText(font, font->FontSize, ImVec2(low.x + theme::px(16.0f), low.y + theme::px(10.0f)), theme::kText,
                     sentence_.c_str(), nullptr, wrap);
    }
}

void Overlay::draw() {
    ImGui::Render();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void Overlay::say(const std::string& sentence) {
    sentence_ = sentence;
    sentence_until_ = ImGui::GetTime() + kSentenceSeconds;
}

}  // namespace augur::demo
