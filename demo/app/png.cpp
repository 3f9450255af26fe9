#include "app/png.h"

#include <cerrno>
#include <cstring>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb_image_write.h>

namespace augur::demo {

bool write_png(const std::string& path, int width, int height, std::span<const std::uint8_t> pixels,
               std::string& error) {
    if (width <= 0 || height <= 0 ||
        pixels.size() < static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3) {
        error = "there is no picture to write: " + std::to_string(width) + "x" + std::to_string(height);
        return false;
    }
    errno = 0;
    if (stbi_write_png(path.c_str(), width, height, 3, pixels.data(), width * 3) == 0) {
        error =
            "cannot write " + path + ": " + (errno != 0 ? std::strerror(errno) : "the picture could not be encoded");
        return false;
    }
    return true;
}

}  // namespace augur::demo
