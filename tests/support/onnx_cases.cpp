#include "support/onnx_cases.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace augur::test {
namespace {

class Reader {
  public:
    explicit Reader(const std::filesystem::path& path) {
        std::ifstream file(path, std::ios::binary);
        bytes_.assign(std::istreambuf_iterator<char>(file), {});
    }
    template <class T>
    T number() {
        T value;
        std::memcpy(&value, take(sizeof value), sizeof value);
        return value;
    }
    std::string text() {
        const auto size = number<std::uint32_t>();
        return {take(size), size};
    }
    std::vector<std::vector<float>> arrays() {
        std::vector<std::vector<float>> all(number<std::uint32_t>());
        for (std::vector<float>& array : all) {
            const auto count = number<std::uint32_t>();
            const char* from = take(std::size_t{count} * sizeof(float));
            array.resize(count);
            if (count > 0) std::memcpy(array.data(), from, count * sizeof(float));
        }
        return all;
    }
    const char* take(std::size_t size) {
        if (size > bytes_.size() - at_) throw std::runtime_error("a file of cases ends too early");
        at_ += size;
        return bytes_.data() + (at_ - size);
    }
    bool ended() const { return at_ == bytes_.size(); }

  private:
    std::string bytes_;
    std::size_t at_ = 0;
};

}  // namespace

std::vector<OnnxCase> read_onnx_cases(const std::string& folder) {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().extension() == ".cases") paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    std::vector<OnnxCase> cases;
    for (const auto& path : paths) {
        Reader reader(path);
        if (std::memcmp(reader.take(4), "AUGC", 4) != 0 || reader.number<std::uint32_t>() != 1)
            throw std::runtime_error(path.string() + " is no file of cases");
        const auto count = reader.number<std::uint32_t>();
        for (std::uint32_t i = 0; i < count; ++i) {
            OnnxCase each;
            each.family = path.stem().string();
            each.name = reader.text();
            each.computes = reader.number<std::uint32_t>() == 0;
            each.code = reader.text();
            each.said = reader.text();
            each.tolerance = reader.number<float>();
            each.rows = reader.number<std::uint32_t>();
            each.model = reader.text();
            each.inputs = reader.arrays();
            each.outputs = reader.arrays();
            cases.push_back(std::move(each));
        }
        if (!reader.ended()) throw std::runtime_error(path.string() + " has bytes behind its last case");
    }
    return cases;
}

}  // namespace augur::test
