#include "scdcf/data/files.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "scdcf/core/error.h"

namespace scdcf::data {
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

void write_file(const std::string& path, const Bytes& bytes) {
  static std::atomic<unsigned> counter{0};  // two threads may write the same file
  const std::string temporary = path + ".tmp" + std::to_string(getpid()) + "." + std::to_string(counter++);
  File file(std::fopen(temporary.c_str(), "wb"));
  require(file != nullptr, path, ": cannot be written: ", std::strerror(errno));
  const bool written = bytes.empty() || std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
  const bool closed = std::fclose(file.release()) == 0;  // the last block is written only now
  std::error_code error;
  if (written && closed) std::filesystem::rename(temporary, path, error);
  if (!written || !closed || error) {
    const std::string cause = error ? error.message() : std::strerror(errno);
    std::filesystem::remove(temporary, error);
    detail::fail(path, ": cannot be written: ", cause);
  }
}

}  // namespace scdcf::data
