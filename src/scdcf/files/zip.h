// Zip archives whose entries are stored as they are, which is what PyTorch writes.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace scdcf::files {

/// The entries by name, as views into `archive`. Throws Error, beginning with `name`, for anything that does not lie
/// within the archive, is compressed or is larger than 4 GB.
std::map<std::string, std::string_view> zip_entries(std::string_view archive, const std::string& name);

/// The archive with a comment at its end, which readers of zip files pass over. It must have none yet.
std::string with_zip_comment(std::string archive, const std::string& comment);

}  // namespace scdcf::files
