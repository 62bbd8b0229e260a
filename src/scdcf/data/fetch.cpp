#include "scdcf/data/fetch.h"

#include <algorithm>
#include <fstream>
#include <memory>
#include <vector>

#include "scdcf/core/error.h"
#include "scdcf/core/sha256.h"
#include "scdcf/data/download.h"
#include "scdcf/data/places.h"
#include "scdcf/files/atomic_file.h"
#include "scdcf/files/gzip_reader.h"
#include "scdcf/files/make_folder.h"

namespace scdcf::data {
namespace {

namespace fs = std::filesystem;
using Digest = SourceFile::Digest;

enum class Verdict { right, too_short, wrong };

/// Bytes of a file or of the content of a gzip file, whichever the digest is of.
class Content {
 public:
  Content(const fs::path& file, Digest digest) {
    if (digest == Digest::content)
      gzip_ = std::make_unique<files::GzipReader>(file);
    else
      plain_.open(file, std::ios::binary);
  }
  std::size_t read(char* data, std::size_t size) {
    if (gzip_) return gzip_->read(data, size);
    plain_.read(data, static_cast<std::streamsize>(size));
    return static_cast<std::size_t>(plain_.gcount());
  }

 private:
  std::unique_ptr<files::GzipReader> gzip_;
  std::ifstream plain_;
};

/// Makes a folder, and takes back those that it had to make where nothing came into them.
class NewFolders {
 public:
  explicit NewFolders(const fs::path& folder) {
    std::error_code failed;
    for (auto path = fs::absolute(folder); !fs::exists(path, failed) && path.has_relative_path();
         path = path.parent_path())
      made_.push_back(path);
    files::make_folder(folder);
  }
  ~NewFolders() {
    std::error_code not_empty;
    for (const auto& path : made_) fs::remove(path, not_empty);
  }
  NewFolders(const NewFolders&) = delete;
  NewFolders& operator=(const NewFolders&) = delete;

 private:
  std::vector<fs::path> made_;  // the deepest first
};

class Fetch {
 public:
  Fetch(const Source& source, const FetchOptions& options)
      : source_(source), options_(options), folder_(options.data_dir / source.name) {
    if (!options.mirror.empty())
      bases_ = {options.mirror};
    else
      bases_ = source.bases;
    for (auto& base : bases_)
      while (!base.empty() && base.back() == '/') base.pop_back();
  }

  fs::path run() {
    const NewFolders made(folder_);
    for (const auto& file : source_.files)
      if (!is_there(file)) get(file);
    return folder_;
  }

 private:
  /// An archive is there when its members are; any other file when its checksum is right.
  bool is_there(const SourceFile& file) {
    const fs::path place = folder_ / file.name;
    std::error_code missing;
    if (file.members.empty()) {
      if (!fs::exists(place, missing)) return false;
      const bool right = check(file, place) == Verdict::right;
      note(place.string() + (right ? ": already there" : ": its checksum is wrong; fetching it again"));
      return right;
    }
    const bool all = std::all_of(file.members.begin(), file.members.end(), [&](const files::ArchiveMember& member) {
      const auto bytes = fs::file_size(folder_ / member.name, missing);
      return !missing && (member.bytes == 0 || bytes == static_cast<std::uintmax_t>(member.bytes));
    });
    if (all) note(folder_.string() + ": already there");
    return all;
  }

  void get(const SourceFile& file) {
    const fs::path part = folder_ / (file.name + ".part");
    if (could_be_whole(file, part) && check(file, part) == Verdict::right) return finish(file, part);
    std::string causes;
    for (const auto& base : bases_) {
      const std::string url = base + "/" + file.name;
      const std::string cause = from(url, file, part);
      if (cause.empty()) return finish(file, part);
      if (!causes.empty()) causes += "; ";
      causes.append(url).append(": ").append(cause);
    }
    std::error_code missing;
    const auto kept = fs::file_size(part, missing);
    if (!missing && kept == 0) fs::remove(part, missing);
    const bool resumable = !missing && kept > 0;
    detail::fail(causes, resumable ? "; " + part.string() + " keeps the " + std::to_string(kept) +
                                         " bytes that came: run `" + options_.command + "` again to continue"
                                   : "");
  }

