// Makes the planned runs that a store does not have yet, alone or together with other processes.
#pragma once

#include <functional>
#include <optional>

#include "scdcf/runs/results_store.h"

namespace scdcf::runs {

/// Where a run stands, for those who watch.
struct RunProgress {
  double share = 0;          ///< of the run, in [0, 1]
  std::string text;          ///< "epoch 3/60"
  double seconds_left = -1;  ///< of this run; negative where it cannot tell
};

/// Makes one run and returns its record (accuracy, curve, ...; key, status, provenance are filled in by the queue), or
/// nothing where it was asked to stop. What it throws makes the run a failed one. Called from several threads.
using Runner =
    std::function<std::optional<RunRecord>(const PlannedRun&, const std::function<void(const RunProgress&)>&)>;

struct QueueOptions {
  int jobs = 1;               ///< runs at a time in this process
  bool retry_failed = false;  ///< tries once more those that failed twice
  double poll_seconds = 2;    ///< how often to look whether the runs of other processes have ended
  Provenance provenance;
  std::function<bool()> stop;                      ///< true: begin no further run
  std::function<void(const std::string&)> print;   ///< a line that stays
  std::function<void(const std::string&)> status;  ///< a line that is replaced by the next
};

struct QueueSummary {
  std::int64_t planned = 0;
  std::int64_t had = 0;             ///< done before
  std::int64_t made = 0;            ///< done here
  std::int64_t others = 0;          ///< done meanwhile by other processes
  std::vector<std::string> failed;  ///< "label: error", of runs that have failed for good
  bool stopped = false;
  bool complete() const { return had + made + others == planned; }
};

/// A run that fails is recorded and tried once more, behind the others. Runs that other processes are making are waited
/// for, and made here where such a process dies. Planned twice is made once.
QueueSummary run_queue(const std::vector<PlannedRun>& runs, ResultsStore& store, const Runner& runner,
                       const QueueOptions& options);

}  // namespace scdcf::runs
