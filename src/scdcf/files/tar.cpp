#include "scdcf/files/tar.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>

#include "scdcf/core/error.h"
#include "scdcf/files/atomic_file.h"
#include "scdcf/files/gzip_reader.h"

namespace scdcf::files {
namespace {

constexpr std::int64_t kBlock = 512;
using Block = std::array<char, kBlock>;

/// A header's text field: up to its first NUL.
std::string text(const Block& header, std::size_t from, std::size_t size) {
  const auto* begin = header.data() + from;
  return {begin, std::find(begin, begin + size, '\0')};
}

/// A header's number in octal digits; nothing where it is something else (GNU's binary form is for 8 GiB and more).
std::optional<std::int64_t> octal(const Block& header, std::size_t from, std::size_t size) {
  const std::string field = text(header, from, size);
  const auto first = field.find_first_not_of(' '), last = field.find_last_not_of(' ');
  if (first == std::string::npos) return std::nullopt;
  std::int64_t value = 0;
  for (auto i = first; i <= last; ++i) {
    if (field[i] < '0' || field[i] > '7') return std::nullopt;
    value = value * 8 + (field[i] - '0');
  }
  return value;
}

/// The sum of the header's bytes, its own field counted as blanks.
bool checksum_is_right(const Block& header) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < header.size(); ++i)
    sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(header[i]);
  return octal(header, 148, 8) == sum;
}

bool stays_inside(const std::string& path) {
  const std::filesystem::path parts(path);
  return !parts.is_absolute() &&
         std::none_of(parts.begin(), parts.end(), [](const auto& part) { return part == ".."; });
}

class Extraction {
 public:
  Extraction(const std::filesystem::path& archive, const std::filesystem::path& folder,
             const std::vector<ArchiveMember>& wanted, const ExtractOptions& options)
      : name_(archive.string()), reader_(archive), folder_(folder), wanted_(wanted), options_(options) {}

  void run() {
    Block header;
    for (int members = 0; next(header.data(), kBlock); ++members) {
      // Two blocks of zeros end an archive; what follows is padding.
      if (std::all_of(header.begin(), header.end(), [](char byte) { return byte == 0; })) break;
      require(members < options_.most_members, name_, ": more than ", options_.most_members, " members");
      require(checksum_is_right(header), name_, ": is not a tar archive, or is damaged");
      member(header);
    }
    drain();
    for (const auto& member : wanted_)
      require(found_.count(member.name) > 0, name_, ": does not contain ", member.name);
    for (const auto& file : files_) file->commit();
  }

 private:
  /// `size` bytes, whole blocks, counted against the bound; false at the end of the file.
  bool next(char* data, std::size_t size) {
    const std::size_t got = reader_.read(data, size);
    require(got == 0 || got == size, name_, ": ends too early");
    count(got);
    return got > 0;
  }

  void count(std::size_t bytes) {
    content_ += static_cast<std::int64_t>(bytes);
    require(content_ <= options_.most_content, name_, ": unpacks to more than ", options_.most_content, " bytes");
    if (options_.progress) options_.progress(reader_.position());
  }

  /// To the very end, where gzip's own checksum is.
  void drain() {
    while (const std::size_t got = reader_.read(buffer_.data(), buffer_.size())) count(got);
  }

  void member(const Block& header) {
    const std::string prefix = text(header, 257, 5) == "ustar" ? text(header, 345, 155) : "";
    const std::string path = (prefix.empty() ? "" : prefix + "/") + text(header, 0, 100);
    require(stays_inside(path), name_, ": member \"", path, "\" would be written outside the folder");
    const auto bytes = octal(header, 124, 12);
    require(bytes.has_value(), name_, ": member \"", path, "\" has a size that cannot be read");
    const char type = header[156];
    const bool plain_file = type == '0' || type == '\0';
    const std::string file = std::filesystem::path(path).filename();
    const auto match =
        std::find_if(wanted_.begin(), wanted_.end(), [&](const auto& member) { return member.name == file; });
    AtomicFile* out = nullptr;
    if (plain_file && match != wanted_.end()) {
      require(found_.insert(file).second, name_, ": contains ", file, " twice");
      require(match->bytes == 0 || *bytes == match->bytes, name_, ": ", file, " has ", *bytes, " bytes, expected ",
              match->bytes);
      require(match->bytes > 0 || *bytes <= match->most_bytes, name_, ": ", file, " has ", *bytes,
              " bytes, expected at most ", match->most_bytes);
      files_.push_back(std::make_unique<AtomicFile>(folder_ / file));
      out = files_.back().get();
    }
    copy(*bytes, out);
  }

  /// A member's content, which is padded to whole blocks.
  void copy(std::int64_t bytes, AtomicFile* out) {
    const auto most = static_cast<std::int64_t>(buffer_.size());
    for (std::int64_t left = bytes; left > 0; left -= most) {
      const std::int64_t blocks = (std::min(left, most) + kBlock - 1) / kBlock;
      require(next(buffer_.data(), static_cast<std::size_t>(blocks) * kBlock), name_, ": ends too early");
      if (out) out->write(buffer_.data(), static_cast<std::size_t>(std::min(left, most)));
    }
  }

  std::string name_;
  GzipReader reader_;
  const std::filesystem::path& folder_;
  const std::vector<ArchiveMember>& wanted_;
  const ExtractOptions& options_;
  std::set<std::string> found_;
  std::vector<std::unique_ptr<AtomicFile>> files_;  // in place only once the whole archive is known to be sound
  std::vector<char> buffer_ = std::vector<char>(512 * kBlock);
  std::int64_t content_ = 0;
};

}  // namespace

void extract_tar_gz(const std::filesystem::path& archive, const std::filesystem::path& folder,
                    const std::vector<ArchiveMember>& wanted, const ExtractOptions& options) {
  Extraction(archive, folder, wanted, options).run();
}

}  // namespace scdcf::files
