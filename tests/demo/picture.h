// Looking at a screenshot.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace augur::test {

struct Picture {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> rgb;

    // Empty when the file is not a picture.
    static Picture read(const std::string& path);

    struct Pixel {
        int r, g, b;
    };
    Pixel at(int x, int y) const;
};

// A part of a picture, in shares of its width and height.
struct Part {
    double left, top, right, bottom;
};

// Pixels of a part for which `test` holds.
template <class Test>
int count(const Picture& picture, const Part& part, Test test) {
    int found = 0;
    for (int y = static_cast<int>(part.top * picture.height); y < static_cast<int>(part.bottom * picture.height); ++y) {
        for (int x = static_cast<int>(part.left * picture.width); x < static_cast<int>(part.right * picture.width);
             ++x) {
            found += test(picture.at(x, y)) ? 1 : 0;
        }
    }
    return found;
}

// Standard deviation of the brightness, 0 .. 255: 0 for a blank picture.
double contrast(const Picture& picture, const Part& part);

// The two team colours, the overlay's accent, and its bright text.
bool is_azure(const Picture::Pixel& pixel);
bool is_amber(const Picture::Pixel& pixel);
bool is_accent(const Picture::Pixel& pixel);
bool is_text(const Picture::Pixel& pixel);

}  // namespace augur::test