  /// Empty when `part` holds the right file, else why not.
  std::string from(const std::string& url, const SourceFile& file, const fs::path& part) {
    for (;;) {
      const auto result = download({url, part, most_bytes(file), [&](auto done, auto total, auto began_with) {
                                      tell({FetchProgress::Stage::download, file.name, done, total, began_with});
                                    }});
      if (!result.complete) return result.cause;
      const Verdict verdict = check(file, part);
      if (verdict == Verdict::right) return "";
      // A stream without a length can end early and look complete.
      if (verdict == Verdict::too_short && !result.resumed) return "the transfer ended too early";
      fs::remove(part);
      const std::string wrong = "the SHA-256 checksum is wrong";
      if (!result.resumed) return wrong + "; what came was deleted";
      // The earlier bytes may be of another copy of the file, so that this one deserves a whole chance.
      note(part.string() + ": " + wrong + "; deleted, fetching it from the beginning");
    }
  }

  void finish(const SourceFile& file, const fs::path& part) {
    std::error_code failed;
    if (file.members.empty()) {
      fs::rename(part, folder_ / file.name, failed);
      require(!failed, (folder_ / file.name).string(), ": cannot be put in place: ", failed.message());
      files::sync_folder(folder_);
      return note((folder_ / file.name).string() + ": fetched, checksum right");
    }
    const auto bytes = static_cast<std::int64_t>(fs::file_size(part));
    files::ExtractOptions extract;
    extract.progress = [&](std::int64_t done) { tell({FetchProgress::Stage::unpack, file.name, done, bytes, 0}); };
    files::extract_tar_gz(part, folder_, file.members, extract);
    fs::remove(part, failed);  // its members are in place: what is left costs only space
    note(folder_.string() + ": fetched, checksum right, unpacked");
  }

  Verdict check(const SourceFile& file, const fs::path& path) {
    Sha256 hash;
    std::int64_t size = 0;
    try {
      Content content(path, file.digest);
      std::vector<char> buffer(1 << 18);
      while (const std::size_t got = content.read(buffer.data(), buffer.size())) {
        hash.add(buffer.data(), got);
        size += static_cast<std::int64_t>(got);
        if (size > file.bytes) return Verdict::wrong;
        tell({FetchProgress::Stage::check, file.name, size, file.bytes, 0});
      }
    } catch (const files::TruncatedGzip&) {
      return Verdict::too_short;
    } catch (const Error&) {  // not gzip, or damaged
      return Verdict::wrong;
    }
    if (size < file.bytes && file.digest == Digest::file) return Verdict::too_short;
    return hash.hex() == file.sha256 ? Verdict::right : Verdict::wrong;
  }

  /// Reading a part of gigabytes in vain takes long, so only one of the right size is checked before it is continued.
  static bool could_be_whole(const SourceFile& file, const fs::path& part) {
    std::error_code missing;
    const auto bytes = fs::file_size(part, missing);
    return !missing && (file.digest == Digest::content || bytes == static_cast<std::uintmax_t>(file.bytes));
  }

  /// gzip adds a little to what it cannot compress.
  static std::int64_t most_bytes(const SourceFile& file) {
    return file.digest == Digest::content ? file.bytes + file.bytes / 1000 + 1024 : file.bytes;
  }

  void tell(const FetchProgress& progress) const {
    if (options_.progress) options_.progress(progress);
  }
  void note(const std::string& line) const {
    if (options_.note) options_.note(line);
  }

  const Source& source_;
  const FetchOptions& options_;
  fs::path folder_;
  std::vector<std::string> bases_;
};

}  // namespace

fs::path user_data_dir() {
  const std::string cache = cache_folder();
  require(!cache.empty(), "data_dir: got none, and HOME is not set: expected a folder for the data sets");
  return cache;
}

fs::path fetch(const Source& source, const FetchOptions& options) {
  require(can_download(), source.name, ": cannot be fetched: this scdcf was built without libcurl");
  return Fetch(source, options).run();
}

}  // namespace scdcf::data
