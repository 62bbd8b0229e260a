// Runs that take no training, and processes that make them.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "scdcf/runs/queue.h"

namespace scdcf::testing {

/// `count` runs that differ in their realisation.
inline std::vector<runs::PlannedRun> some_runs(int count) {
  std::vector<runs::PlannedRun> runs(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) runs[static_cast<std::size_t>(i)].config.data.realisation = i;
  return runs;
}

inline void sleep_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

/// An accuracy that tells which run it was.
inline runs::RunRecord fake_result(const runs::PlannedRun& run) {
  runs::RunRecord record;
  record.accuracy = 0.5 + 0.01 * run.config.data.realisation;
  record.seconds = 1;
  return record;
}

inline runs::Runner fake_runner(int ms = 0) {
  return [ms](const runs::PlannedRun& run, const auto&) {
    sleep_ms(ms);
    return std::optional<runs::RunRecord>(fake_result(run));
  };
}

inline runs::QueueOptions quiet_options(int jobs = 1) {
  runs::QueueOptions options;
  options.jobs = jobs;
  options.poll_seconds = 0.05;
  return options;
}

/// Runs `work` in a process of its own; its exit code is 0 unless it throws.
inline pid_t in_process(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child != 0) return child;
  int code = 0;
  try {
    work();
  } catch (...) {
    code = 1;
  }
  _exit(code);
}

inline int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

/// How often each key has a record of this status.
inline std::map<std::string, int> times(runs::ResultsStore& store, const std::string& status) {
  std::map<std::string, int> counts;
  for (const auto& record : store.records())
    if (record.status == status) ++counts[record.key];
  return counts;
}

}  // namespace scdcf::testing
