#include "scdcf/files/zip.h"

#include <cstddef>
#include <cstdint>

#include "scdcf/core/error.h"

namespace scdcf::files {
namespace {

constexpr std::size_t kEnd = 22, kLargestComment = 65535;  // the record that ends an archive, before its comment

/// `count` bytes, the lowest first.
std::size_t number_at(std::string_view bytes, std::size_t at, int count) {
  std::size_t value = 0;
  for (int i = count - 1; i >= 0; --i)
    value = value << 8 | static_cast<std::uint8_t>(bytes.at(at + static_cast<size_t>(i)));
  return value;
}

/// bytes.substr, but for what does not lie within.
std::string_view part(std::string_view bytes, std::size_t at, std::size_t size, const std::string& name) {
  require(at <= bytes.size() && size <= bytes.size() - at, name, ": got a zip archive that is cut off or damaged");
  return bytes.substr(at, size);
}

/// A record that begins with "PK" and two more letters.
std::string_view record(std::string_view bytes, std::size_t at, std::size_t size, const char* kind,
                        const std::string& name) {
  const auto found = part(bytes, at, size, name);
  require(found.substr(0, 4) == std::string_view(kind, 4), name, ": got a damaged zip archive");
  return found;
}

std::size_t end_of(std::string_view archive, const std::string& name) {
  for (std::size_t comment = 0; comment <= kLargestComment && comment + kEnd <= archive.size(); ++comment) {
    const std::size_t at = archive.size() - kEnd - comment;
    if (archive.substr(at, 4) == std::string_view("PK\5\6", 4) && number_at(archive, at + 20, 2) == comment) return at;
  }
  detail::fail(name, ": got no zip archive, or one that is cut off");
}

}  // namespace

std::map<std::string, std::string_view> zip_entries(std::string_view archive, const std::string& name) {
  const std::size_t end = end_of(archive, name);
  const auto directory = part(archive, number_at(archive, end + 16, 4), number_at(archive, end + 12, 4), name);
  std::map<std::string, std::string_view> entries;
  for (std::size_t at = 0; at < directory.size();) {
    const auto entry = record(directory, at, 46, "PK\1\2", name);
    const auto name_size = number_at(entry, 28, 2), size = number_at(entry, 24, 4);
    require(number_at(entry, 10, 2) == 0 && number_at(entry, 20, 4) == size, name,
            ": got a zip archive with compressed entries, expected stored ones");
    const auto local_at = number_at(entry, 42, 4);
    const auto local = record(archive, local_at, 30, "PK\3\4", name);
    const auto data_at = local_at + 30 + number_at(local, 26, 2) + number_at(local, 28, 2);
    entries[std::string(part(directory, at + 46, name_size, name))] = part(archive, data_at, size, name);
    at += 46 + name_size + number_at(entry, 30, 2) + number_at(entry, 32, 2);
  }
  return entries;
}

std::string with_zip_comment(std::string archive, const std::string& comment) {
  require(end_of(archive, "archive") + kEnd == archive.size() && comment.size() <= kLargestComment,
          "archive: has a comment already, or got one of ", comment.size(), " bytes, expected at most ",
          kLargestComment);
  archive[archive.size() - 2] = static_cast<char>(comment.size() & 255);
  archive[archive.size() - 1] = static_cast<char>(comment.size() >> 8);
  return archive + comment;
}

}  // namespace scdcf::files
