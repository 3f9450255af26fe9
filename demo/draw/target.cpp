#include "draw/target.h"

#include <algorithm>

namespace augur::demo {

void Target::resize(Extent extent) {
    if (extent == extent_) return;
    release();
    if (extent.empty()) return;
    extent_ = extent;
    glCreateTextures(GL_TEXTURE_2D, 1, &texture_);
    glTextureStorage2D(texture_, 1, format_, extent.width, extent.height);
    glTextureParameteri(texture_, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTextureParameteri(texture_, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTextureParameteri(texture_, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTextureParameteri(texture_, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glCreateFramebuffers(1, &framebuffer_);
    glNamedFramebufferTexture(framebuffer_, GL_COLOR_ATTACHMENT0, texture_, 0);
}

void Target::bind() const {
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    glViewport(0, 0, extent_.width, extent_.height);
}

std::vector<std::uint8_t> Target::read_pixels() const {
    if (extent_.empty()) return {};
    const auto row = static_cast<std::size_t>(extent_.width) * 3;
    std::vector<std::uint8_t> pixels(row * static_cast<std::size_t>(extent_.height));
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer_);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, extent_.width, extent_.height, GL_RGB, GL_UNSIGNED_BYTE, pixels.data());
    // OpenGL's first row is the bottom one.
    for (std::size_t top = 0, bottom = static_cast<std::size_t>(extent_.height) - 1; top < bottom; ++top, --bottom) {
        std::swap_ranges(pixels.begin() + static_cast<std::ptrdiff_t>(top * row),
                         pixels.begin() + static_cast<std::ptrdiff_t>((top + 1) * row),
                         pixels.begin() + static_cast<std::ptrdiff_t>(bottom * row));
    }
    return pixels;
}

void Target::release() {
    if (framebuffer_ != 0) glDeleteFramebuffers(1, &framebuffer_);
    if (texture_ != 0) glDeleteTextures(1, &texture_);
    framebuffer_ = 0;
    texture_ = 0;
    extent_ = {};
}

}  // namespace augur::demo
