// Plain files out of a .tar.gz, with bounds on all that an archive could do to its reader.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace scdcf::files {

/// A file wanted from an archive, by its name without folders.
struct ArchiveMember {
  std::string name;
  std::int64_t bytes = 0;       ///< its size where that is known
  std::int64_t most_bytes = 0;  ///< else the most it may have
};

struct ExtractOptions {
  std::int64_t most_content = std::int64_t{16} << 30;  ///< bytes of the whole archive once unpacked
  int most_members = 10000;
  /// Told the compressed bytes read so far, now and then.
  std::function<void(std::int64_t done)> progress;
};

/// Puts every wanted member into `folder`, after the whole archive has been read and found sound. Others are passed
/// over. Throws Error for a damaged or truncated archive, a wanted member that is missing or of the wrong size, or any
/// member whose path is absolute or climbs with "..".
void extract_tar_gz(const std::filesystem::path& archive, const std::filesystem::path& folder,
                    const std::vector<ArchiveMember>& wanted, const ExtractOptions& options = {});

}  // namespace scdcf::files
