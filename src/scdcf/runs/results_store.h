// Results of independent runs in a folder that several processes may share: DIR/results.jsonl, one line an attempt, and
// DIR/claims, a lock file and a lease for each run. Killing any of them, or losing its machine, loses at most the runs
// that it was in the middle of.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "scdcf/files/lease.h"
#include "scdcf/files/lockable_file.h"
#include "scdcf/runs/planned_run.h"

namespace scdcf::runs {

/// Where and with what a run was made.
struct Provenance {
  std::string commit, scdcf, torch;
  std::string machine;  ///< host and what it computes with
};

/// One line of the store.
struct RunRecord {
  std::string key;
  std::string status;            ///< done, failed, or lost where its process was killed; read: outdated (outdated.h)
  nlohmann::ordered_json asked;  ///< the configuration as it was planned: what the key is made of
  nlohmann::ordered_json used;   ///< the same with every default filled in; empty where it did not come to that
  Measure measure = Measure::accuracy;
  std::uint64_t seed = 0;
  int realisation = 0;
  std::string data_checksum;
  double accuracy = 0;  ///< on the test set, in [0, 1]
  double best_validation = 0;
  std::int64_t best_epoch = 0;          ///< counted from 1
  double seconds = 0;                   ///< of training
  nlohmann::ordered_json curve;         ///< an object per epoch; of realisation 0 alone
  nlohmann::ordered_json measurements;  ///< what Measure asked for
  std::string error;                    ///< of a failed one
  std::string time;                     ///< when it ended, UTC, ISO 8601
  Provenance provenance;

  bool done() const { return status == "done"; }
  /// The configuration as it was planned.
  train::RunConfig config() const { return train::config_from_json(asked); }
};

nlohmann::ordered_json to_json(const RunRecord& record);
/// Throws Error for what is not a record.
RunRecord record_from_json(const nlohmann::ordered_json& json);

/// The right to make one run, held by a living process. When it dies, the kernel gives the lock back to the processes
/// of its machine at once; those of others wait until its lease is over.
class Claim {
 public:
  Claim(files::LockableFile lock, files::Lease lease) : lock_(std::move(lock)), lease_(std::move(lease)) {}
  /// The process that held it before died in the middle of the run.
  bool was_left() const { return lease_.was_left(); }

 private:
  files::LockableFile lock_;
  files::Lease lease_;  // given back first
};

/// Every function may be called from several threads and from several processes with the same folder.
class ResultsStore {
 public:
  /// A holder of a claim that is not heard of for so long, on another machine, is lost.
  static constexpr double kLeaseSeconds = 60;
  /// Makes the folder where it is missing.
  explicit ResultsStore(std::filesystem::path folder, double lease_seconds = kLeaseSeconds);
  /// Of a folder that must be there already; changes nothing.
  static ResultsStore open(const std::filesystem::path& folder);
  ResultsStore(ResultsStore&&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  /// Adds a line in one write, under a lock. A line that a killed process left half written is cut off first.
  void append(const RunRecord& record);
  /// Every record so far, those of other processes included.
  std::vector<RunRecord> records();
  /// Whole lines that are no records, "FILE:LINE: why".
  std::vector<std::string> damaged_lines();
  /// Attempts at a run so far.
  struct Attempts {
    int done = 0, failed = 0, lost = 0;
  };
  Attempts attempts(const std::string& key);
  /// Nothing where another process or thread is making the run.
  std::optional<Claim> claim(const std::string& key);

 private:
  ResultsStore(std::filesystem::path folder, bool create, double lease_seconds);
  files::Lease turn_to_write();  ///< behind a lock of the file
  void refresh();

  std::filesystem::path folder_, file_;
  files::LeaseTaker claims_, turns_;
  std::mutex mutex_;
  std::uint64_t read_ = 0;  // bytes of the file that were read
  std::int64_t lines_ = 0;
  std::vector<RunRecord> records_;
  std::vector<std::string> damaged_;
  std::map<std::string, Attempts> attempts_;
};

}  // namespace scdcf::runs
