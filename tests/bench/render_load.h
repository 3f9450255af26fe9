// A rendering-like load: full-screen shading in an OpenGL context of its own, without a window.
#ifndef AUGUR_TESTS_BENCH_RENDER_LOAD_H
#define AUGUR_TESTS_BENCH_RENDER_LOAD_H

#include <memory>
#include <string>

namespace augur::bench {

class RenderLoad {
  public:
    virtual ~RenderLoad() = default;
    // Starts drawing what takes about the time it was made for when nothing else runs; returns at once.
    virtual void draw() = 0;
    // Waits until all that was drawn is done.
    virtual void finish() = 0;
    virtual std::string renderer() const = 0;
};

// Null with the reason where there is no OpenGL without a window.
std::unique_ptr<RenderLoad> make_render_load(double milliseconds, std::string& why_not);

}  // namespace augur::bench

#endif
