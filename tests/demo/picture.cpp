#include "demo/picture.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#endif
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#include <stb_image.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

namespace augur::test {

Picture Picture::read(const std::string& path) {
    Picture picture;
    int channels = 0;
    stbi_uc* pixels = stbi_load(path.c_str(), &picture.width, &picture.height, &channels, 3);
    if (pixels == nullptr) return {};
    picture.rgb.assign(pixels,
                       pixels + static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height) * 3);
    stbi_image_free(pixels);
    return picture;
}

Picture::Pixel Picture::at(int x, int y) const {
    const std::size_t place =
        (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)) * 3;
    return {rgb[place], rgb[place + 1], rgb[place + 2]};
}

double contrast(const Picture& picture, const Part& part) {
    double sum = 0.0;
    double squares = 0.0;
    const int pixels = count(picture, part, [&](const Picture::Pixel& pixel) {
        const double brightness = (pixel.r + pixel.g + pixel.b) / 3.0;
        sum += brightness;
        squares += brightness * brightness;
        return true;
    });
    if (pixels == 0) return 0.0;
    const double mean = sum / pixels;
    return std::sqrt(std::max(squares / pixels - mean * mean, 0.0));
}

bool is_azure(const Picture::Pixel& pixel) {
    return pixel.b > 150 && pixel.b - pixel.r > 90 && pixel.g > 80;
}
bool is_amber(const Picture::Pixel& pixel) {
    return pixel.r > 150 && pixel.r - pixel.b > 90 && pixel.g > 60 && pixel.g < pixel.r;
}
bool is_accent(const Picture::Pixel& pixel) {
    return pixel.g > 150 && pixel.g - pixel.r > 60 && pixel.b > 120 && pixel.b < pixel.g;
}
bool is_text(const Picture::Pixel& pixel) {
    return std::min({pixel.r, pixel.g, pixel.b}) > 170 && std::abs(pixel.r - pixel.b) < 40;
}

}  // namespace augur::test
