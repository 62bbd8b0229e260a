// One of the processes that launch_ranks starts, as its parent sees it.
#pragma once

#include <sys/types.h>

#include <string>

namespace scdcf::distributed {

/// In the environment of a rank that was launched: the descriptor it shows its pulse at, the folder of the ranks'
/// store.
inline constexpr const char* kPulse = "SCDCF_PULSE";
inline constexpr const char* kStore = "SCDCF_STORE";

class RankProcess {
 public:
  /// This program once more, with the same arguments, as rank `rank` of `count`. It dies with the thread that started
  /// it.
  RankProcess(int rank, int count, const std::string& store);
  /// Kills it.
  ~RankProcess();
  RankProcess(const RankProcess&) = delete;
  RankProcess& operator=(const RankProcess&) = delete;

  /// Takes what it wrote, its pulse and its end.
  void look();
  void send(int signal) const;
  /// Kills it: also a process that is stopped ends so.
  void end_by_force();

  int rank() const { return rank_; }
  bool is_running() const { return running_; }
  bool was_forced() const { return was_forced_; }
  /// Whether its pulse was felt ever, and for how many seconds it was not.
  bool has_pulse() const { return has_pulse_; }
  double silence() const;
  /// How it ended; 0 and -1 where it was the other way.
  int signal() const;
  int code() const;
  /// What it said last, without the name of the program.
  std::string last_line() const;

 private:
  int rank_;
  pid_t process_ = 0;
  int errors_ = -1, pulse_ = -1;  // what is read from
  bool running_ = true, was_forced_ = false, has_pulse_ = false;
  double felt_;  // when its pulse was, last
  int status_ = 0;
  std::string text_;
};

}  // namespace scdcf::distributed
