#include "model/external_data.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "model/refusal.h"

namespace augur::model {
namespace {

namespace fs = std::filesystem;

class Descriptor {
  public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int number() const { return number_; }

  private:
    int number_;
};

std::string system_text(int error) {
    return std::generic_category().message(error);
}

const char* kind_of_file(mode_t mode) {
    if (S_ISDIR(mode)) return "a folder";
    if (S_ISFIFO(mode)) return "a pipe";
    if (S_ISSOCK(mode)) return "a socket";
    return "a device";
}

std::uint64_t number_of(std::string_view text, const char* what, const std::string& tensor) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        refuse(AUGUR_ERROR_INVALID_MODEL, "the external data of tensor %s has %s %s, which is no number",
               tensor.c_str(), what, shown(text).c_str());
    return value;
}

}  // namespace

std::vector<char> read_file(const std::string& path, std::uint64_t most_bytes, const std::string& what) {
    // Not blocking, so that a pipe without a writer cannot hold the caller up.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.number() < 0) {
        const int error = errno;
        if (error == ENOENT || error == ENOTDIR) refuse(AUGUR_ERROR_NOT_FOUND, "%s is not there", what.c_str());
        refuse(AUGUR_ERROR_IO, "%s cannot be opened: %s", what.c_str(), system_text(error).c_str());
    }
    struct stat status {};
    if (::fstat(file.number(), &status) != 0)
        refuse(AUGUR_ERROR_IO, "%s cannot be read: %s", what.c_str(), system_text(errno).c_str());
    if (!S_ISREG(status.st_mode))
        refuse(AUGUR_ERROR_IO, "%s is %s, not a file", what.c_str(), kind_of_file(status.st_mode));
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (size == 0) refuse(AUGUR_ERROR_IO, "%s is empty", what.c_str());
    if (size > most_bytes)
        refuse(AUGUR_ERROR_LIMIT, "%s has %llu bytes, the limit is %llu", what.c_str(),
               static_cast<unsigned long long>(size), static_cast<unsigned long long>(most_bytes));
    std::vector<char> bytes(size);
    std::size_t have = 0;
    while (have < bytes.size()) {
        const ssize_t got = ::read(file.number(), bytes.data() + have, bytes.size() - have);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) refuse(AUGUR_ERROR_IO, "%s cannot be read: %s", what.c_str(), system_text(errno).c_str());
        if (got == 0) refuse(AUGUR_ERROR_IO, "%s became shorter while it was read", what.c_str());
        have += static_cast<std::size_t>(got);
    }
    return bytes;
}

const std::vector<char>& ExternalData::file(std::string_view location, const std::string& tensor) {
    if (const auto known = files_.find(location); known != files_.end()) return known->second;
    if (folder_.empty())
        refuse(AUGUR_ERROR_INVALID_MODEL,
               "tensor %s lies in a file of its own, %s, and no folder was given in which that is allowed",
               tensor.c_str(), shown(location).c_str());
    const fs::path relative{std::string(location)};
    bool inside = !location.empty() && relative.is_relative() && location.find('\0') == std::string_view::npos;
    for (const fs::path& part : relative)
        inside = inside && part != "..";
    // Links are resolved before the check, so that one that leads out of the folder is seen.
    std::error_code error;
    const fs::path folder = fs::canonical(folder_, error);
    if (error) refuse(AUGUR_ERROR_IO, "the model's folder cannot be opened: %s", error.message().c_str());
    fs::path path;
    if (inside) {
        path = fs::weakly_canonical(folder / relative, error);
        if (error)
            refuse(AUGUR_ERROR_IO, "the external data of tensor %s cannot be opened: %s", tensor.c_str(),
                   error.message().c_str());
        const fs::path seen = path.lexically_relative(folder);
        inside = !seen.empty() && *seen.begin() != ".." && *seen.begin() != ".";
    }
    if (!inside)
        refuse(AUGUR_ERROR_INVALID_MODEL, "the external data of tensor %s, %s, is not inside the model's folder",
               tensor.c_str(), shown(location).c_str());
    std::vector<char> bytes =
        read_file(path.string(), bytes_left_, "the external data of tensor " + tensor + ", " + shown(location) + ",");
    bytes_left_ -= bytes.size();
    size_bytes_ += bytes.size();
    return files_.emplace(std::string(location), std::move(bytes)).first->second;
}

std::string_view ExternalData::bytes_of(const TensorProto& tensor) {
    const std::string name = shown(tensor.name);
    const std::vector<char>& bytes = file(tensor.location, name);
    const std::uint64_t offset =
        tensor.external_offset.empty() ? 0 : number_of(tensor.external_offset, "the offset", name);
    if (offset > bytes.size())
        refuse(AUGUR_ERROR_INVALID_MODEL, "the external data of tensor %s begins at %llu, its file has %zu bytes",
               name.c_str(), static_cast<unsigned long long>(offset), bytes.size());
    const std::uint64_t rest = bytes.size() - offset;
    const std::uint64_t length =
        tensor.external_length.empty() ? rest : number_of(tensor.external_length, "the length", name);
    if (length > rest)
        refuse(AUGUR_ERROR_INVALID_MODEL,
               "the external data of tensor %s is bytes %llu .. %llu + %llu of a file of %zu bytes", name.c_str(),
               static_cast<unsigned long long>(offset), static_cast<unsigned long long>(offset),
               static_cast<unsigned long long>(length), bytes.size());
    return {bytes.data() + offset, static_cast<std::size_t>(length)};
}

}  // namespace augur::model
