// Writing a picture to a PNG file.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace augur::demo {

/// Writes `width` x `height` RGB pixels, rows from the top, 3 bytes a pixel. Returns false and a sentence in `error`
/// when the file cannot be written.
bool write_png(const std::string& path, int width, int height, std::span<const std::uint8_t> pixels,
               std::string& error);

}  // namespace augur::demo
