// How the overlay looks: colours, type sizes, spacing, and the few widgets that every panel uses.
#pragma once

#include <imgui.h>

#include <string>

#include "draw/geometry.h"

namespace augur::demo::theme {

/// The two teams: blue and orange keep apart for every common kind of colour blindness, in hue and in lightness.
inline constexpr Color kTeam[2] = {{0.25f, 0.63f, 1.00f, 1.0f}, {1.00f, 0.58f, 0.18f, 1.0f}};

inline constexpr ImU32 kText = IM_COL32(226, 233, 242, 255);
inline constexpr ImU32 kTextSoft = IM_COL32(146, 158, 174, 255);
inline constexpr ImU32 kTextFaint = IM_COL32(98, 110, 126, 255);
inline constexpr ImU32 kPanel = IM_COL32(14, 18, 25, 246);
inline constexpr ImU32 kPanelLine = IM_COL32(255, 255, 255, 16);
inline constexpr ImU32 kWell = IM_COL32(255, 255, 255, 9);
inline constexpr ImU32 kWellHover = IM_COL32(255, 255, 255, 20);
inline constexpr ImU32 kAccent = IM_COL32(120, 214, 200, 255);
inline constexpr ImU32 kModel = IM_COL32(184, 152, 255, 255);  ///< whatever a network said
inline constexpr ImU32 kWarning = IM_COL32(255, 196, 87, 255);
inline constexpr ImU32 kAlarm = IM_COL32(255, 104, 108, 255);

ImU32 packed(Color color);
/// kModel for what is drawn in the world.
inline constexpr Color kModelColor = {184.0f / 255.0f, 152.0f / 255.0f, 1.0f, 1.0f};
ImU32 with_alpha(ImU32 color, float alpha);
ImU32 team(int index, float alpha = 1.0f);

/// Type sizes. Loaded once; scaled with the picture.
struct Fonts {
    ImFont* body = nullptr;     ///< 15
    ImFont* strong = nullptr;   ///< 15, medium
    ImFont* small = nullptr;    ///< 12.5
    ImFont* heading = nullptr;  ///< 11.5, medium, for headings in capitals
    ImFont* figure = nullptr;   ///< 24, medium, for headline numbers
    ImFont* mark = nullptr;     ///< 22, medium, for the name
};
const Fonts& fonts();

/// Loads the fonts and sets the style for pictures whose overlay is `scale` times its layout size. Where a font file is
/// missing, `message` says so and the built-in font is used.
void apply(const std::string& asset_folder, float scale, std::string& message);
float scale();

/// Length in layout units to pixels.
inline float px(float units) {
    return units * scale();
}

/// One panel at a fixed place. Always pair with end_panel().
void begin_panel(const char* name, Vec2 low, Vec2 high);
void end_panel();

void heading(const char* text);
void gap(float units);
/// Label on the left, value on the right of the present line.
void row(const char* label, const std::string& value, ImU32 color = kText);
/// A slider with its label above and its value at the right. Returns true while the value moves.
bool slider_int(const char* label, int* value, int low, int high, const char* format, bool logarithmic);
bool slider_float(const char* label, float* value, float low, float high, const char* format);
/// Buttons side by side of which one is chosen. Returns true when another was chosen.
bool segmented(const char* id, int* chosen, const char* const* names, int count);
/// The same, as small as their words, with the cursor on the next line afterwards.
bool small_choice(const char* id, int* chosen, const char* const* names, int count);
/// The same, as headings of what is below them.
bool tabs(const char* id, int* chosen, const char* const* names, int count);
bool toggle(const char* label, bool* on);
/// A faint sentence, wrapped.
void hint(const char* text);
/// A headline number with its label under it, `width` pixels wide.
void figure(const char* label, const std::string& value, const char* unit, float width, ImU32 color = kText);

/// 1234567 as "1.23 M".
std::string short_number(double value);
std::string short_bytes(double value);
std::string percent(double share);
std::string milliseconds(double value);

}  // namespace augur::demo::theme
