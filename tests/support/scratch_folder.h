// A folder of its own for every test, gone afterwards.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "scdcf/core/error.h"
#include "scdcf/files/remove_tree.h"

namespace scdcf::testing {

/// A new folder that vanishes with this object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "scdcf_test_XXXXXX").string();
    require(mkdtemp(name.data()) != nullptr, name, ": cannot be made");
    path_ = name;
  }
  ~TemporaryFolder() { files::remove_tree(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path(const std::string& inside = "") const { return inside.empty() ? path_ : path_ + "/" + inside; }
  /// Writes a file, with the folders it lies in, and returns its path.
  template <class Bytes>
  std::string write(const std::string& inside, const Bytes& bytes) const {
    std::filesystem::create_directories(std::filesystem::path(path(inside)).parent_path());
    std::ofstream(path(inside), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return path(inside);
  }

 private:
  std::string path_;
};

/// Tests of one file that each have a folder, folder_.
class ScratchFolder : public ::testing::Test {
 protected:
  static std::string read(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static void write(const std::filesystem::path& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
  }
  /// Names of everything in a folder, hidden files too.
  static std::vector<std::string> names_in(const std::filesystem::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
    return names;
  }

 private:
  const TemporaryFolder own_;

 protected:
  const std::filesystem::path folder_ = own_.path();
};

}  // namespace scdcf::testing
