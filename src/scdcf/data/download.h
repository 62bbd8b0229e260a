// One file over HTTP, continued where an earlier transfer stopped.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace scdcf::data {

struct DownloadRequest {
  std::string url;
  std::filesystem::path part;   ///< where the bytes go; what it holds already is taken as the beginning
  std::int64_t most_bytes = 0;  ///< a server that sends more is cut off
  /// Told how many bytes there are, how many there will be (0 where the server does not say), and with how many the
  /// transfer began. Called a few times a second.
  std::function<void(std::int64_t done, std::int64_t total, std::int64_t began_with)> progress;
};

struct DownloadResult {
  bool complete = false;   ///< the server sent all it meant to send
  bool resumed = false;    ///< bytes of an earlier transfer are part of the file
  std::int64_t bytes = 0;  ///< in the file now
  std::string cause;       ///< why it is not complete, in one line
};

/// Whether this build can download at all (libcurl).
bool can_download();

/// A transfer that fails is not an error here but an incomplete result: what came stays in `part`. Throws Error where
/// `part` cannot be written, another process is writing it, or this build has no libcurl.
/// Servers that ignore the request for a range send the whole file, which then replaces what was there.
DownloadResult download(const DownloadRequest& request);

}  // namespace scdcf::data
