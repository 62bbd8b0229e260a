#include "interrupt.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace scdcf::app {
namespace {

constexpr std::int64_t kSameRequest = 2'000'000'000;  // nanoseconds
constexpr std::array<int, 4> kSignals = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

std::atomic<std::int64_t> asked_at{0};  // 0: not yet
std::atomic<int> unsaved{0};
std::atomic<const char*> last_line{nullptr};
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "a signal handler may wait for nobody");
std::array<struct sigaction, kSignals.size()> before;

/// Nothing else may be called in a signal handler. On a terminal the line that renews itself stays above.
void write_line(int descriptor, const char* line) {
  [[maybe_unused]] ssize_t written = isatty(descriptor) != 0 ? write(descriptor, "\n", 1) : 0;
  written = write(descriptor, line, std::strlen(line));
}

void on_signal(int signal) {
  const int error = errno;
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  const std::int64_t now = time.tv_sec * 1'000'000'000LL + time.tv_nsec;
  std::int64_t first = 0;
  if (asked_at.compare_exchange_strong(first, now)) {
    write_line(STDERR_FILENO, "stopping ...\n");
    if (unsaved == 0) {
      if (const char* line = last_line) write_line(STDOUT_FILENO, line);
      _exit(kStopped);
    }
  } else if (signal != SIGPIPE && now - first > kSameRequest) {
    ::signal(signal, SIG_DFL);
    raise(signal);
  }
  errno = error;
}

}  // namespace

InterruptScope::InterruptScope() {
  asked_at = 0;
  last_line = nullptr;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before[i]);
    if (before[i].sa_handler != SIG_IGN || kSignals[i] == SIGPIPE) sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptScope::~InterruptScope() {
  if (requested()) return;  // the program is about to end: the same request once more must not end it in another way
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before[i], nullptr);
}

bool InterruptScope::requested() { return asked_at != 0; }

void InterruptScope::set_last_line(const char* line) { last_line = line; }

UnsavedWork::UnsavedWork() { ++unsaved; }

UnsavedWork::~UnsavedWork() { --unsaved; }

}  // namespace scdcf::app
