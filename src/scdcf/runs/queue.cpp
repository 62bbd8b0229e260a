#include "scdcf/runs/queue.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <set>
#include <thread>

#include "scdcf/core/clock.h"
#include "scdcf/core/error.h"
#include "scdcf/core/for_each.h"
#include "scdcf/core/format.h"
#include "scdcf/core/printable.h"
#include "scdcf/runs/time_left.h"
#include "scdcf/terminal/clock_text.h"

namespace scdcf::runs {
namespace {

constexpr int kAttempts = 2;  // a failed run is tried once more

/// The runs still to be made, and the threads that make them.
class Queue {
 public:
  Queue(const std::vector<PlannedRun>& runs, ResultsStore& store, const Runner& runner, const QueueOptions& options)
      : store_(store), runner_(runner), options_(options) {
    require(options.jobs >= 1, "jobs: got ", options.jobs, ", expected 1 or more");
    std::set<std::string> known;
    for (const auto& run : runs) {
      const auto key = key_of(run);
      if (!known.insert(key).second) continue;
      ++summary_.planned;
      const auto attempts = store.attempts(key);
      if (attempts.done > 0) {
        ++summary_.had;
      } else {
        waiting_.push_back({run, key, options.retry_failed ? std::max(kAttempts, attempts.failed + 1) : kAttempts});
      }
    }
    for (const auto& record : store.records())
      if (record.done() && record.provenance.machine == options.provenance.machine)
        time_left_.add({record.config(), record.measure, ""}, record.seconds);
  }

  QueueSummary run() {
    if (summary_.had > 0 && options_.print)
      options_.print(std::to_string(summary_.had) + " of " + std::to_string(summary_.planned) +
                     " runs are done already");
    const auto jobs = std::min<std::int64_t>(options_.jobs, static_cast<std::int64_t>(waiting_.size()));
    for_each(jobs, jobs, [this](std::int64_t) { guarded_work(); });
    summary_.stopped = stop_requested() && !waiting_.empty();
    return summary_;
  }

 private:
  struct Waiting {
    PlannedRun run;
    std::string key;
    int allowed = kAttempts;  // failures before it is given up
  };

  struct UnderWay {
    PlannedRun run;
    RunProgress progress;
  };

  bool stop_requested() const { return options_.stop && options_.stop(); }

  /// A fault of the store itself (a full disk) ends the queue, not only one thread of it.
  void guarded_work() {
    try {
      work();
    } catch (...) {
      faulty_ = true;
      throw;
    }
  }

  void work() {
    std::size_t refused = 0;  // runs in a row that others are making
    while (auto next = take()) {
      const auto outcome = attempt(*next);
      const std::lock_guard<std::mutex> lock(mutex_);
      --running_;
      if (outcome == Outcome::over) {
        refused = 0;
        continue;
      }
      const bool elsewhere = outcome == Outcome::elsewhere;
      waiting_.push_back(std::move(*next));
      refused = elsewhere ? refused + 1 : 0;
      rest_ = elsewhere && refused >= waiting_.size();
    }
  }

