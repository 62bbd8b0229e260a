#include "scdcf/distributed/launch.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "scdcf/core/clock.h"
#include "scdcf/core/error.h"
#include "scdcf/core/format.h"
#include "scdcf/distributed/group.h"
#include "scdcf/distributed/rank_process.h"

namespace scdcf::distributed {
namespace {

constexpr double kBeat = 0.25;  // seconds
constexpr double kStart = 30;   // seconds at least for a process to start in
constexpr double kGrace = 5;    // seconds from the first loss to the end of all
constexpr int kStopped = 130;

/// A folder that only this user can enter (mode 0700); removed with its files when this object goes.
class PrivateFolder {
 public:
  PrivateFolder() : path_((std::filesystem::temp_directory_path() / "scdcf-ranks-XXXXXX").string()) {
    require(mkdtemp(path_.data()) != nullptr, "processes: ", path_, ": ", std::strerror(errno));
  }
  ~PrivateFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// One beat of a pulse. Nobody is there any more where it fails, and then this process ends too.
void beat(int descriptor) {
  constexpr char kSign = '.';
  [[maybe_unused]] const auto written = write(descriptor, &kSign, 1);
}

using Ranks = std::vector<std::unique_ptr<RankProcess>>;

std::string name_of(const RankProcess& rank) { return "rank " + std::to_string(rank.rank()); }

/// Kills those that hang; what there is to say of the one that was the first to.
std::string end_silent(const Ranks& ranks, double timeout_seconds) {
  std::string first;
  double longest = 0;
  for (const auto& rank : ranks) {
    const double patience = rank->has_pulse() ? timeout_seconds : start_seconds(timeout_seconds);
    if (!rank->is_running() || rank->was_forced() || rank->silence() <= patience) continue;
    rank->end_by_force();
    if (rank->silence() <= longest) continue;
    longest = rank->silence();
    first = name_of(*rank) +
            format(rank->has_pulse() ? " has given no sign of life for %g s" : " did not start within %g s", patience);
  }
  return first;
}

/// What there is to say of one that died, failed by itself, or hung (`silent`); nothing as long as nobody did. Ctrl-C
/// in a terminal ends ranks that have only started: no failure, where all were `asked` to stop.
std::optional<LaunchResult> cause_among(const Ranks& ranks, const std::string& silent, bool asked) {
  for (const auto& rank : ranks)
    if (rank->signal() != 0 && !rank->was_forced() && !(asked && rank->signal() == SIGINT))
      return LaunchResult{kLostRank, name_of(*rank) + format(" was killed by signal %d (%s)", rank->signal(),
                                                             strsignal(rank->signal()))};
  for (const auto& rank : ranks)
    if (rank->code() > 0 && rank->code() != kLostRank && rank->code() != kStopped)
      return LaunchResult{rank->code(), (rank->rank() == 0 ? "" : name_of(*rank) + ": ") + rank->last_line()};
  if (!silent.empty()) return LaunchResult{kLostRank, silent};
  return std::nullopt;
}

/// The end of all where no cause was seen: that they were `asked` to stop, or whom the others have lost.
LaunchResult end_without_cause(const Ranks& ranks, bool asked) {
  for (const auto& rank : ranks)
    if (asked && (rank->code() == kStopped || rank->signal() != 0)) return {kStopped, ""};
  for (const auto& rank : ranks)
    if (rank->code() == kLostRank && !rank->last_line().empty()) return {kLostRank, rank->last_line()};
  for (const auto& rank : ranks)
    if (rank->was_forced()) return {kLostRank, name_of(*rank) + " did not end with the others and was killed"};
  for (const auto& rank : ranks)
    if (rank->code() == kStopped) return {kStopped, ""};
  for (const auto& rank : ranks)
    if (rank->code() != 0) return {rank->code(), name_of(*rank) + " ended without a message"};
  return {};
}

}  // namespace

double start_seconds(double timeout_seconds) { return std::max(kStart, timeout_seconds); }

LaunchResult launch_ranks(int count, double timeout_seconds, const std::function<bool()>& stop) {
  const PrivateFolder store;  // outlives the ranks
  Ranks ranks;
  for (int rank = 0; rank < count; ++rank) ranks.push_back(std::make_unique<RankProcess>(rank, count, store.path()));
  bool asked = false;
  double lost_at = 0;
  std::optional<LaunchResult> cause;  // the first: what comes after it may have come of it
  for (bool running = true; running; std::this_thread::sleep_for(std::chrono::milliseconds(20))) {
    running = false;
    for (auto& rank : ranks) {
      rank->look();
      running = running || rank->is_running();
      const bool ended_badly = !rank->is_running() && rank->code() != 0 && rank->code() != kStopped;
      if (ended_badly && lost_at == 0) lost_at = now();
    }
    if (!asked && stop()) {
      asked = true;
      for (auto& rank : ranks) rank->has_pulse() ? rank->send(SIGTERM) : rank->end_by_force();
    }
    const auto silent = end_silent(ranks, timeout_seconds);
    if (!cause) cause = cause_among(ranks, silent, asked);
    if (cause && lost_at == 0) lost_at = now();
    if (lost_at != 0 && now() - lost_at > kGrace)
      for (auto& rank : ranks) rank->end_by_force();
    // One that a driver or a disk holds in the kernel does not end even so.
    if (lost_at != 0 && now() - lost_at > 2 * kGrace) break;
  }
  return cause ? *cause : end_without_cause(ranks, asked);
}

bool is_launched() { return std::getenv(kPulse) != nullptr; }

Pulse::Pulse() {
  const char* text = std::getenv(kPulse);
  if (text == nullptr) return;
  const int descriptor = std::atoi(text);
  // Whoever is to feel it may be stopped: that must not stop this process in the end.
  require(fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0, kPulse, ": got \"", text,
          "\", expected the descriptor that the process which starts ranks has opened");
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  beat(descriptor);
  thread_ = std::thread([this, descriptor] {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!over_changed_.wait_for(lock, std::chrono::duration<double>(kBeat), [this] { return is_over_; }))
      beat(descriptor);
  });
}

Pulse::~Pulse() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_over_ = true;
  }
  over_changed_.notify_all();
  thread_.join();
}

}  // namespace scdcf::distributed
