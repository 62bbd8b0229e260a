// Data sets from the network into a folder: continued after interruptions, in place only when their checksums are
// right.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "scdcf/data/sources.h"

namespace scdcf::data {

struct FetchProgress {
  enum class Stage { download, check, unpack };
  Stage stage;
  std::string file;
  std::int64_t done = 0;
  std::int64_t total = 0;       ///< 0 where it is not known
  std::int64_t began_with = 0;  ///< of `done`: what an earlier transfer had left
};

struct FetchOptions {
  std::filesystem::path data_dir;  ///< the files go to data_dir/NAME
  std::string mirror;              ///< URL of a folder with the files, instead of the set's own
  std::string command;             ///< what the user is told to run again to continue a transfer
  std::function<void(const FetchProgress&)> progress;
  std::function<void(const std::string&)> note;  ///< one line on what was found, mended or finished
};

/// The cache among the places that are looked in (places.h). Throws Error for a user without a home.
std::filesystem::path user_data_dir();

/// Returns the folder with the files. What is there and right is left alone. A transfer that stops keeps FILE.part,
/// from which the next call goes on; a .part whose checksum is wrong is deleted. Both throw Error and say so.
std::filesystem::path fetch(const Source& source, const FetchOptions& options);

}  // namespace scdcf::data
