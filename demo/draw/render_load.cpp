#include "draw/render_load.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "draw/shaders.h"

namespace augur::demo {
namespace {

// Enough pixels to fill a large GPU, few enough for a step to be a small part of a frame in software.
constexpr Extent kHazePicture = {640, 360};
constexpr int kMostSteps = 4'000'000;
// A measurement is long enough when the clock is no part of it, and no longer than a person would notice.
constexpr double kLongEnoughMs = 4.0;
constexpr int kFirstSteps = 4;

}  // namespace

bool RenderLoad::start(std::string& error) {
    haze_ = make_program({"haze.vert", "haze.frag"}, error);
    if (haze_.name() == 0) return false;
    blend_ = make_program({"haze.vert", "haze_blend.frag"}, error);
    if (blend_.name() == 0) return false;
    glCreateVertexArrays(1, &vertex_array_);
    return true;
}

void RenderLoad::shade(int steps, float seconds) {
    target_.resize(kHazePicture);
    target_.bind();
    glBindVertexArray(vertex_array_);
    glDisable(GL_BLEND);
    haze_.use();
    glUniform1i(haze_.uniform("steps"), steps);
    glUniform1f(haze_.uniform("time"), seconds);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glEnable(GL_BLEND);
}

void RenderLoad::measure() {
    const auto time_of = [this](int steps) {
        glFinish();
        const auto begin = std::chrono::steady_clock::now();
        shade(steps, 0.0f);
        glFinish();
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    };
    time_of(1);  // compiles, and takes memory
    int steps = kFirstSteps;
    double took = time_of(steps);
    while (took < kLongEnoughMs && steps < kMostSteps / 4) {
        steps *= 4;
        took = time_of(steps);
    }
    // Without what a draw costs by itself. The least of three: whatever else ran made the others longer.
    const double base = std::min({time_of(1), time_of(1), time_of(1)});
    took = std::min({took, time_of(steps), time_of(steps)});
    // Where others had the processor the difference says little, and may be nothing. Half of the time was for steps
    // then: too little load is better than frames of a minute.
    ms_per_step_ = std::max((took - base) / static_cast<double>(steps - 1), took / (2.0 * steps));
}

void RenderLoad::set_ms(float ms) {
    ms_ = std::clamp(ms, 0.0f, kMostRenderLoadMs);
    if (ms_ > 0.0f && ms_per_step_ == 0.0) measure();
    steps_ = ms_ > 0.0f ? static_cast<int>(std::clamp(std::round(static_cast<double>(ms_) / ms_per_step_), 1.0,
                                                      static_cast<double>(kMostSteps)))
                        : 0;
}

void RenderLoad::draw(const Target& picture, float seconds) {
    if (steps_ == 0 || picture.extent().empty()) return;
    shade(steps_, seconds);
    picture.bind();
    glBlendFunc(GL_ONE, GL_ONE);
    blend_.use();
    glBindTextureUnit(0, target_.texture());
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
}

}  // namespace augur::demo
