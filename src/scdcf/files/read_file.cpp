#include "scdcf/files/read_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "scdcf/core/error.h"

namespace scdcf::files {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

}  // namespace

Bytes read_file(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  require(std::filesystem::exists(status), path, ": no such file");
  require(std::filesystem::is_regular_file(status), path, ": not a file");
  const std::uint64_t size = std::filesystem::file_size(path, error);
  require(!error, path, ": ", error.message());
  require(size <= kLargestFile, path, ": got ", size, " bytes, expected at most ", kLargestFile);
  const File file(std::fopen(path.c_str(), "rb"));
  require(file != nullptr, path, ": cannot be opened: ", std::strerror(errno));
  Bytes bytes(size);
  const std::size_t got = size == 0 ? 0 : std::fread(bytes.data(), 1, size, file.get());
  require(got == size, path, ": could be read only up to byte ", got, " of ", size);
  return bytes;
}

std::string read_text(const std::string& path) {
  const auto bytes = read_file(path);
  return {bytes.begin(), bytes.end()};
}

}  // namespace scdcf::files