  /// The next run; nothing when all are over or the queue is to stop. Where every run left is in the hands of others,
  /// waits a moment first.
  std::optional<Waiting> take() {
    bool rest = false;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      std::swap(rest, rest_);
    }
    for (const double until = now() + options_.poll_seconds; rest && now() < until && !stop_requested();) {
      show("waiting for the runs of other processes");
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    for (;;) {
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (faulty_ || stop_requested() || (waiting_.empty() && running_ == 0)) return std::nullopt;
        if (!waiting_.empty()) {
          auto next = std::move(waiting_.front());
          waiting_.pop_front();
          ++running_;
          return next;
        }
      }
      // Another thread may yet fail and hand its run back.
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  enum class Outcome { over, elsewhere, again };

  Outcome attempt(const Waiting& waiting) {
    const auto claim = store_.claim(waiting.key);
    if (!claim) return Outcome::elsewhere;
    const auto before = store_.attempts(waiting.key);  // read behind the claim: nobody can add to it now
    const auto label = label_of(waiting.run);
    if (before.done > 0) {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++summary_.others;
      return Outcome::over;
    }
    if (before.failed >= waiting.allowed) {
      give_up(label, last_error(waiting.key));
      return Outcome::over;
    }
    if (claim->was_left()) {
      record(waiting, RunRecord{}, "lost", "its process was killed");
      print(label + ": was lost when its process was killed; made anew");
    }
    const double started = now();
    begin(waiting);
    try {
      auto result = runner_(waiting.run, [&](const RunProgress& p) { progress(waiting.key, p, label); });
      forget(waiting.key);
      if (!result) return Outcome::again;
      if (result->seconds == 0) result->seconds = now() - started;
      record(waiting, *result, "done", "");
      finished(waiting.run, label, *result);
      return Outcome::over;
    } catch (const std::exception& failure) {
      forget(waiting.key);
      const auto error = printable(failure.what());
      RunRecord failed;
      failed.seconds = now() - started;
      record(waiting, failed, "failed", error);
      const bool last = before.failed + 1 >= waiting.allowed;
      print(label + ": FAILED: " + error + (last ? "; given up" : "; will be tried once more"));
      if (!last) return Outcome::again;
      give_up(label, error);
      return Outcome::over;
    }
  }

  void record(const Waiting& waiting, RunRecord record, const char* status, const std::string& error) {
    record.key = waiting.key;
    record.status = status;
    record.error = error;
    record.measure = waiting.run.measure;
    record.asked = train::to_json(waiting.run.config);
    record.seed = waiting.run.config.train.seed;
    record.realisation = waiting.run.config.data.realisation;
    record.provenance = options_.provenance;
    store_.append(record);
  }

  std::string last_error(const std::string& key) {
    std::string error;
    for (const auto& record : store_.records())
      if (record.key == key && record.status == "failed") error = record.error;
    return error;
  }

  void give_up(const std::string& label, const std::string& error) {
    const std::lock_guard<std::mutex> lock(mutex_);
    summary_.failed.push_back(label + ": " + error);
  }

  void finished(const PlannedRun& run, const std::string& label, const RunRecord& result) {
    const auto text = run.measure == Measure::cost ? "done" : format("%.2f%%", 100 * result.accuracy);
    std::string line;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++summary_.made;
      time_left_.add(run, result.seconds);
      line = "[" + std::to_string(over()) + "/" + std::to_string(summary_.planned) + "] " + label + ": " + text +
             " in " + terminal::clock_text(result.seconds) + left_text();
    }
    print(line);
  }

  std::int64_t over() const {
    return summary_.had + summary_.made + summary_.others + static_cast<std::int64_t>(summary_.failed.size());
  }

  /// Of the runs that wait here and those that are under way, less what these have behind them.
  std::string left_text() const {
    double seconds = 0;
    auto speeds = time_left_;
    for (const auto& [key, under] : under_way_) {
      const auto& [share, text, own] = under.progress;
      // Before the first run of its kind is done, the ones under way tell.
      if (speeds.seconds_for(under.run) < 0 && own >= 0 && share < 1) speeds.add(under.run, own / (1 - share));
      const double left = own >= 0 ? own : (1 - share) * speeds.seconds_for(under.run);
      if (left < 0) return "";
      seconds += left;
    }
    for (const auto& waiting : waiting_) {
      const double one = speeds.seconds_for(waiting.run);
      if (one < 0) return "";
      seconds += one;
    }
    return seconds > 0 ? ", about " + terminal::clock_text(seconds / options_.jobs) + " left" : "";
  }

  void progress(const std::string& key, const RunProgress& progress, const std::string& label) {
    if (!options_.status) return;
    std::string line;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      under_way_.at(key).progress = progress;
      line = "[" + std::to_string(over()) + "/" + std::to_string(summary_.planned) + "] " + label + "  " +
             progress.text + left_text();
    }
    options_.status(line);
  }

  void begin(const Waiting& waiting) {
    const std::lock_guard<std::mutex> lock(mutex_);
    under_way_[waiting.key] = {waiting.run, {}};
  }

  void forget(const std::string& key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    under_way_.erase(key);
  }

  void print(const std::string& line) const {
    if (options_.print) options_.print(line);
  }
  void show(const std::string& line) const {
    if (options_.status) options_.status(line);
  }

  ResultsStore& store_;
  const Runner& runner_;
  const QueueOptions& options_;
  std::mutex mutex_;
  std::deque<Waiting> waiting_;
  std::int64_t running_ = 0;
  bool rest_ = false;
  std::atomic<bool> faulty_{false};
  std::map<std::string, UnderWay> under_way_;
  TimeLeft time_left_;
  QueueSummary summary_;
};

}  // namespace

QueueSummary run_queue(const std::vector<PlannedRun>& runs, ResultsStore& store, const Runner& runner,
                       const QueueOptions& options) {
  return Queue(runs, store, runner, options).run();
}

}  // namespace scdcf::runs
