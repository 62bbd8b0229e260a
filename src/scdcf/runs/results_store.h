// Results of independent runs in a folder that several processes may share: DIR/results.jsonl, one line an attempt, and
// DIR/claims, one lock file a run. Killing any of them loses at most the runs that it was in the middle of.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

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
  std::string status;            ///< done, failed, or lost where its process was killed
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
  nlohmann::ordered_json curve;         ///< an object per epoch
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

/// The right to make one run, held by a living process; the kernel takes it back when the process dies.
class Claim {
 public:
  Claim(files::LockableFile file, bool was_left) : file_(std::move(file)), was_left_(was_left) {}
  Claim(Claim&&) noexcept = default;
  ~Claim();
  /// The process that held it before died in the middle of the run.
  bool was_left() const { return was_left_; }

 private:
  files::LockableFile file_;
  bool was_left_ = false;
};

/// Every function may be called from several threads and from several processes with the same folder.
class ResultsStore {
 public:
  /// Makes the folder where it is missing.
  explicit ResultsStore(std::filesystem::path folder);
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
  std::optional<Claim> claim(const std::string& key) const;

 private:
  ResultsStore(std::filesystem::path folder, bool create);
  void refresh();

  std::filesystem::path folder_, file_;
  std::mutex mutex_;
  std::uint64_t read_ = 0;  // bytes of the file that were read
  std::int64_t lines_ = 0;
  std::vector<RunRecord> records_;
  std::vector<std::string> damaged_;
  std::map<std::string, Attempts> attempts_;
};

}  // namespace scdcf::runs
