#include "interrupt.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>

namespace scdcf::app {
namespace {

constexpr std::int64_t kSameRequest = 2'000'000'000;  // nanoseconds
constexpr std::array<int, 4> kSignals = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

std::atomic<std::int64_t> asked_at{0};  // 0: not yet
std::atomic<bool> saves{false};
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "a signal handler may wait for nobody");
std::array<struct sigaction, kSignals.size()> before;

void on_signal(int signal) {
  const int error = errno;
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  const std::int64_t now = time.tv_sec * 1'000'000'000LL + time.tv_nsec;
  std::int64_t first = 0;
  if (asked_at.compare_exchange_strong(first, now)) {
    constexpr char kLine[] = "\nstopping ...\n";
    const bool below = isatty(STDERR_FILENO) != 0;  // the line that renews itself
    [[maybe_unused]] const auto written = write(STDERR_FILENO, kLine + !below, sizeof(kLine) - 1 - !below);
    if (!saves) _exit(kStopped);
  } else if (signal != SIGPIPE && now - first > kSameRequest) {
    ::signal(signal, SIG_DFL);
    raise(signal);
  }
  errno = error;
}

}  // namespace

InterruptScope::InterruptScope() {
  asked_at = 0;
  saves = false;
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

void InterruptScope::defer() { saves = true; }

}  // namespace scdcf::app
