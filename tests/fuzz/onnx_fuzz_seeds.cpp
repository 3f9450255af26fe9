// Writes every stored model of tests/data/onnx_ops as a file of its own: what a fuzzer begins with.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "support/onnx_cases.h"

int main(int count, char** arguments) {
    if (count != 3) {
        std::fprintf(stderr, "usage: onnx_fuzz_seeds FOLDER_OF_CASES FOLDER_TO_WRITE\n");
        return 2;
    }
    const std::filesystem::path folder = arguments[2];
    std::filesystem::create_directories(folder);
    std::size_t written = 0;
    for (const auto& each : augur::test::read_onnx_cases(arguments[1])) {
        std::string name = each.family + "_" + each.name;
        std::replace(name.begin(), name.end(), '/', '_');
        std::ofstream file(folder / name, std::ios::binary);
        file.write(each.model.data(), static_cast<std::streamsize>(each.model.size()));
        if (!file) {
            std::fprintf(stderr, "%s cannot be written\n", name.c_str());
            return 1;
        }
        ++written;
    }
    std::printf("%zu files\n", written);
    return 0;
}
