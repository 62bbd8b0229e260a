// Loaded into a program before all else (LD_PRELOAD): stops the process, as a hang does, at a point of its life that no
// signal from outside would meet. SCDCF_STOP_RANK says which rank; SCDCF_STOP_AT where: "start" (before main), "exit"
// (after it), or the n-th call of a function, as in "connect:2".
#include <dlfcn.h>
#include <signal.h>
#include <sys/socket.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

bool is_chosen(const std::string& point) {
  const char *rank = std::getenv("RANK"), *chosen = std::getenv("SCDCF_STOP_RANK"), *at = std::getenv("SCDCF_STOP_AT");
  return rank != nullptr && chosen != nullptr && at != nullptr && std::strcmp(rank, chosen) == 0 && at == point;
}

void pass(const std::string& point) {
  if (is_chosen(point)) raise(SIGSTOP);
}

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

__attribute__((constructor)) void at_start() {
  if (std::getenv("RANK") != nullptr) unsetenv("LD_PRELOAD");  // not what the rank starts, as for a picture
  pass("start");
}
__attribute__((destructor)) void at_exit() { pass("exit"); }

}  // namespace

extern "C" {

int listen(int socket, int backlog) noexcept {
  static std::atomic<int> calls{0};
  pass("listen:" + std::to_string(++calls));
  return real<int(int, int)>("listen")(socket, backlog);
}

int connect(int socket, const sockaddr* address, socklen_t size) {
  static std::atomic<int> calls{0};
  if (address->sa_family == AF_INET || address->sa_family == AF_INET6) pass("connect:" + std::to_string(++calls));
  return real<int(int, const sockaddr*, socklen_t)>("connect")(socket, address, size);
}

/// "share:n" where a rank sets a value of the store that it shares with the others, "rename:n" where it writes a file.
int rename(const char* from, const char* to) noexcept {
  static std::atomic<int> shared{0}, written{0};
  if (std::strstr(to, "/scdcf-ranks-") != nullptr)
    pass("share:" + std::to_string(++shared));
  else
    pass("rename:" + std::to_string(++written));
  return real<int(const char*, const char*)>("rename")(from, to);
}
}
