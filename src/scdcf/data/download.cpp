#include "scdcf/data/download.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "scdcf/core/error.h"

#ifdef SCDCF_WITH_CURL
#  include <curl/curl.h>
#endif

namespace scdcf::data {

#ifndef SCDCF_WITH_CURL

bool can_download() { return false; }
DownloadResult download(const DownloadRequest& request) {
  detail::fail(request.url, ": cannot be downloaded: this scdcf was built without libcurl");
}

#else

namespace {

constexpr long kPartialContent = 206, kRangeNotSatisfiable = 416;
constexpr long kConnectSeconds = 30, kSilentSeconds = 60, kRedirects = 8;

/// The file that grows. Locked, because two transfers into one file would both be lost.
class Part {
 public:
  explicit Part(const std::filesystem::path& path) : name_(path.string()) {
    descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    require(descriptor_ >= 0, name_, ": cannot be written: ", std::strerror(errno));
    struct stat here {
    }, there{};
    // Between open and lock another process may have finished the file and renamed it.
    const bool mine = flock(descriptor_, LOCK_EX | LOCK_NB) == 0 && fstat(descriptor_, &here) == 0 &&
                      stat(path.c_str(), &there) == 0 && here.st_ino == there.st_ino;
    if (!mine) close(descriptor_);
    require(mine, name_, ": another process is fetching this file");
    size_ = lseek(descriptor_, 0, SEEK_END);
  }
  ~Part() { close(descriptor_); }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  std::int64_t size() const { return size_; }
  bool clear() {
    size_ = 0;
    return ftruncate(descriptor_, 0) == 0 && lseek(descriptor_, 0, SEEK_SET) == 0;
  }
  bool append(const char* data, std::size_t size) {
    while (size > 0) {
      const ssize_t written = ::write(descriptor_, data, size);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return false;
      data += written, size -= static_cast<std::size_t>(written), size_ += written;
    }
    return true;
  }
  /// What came has to be on the disk before it gets its final name.
  void sync() { require(fsync(descriptor_) == 0, name_, ": cannot be written: ", std::strerror(errno)); }

 private:
  std::string name_;
  int descriptor_ = -1;
  std::int64_t size_ = 0;
};

struct Transfer {
  CURL* curl = nullptr;
  const DownloadRequest& request;
  Part& part;
  std::int64_t began_with = 0;
  bool started = false;
  int write_error = 0;    // errno of a write that failed
  std::string refusal{};  // why this side gave up
};

/// Called with the first bytes of the body: does the server continue the file or send it again from the beginning?
bool begin_body(Transfer& transfer) {
  transfer.started = true;
  long code = 0;
  curl_easy_getinfo(transfer.curl, CURLINFO_RESPONSE_CODE, &code);
  if (transfer.began_with == 0 || code == kPartialContent) return true;
  transfer.began_with = 0;
  if (transfer.part.clear()) return true;
  transfer.write_error = errno;
  return false;
}

std::size_t take(char* data, std::size_t one, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  const std::size_t size = one * count;
  if (!transfer.started && !begin_body(transfer)) return 0;
  if (transfer.part.size() + static_cast<std::int64_t>(size) > transfer.request.most_bytes) {
    transfer.refusal = "the server sends more than the " + std::to_string(transfer.request.most_bytes) +
                       " bytes that were expected at most";
    return 0;
  }
  if (transfer.part.append(data, size)) return size;
  transfer.write_error = errno;
  return 0;
}

int tell(void* user, curl_off_t total, curl_off_t done, curl_off_t, curl_off_t) {
  const auto& transfer = *static_cast<Transfer*>(user);
  if (transfer.request.progress && done > 0)
    transfer.request.progress(transfer.part.size(), total > 0 ? transfer.began_with + total : 0, transfer.began_with);
  return 0;
}

struct Handle {
  Handle() {
    static const CURLcode once = curl_global_init(CURL_GLOBAL_DEFAULT);
    curl = once == CURLE_OK ? curl_easy_init() : nullptr;
    require(curl != nullptr, "libcurl does not start");
  }
  ~Handle() { curl_easy_cleanup(curl); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  CURL* curl = nullptr;
};

void set_options(Transfer& transfer, char* message) {
  CURL* curl = transfer.curl;
  curl_easy_setopt(curl, CURLOPT_URL, transfer.request.url.c_str());
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, message);
#  if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#  else
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
#  endif
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl, CURLOPT_MAXREDIRS, kRedirects);
  curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, kSilentSeconds);
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "scdcf");
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &take);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, &tell);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &transfer);
  // As a plain range, not as libcurl's "resume": that one gives up where the server ignores it.
  const std::string range = std::to_string(transfer.began_with) + "-";
  if (transfer.began_with > 0) curl_easy_setopt(curl, CURLOPT_RANGE, range.c_str());
}

}  // namespace

bool can_download() { return true; }

DownloadResult download(const DownloadRequest& request) {
  Part part(request.part);
  const Handle handle;
  char message[CURL_ERROR_SIZE] = "";
  Transfer transfer{handle.curl, request, part, part.size()};
  set_options(transfer, message);
  const CURLcode code = curl_easy_perform(handle.curl);
  require(transfer.write_error == 0, request.part.string(),
          ": cannot be written: ", std::strerror(transfer.write_error));
  long status = 0;
  curl_easy_getinfo(handle.curl, CURLINFO_RESPONSE_CODE, &status);
  DownloadResult result;
  result.complete = code == CURLE_OK;
  if (status == kRangeNotSatisfiable && transfer.began_with > 0) {
    // Nothing is left to send: what is there is the whole file, or no beginning of it. The checksum tells.
    result.complete = true;
  } else if (code == CURLE_HTTP_RETURNED_ERROR) {
    result.cause = "the server answers " + std::to_string(status) + (status == 404 ? " (not found)" : "");
  } else if (code != CURLE_OK) {
    result.cause = !transfer.refusal.empty() ? transfer.refusal : *message ? message : curl_easy_strerror(code);
  }
  result.resumed = transfer.began_with > 0;
  result.bytes = part.size();
  part.sync();
  return result;
}

#endif

}  // namespace scdcf::data
