// Files that are there whole or not at all, whatever happens while they are written.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace scdcf::files {

/// Bytes go to a temporary file in the same folder; commit() puts it in the place of `file` and returns once both are
/// on the disk. Until then a reader sees what was there before. Without a commit nothing stays behind. Every failure
/// (no space, no permission, ...) is an Error that names the file and the cause.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path file);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, std::size_t size);
  void write(std::string_view bytes) { write(bytes.data(), bytes.size()); }
  void commit();
  const std::filesystem::path& file() const { return file_; }

 private:
  [[noreturn]] void fail(const char* what);
  void discard();

  std::filesystem::path file_;
  std::string temporary_;
  int descriptor_ = -1;
};

void write_file_atomically(const std::filesystem::path& file, std::string_view bytes);

/// The name that a temporary file of AtomicFile would have got: a.json of .a.json.a1B2c3; empty for other names.
std::string name_of_temporary(const std::string& temporary);

/// After a rename the folder's own entry has to reach the disk too.
void sync_folder(const std::filesystem::path& folder);

}  // namespace scdcf::files
