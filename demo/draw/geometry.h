// Points, colours and the camera.
#pragma once

#include <algorithm>
#include <cmath>

#include "app/surface.h"

namespace augur::demo {

struct Vec2 {
    float x = 0.0f;
    float y = 0.0f;
    friend Vec2 operator+(Vec2 a, Vec2 b) { return {a.x + b.x, a.y + b.y}; }
    friend Vec2 operator-(Vec2 a, Vec2 b) { return {a.x - b.x, a.y - b.y}; }
    friend Vec2 operator*(Vec2 a, float s) { return {a.x * s, a.y * s}; }
};

inline float length(Vec2 v) {
    return std::sqrt(v.x * v.x + v.y * v.y);
}
inline Vec2 mix(Vec2 a, Vec2 b, float t) {
    return a + (b - a) * t;
}

/// Linear blend weights, not premultiplied; components in [0, 1].
struct Color {
    float r = 1.0f;
    float g = 1.0f;
    float b = 1.0f;
    float a = 1.0f;
    Color with_alpha(float alpha) const { return {r, g, b, alpha}; }
};

inline Color mix(Color a, Color b, float t) {
    return {a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t, a.a + (b.a - a.a) * t};
}

/// Looks straight down on the world. World y grows upwards on the screen.
struct Camera {
    Vec2 center;
    float view_height = 10.0f;  ///< world units from the bottom to the top of the picture

    float units_per_pixel(Extent picture) const {
        return view_height / static_cast<float>(std::max(picture.height, 1));
    }

    Vec2 to_world(Vec2 pixel, Extent picture) const {
        const float scale = units_per_pixel(picture);
        return {center.x + (pixel.x - 0.5f * static_cast<float>(picture.width)) * scale,
                center.y - (pixel.y - 0.5f * static_cast<float>(picture.height)) * scale};
    }
    Vec2 to_pixel(Vec2 world, Extent picture) const {
        const float scale = 1.0f / units_per_pixel(picture);
        return {0.5f * static_cast<float>(picture.width) + (world.x - center.x) * scale,
                0.5f * static_cast<float>(picture.height) - (world.y - center.y) * scale};
    }
};

}  // namespace augur::demo
