// A small HTTP server on the loopback for tests, with the faults of real ones. Serves one connection after the other
// from a thread of its own, for a bounded number of requests and a bounded time.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace scdcf::testing {

class HttpServer {
 public:
  struct File {
    std::string bytes;
    bool ranges = true;              ///< honours Range; else sends the whole file with 200
    bool tells_length = true;        ///< without it the end of the connection is the end of the file
    std::size_t stops_after = ~0UL;  ///< bytes of the body of the next answer; later answers are whole
    std::string moved_to{};          ///< answers 302 with this place
  };

  HttpServer() {
    setenv("no_proxy", "127.0.0.1", 1);  // a proxy could not reach this machine's loopback
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* general = reinterpret_cast<sockaddr*>(&address);
    if (listener_ < 0 || bind(listener_, general, size) != 0 || listen(listener_, 8) != 0 ||
        getsockname(listener_, general, &size) != 0)
      throw std::runtime_error("no port on the loopback for the test's server");
    url_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    thread_ = std::thread([this] { serve(); });
  }
  ~HttpServer() {
    stop_ = true;
    thread_.join();
    close(listener_);
  }
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// Without a slash at its end.
  const std::string& url() const { return url_; }
  void put(const std::string& path, File file) {
    const std::lock_guard lock(mutex_);
    files_[path] = std::move(file);
  }
  void put(const std::string& path, const std::string& bytes) { put(path, File{bytes}); }
  /// "path" or "path from 123" for every request so far.
  std::vector<std::string> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  static constexpr int kMostRequests = 100;
  static constexpr auto kLongest = std::chrono::seconds(300);

  void serve() {
    const auto deadline = std::chrono::steady_clock::now() + kLongest;
    for (int served = 0; served < kMostRequests && !stop_ && std::chrono::steady_clock::now() < deadline;) {
      if (!readable(listener_, 20)) continue;
      const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) continue;
      ++served;
      answer(connection);
      close(connection);
    }
  }

  static bool readable(int descriptor, int milliseconds) {
    pollfd waiting{descriptor, POLLIN, 0};
    return poll(&waiting, 1, milliseconds) > 0;
  }

  void answer(int connection) {
    std::string request;
    while (request.find("\r\n\r\n") == std::string::npos && request.size() < 16384 && readable(connection, 2000)) {
      char buffer[2048];
      const ssize_t got = recv(connection, buffer, sizeof buffer, 0);
      if (got <= 0) return;
      request.append(buffer, static_cast<std::size_t>(got));
    }
    const auto begin = request.find(" /"), end = request.find(' ', begin + 1);
    if (begin == std::string::npos || end == std::string::npos) return;
    const std::string path = request.substr(begin + 2, end - begin - 2);
    const auto range = request.find("Range: bytes=");
    const std::size_t from = range == std::string::npos ? 0 : std::strtoul(request.c_str() + range + 13, nullptr, 10);
    send_all(connection, response(path, from));
  }

  std::string response(const std::string& path, std::size_t from) {
    const std::lock_guard lock(mutex_);
    requests_.push_back(path + (from > 0 ? " from " + std::to_string(from) : ""));
    const auto found = files_.find(path);
    if (found == files_.end()) return head("404 Not Found", 9) + "not here\n";
    File& file = found->second;
    if (!file.moved_to.empty())
      return "HTTP/1.1 302 Found\r\nLocation: " + file.moved_to + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    const bool partial = from > 0 && file.ranges;
    const std::size_t all = file.bytes.size();
    if (partial && from >= all) return head("416 Range Not Satisfiable", 0);
    const std::string body = file.bytes.substr(partial ? from : 0);
    const std::string place = "Content-Range: bytes " + std::to_string(from) + "-" + std::to_string(all - 1) + "/" +
                              std::to_string(all) + "\r\n";
    const std::size_t sent = std::min(body.size(), std::exchange(file.stops_after, ~0UL));
    return head(partial ? "206 Partial Content" : "200 OK", file.tells_length ? static_cast<long>(body.size()) : -1,
                partial ? place : "") +
           body.substr(0, sent);
  }

  static std::string head(const std::string& status, long length, const std::string& more = "") {
    return "HTTP/1.1 " + status + "\r\n" + more +
           (length < 0 ? "" : "Content-Length: " + std::to_string(length) + "\r\n") + "Connection: close\r\n\r\n";
  }

  static void send_all(int connection, const std::string& bytes) {
    for (std::size_t sent = 0; sent < bytes.size();) {
      const ssize_t now = send(connection, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (now <= 0) return;
      sent += static_cast<std::size_t>(now);
    }
    shutdown(connection, SHUT_WR);
    char rest[256];  // until the other side has closed too, so that nothing in flight is lost
    while (readable(connection, 500) && recv(connection, rest, sizeof rest, 0) > 0) {
    }
  }

  int listener_ = -1;
  std::string url_;
  mutable std::mutex mutex_;
  std::map<std::string, File> files_;
  std::vector<std::string> requests_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace scdcf::testing
