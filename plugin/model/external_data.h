// Weights that lie in files beside the model. Only files inside the model's folder are opened, and links that lead out
// of it are not followed.
#ifndef AUGUR_MODEL_EXTERNAL_DATA_H
#define AUGUR_MODEL_EXTERNAL_DATA_H

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/onnx_proto.h"

namespace augur::model {

// Reads a regular file whole, once. Refuses as load_onnx_file says; what: "the model" or the like, for messages.
std::vector<char> read_file(const std::string& path, std::uint64_t most_bytes, const std::string& what);

class ExternalData {
  public:
    // folder "": every tensor that lies elsewhere is refused. most_bytes: of all files together.
    ExternalData(std::string folder, std::uint64_t most_bytes) : folder_(std::move(folder)), bytes_left_(most_bytes) {}

    // The bytes of a tensor that the file says lie elsewhere. Valid as long as this object.
    std::string_view bytes_of(const TensorProto& tensor);

    // All that was read so far.
    std::uint64_t size_bytes() const { return size_bytes_; }

  private:
    const std::vector<char>& file(std::string_view location, const std::string& tensor);

    std::string folder_;
    std::uint64_t bytes_left_;
    std::uint64_t size_bytes_ = 0;
    std::map<std::string, std::vector<char>, std::less<>> files_;
};

}  // namespace augur::model

#endif  // AUGUR_MODEL_EXTERNAL_DATA_H
