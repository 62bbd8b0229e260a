// Who is still there: every process shows a sign of life in a store that all can read, and judges those of the others.
#pragma once

#include <torch/csrc/distributed/c10d/Store.hpp>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "scdcf/core/clock.h"
#include "scdcf/distributed/group.h"

namespace scdcf::distributed {

/// Two threads: one talks to the store, which may block for good where rank 0 hangs; the other judges by the clock and
/// ends the process where the thread that computes does not.
class Watch {
 public:
  Watch(c10::intrusive_ptr<c10d::Store> store, const Place& place, const GroupOptions& options);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// A step that all ranks count alike: who has counted least is behind.
  void count_call() { ++calls_; }
  /// Throws LostRank where somebody was found lost.
  void check();
  /// After a call that failed: finds out who is lost and throws LostRank.
  [[noreturn]] void throw_lost();
  bool tell_failure(const std::string& why);
  /// From now on this process takes its leave, and is ended where that takes longer than a sign of life may.
  void expect_end() { ending_since_ = now(); }
  /// From now on this process is not missed.
  void leave();

 private:
  struct Verdict {
    std::string text;
    bool is_told = false;
  };
  /// What a rank showed last, and since when.
  struct Sign {
    std::string text;
    double since = 0;
  };

  void beat();
  void judge();
  void wait_for_others_to_leave();
  void look_at(int rank);
  std::string sign_of(int rank);
  std::string text_of(const std::string& key);
  void set(const std::string& key, const std::string& text);
  /// The first verdict stands. `is_told`: somebody else tells the user.
  void condemn(const std::string& text, bool is_told);
  void condemn_first(const std::string& why);
  bool publish(const std::string& text);
  bool reports_too() const;
  /// How often a sign of life is shown, and how long it takes to see that somebody shows none.
  double beat_seconds() const;
  double roll_call_seconds() const;
  std::string roll_call();
  std::optional<Verdict> verdict() const;
  std::string with_advice(const std::string& text) const;

  c10::intrusive_ptr<c10d::Store> store_;
  Place place_;
  GroupOptions options_;
  std::atomic<std::uint64_t> calls_{0};
  std::atomic<bool> leaving_{false}, over_{false};
  std::atomic<bool> informed_{false};  // the thread that computes is on its way out
  std::atomic<double> answered_;       // when the store did last
  std::atomic<double> ending_since_{0};
  mutable std::mutex mutex_;
  std::condition_variable woken_;  // to leave
  std::optional<Verdict> verdict_;
  std::vector<Sign> signs_;
  std::thread beat_, judge_;
};

}  // namespace scdcf::distributed
