// Where the data sets come from, and how to know that they arrived unharmed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scdcf/files/tar.h"

namespace scdcf::data {

struct SourceFile {
  enum class Digest {
    file,    ///< size and SHA-256 are those of the file
    content  ///< those of what the gzip file holds: copies that were compressed anew are right too
  };
  std::string name;
  std::int64_t bytes = 0;
  std::string sha256;
  Digest digest = Digest::file;
  std::vector<files::ArchiveMember> members;  ///< of an archive: what is unpacked; the archive itself is not kept
};

struct Source {
  std::string name;                ///< also the folder's name
  std::vector<std::string> bases;  ///< URLs of folders that hold the files, tried in turn
  std::vector<SourceFile> files;
};

/// mnist, fashion and stl10.
const std::vector<Source>& known_sources();
/// Throws Error for a name that is not among them.
const Source& known_source(const std::string& name);

}  // namespace scdcf::data
