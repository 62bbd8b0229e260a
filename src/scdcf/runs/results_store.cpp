#include "scdcf/runs/results_store.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "scdcf/core/error.h"
#include "scdcf/files/json.h"
#include "scdcf/files/make_folder.h"
#include "scdcf/files/utc_time.h"
#include "scdcf/runs/outdated.h"

namespace scdcf::runs {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Lock = files::LockableFile::Lock;

/// What a killed process left behind the last line end: nothing in a sound file.
std::string torn_end(const files::LockableFile& file) {
  constexpr std::uint64_t kStep = 1 << 16;
  const auto size = file.size();
  for (std::uint64_t length = std::min(size, kStep);; length = std::min(size, 4 * length)) {
    const auto text = file.read_from(size - length);
    const auto end = text.rfind('\n');
    if (end != std::string::npos) return text.substr(end + 1);
    if (length == size) return text;
  }
}

}  // namespace

Json to_json(const RunRecord& r) {
  Json json = {{"key", r.key},
               {"status", r.status},
               {"measure", name_of(r.measure)},
               {"seed", r.seed},
               {"realisation", r.realisation},
               {"accuracy", r.accuracy},
               {"best_epoch", r.best_epoch},
               {"best_validation", r.best_validation},
               {"seconds", r.seconds},
               {"data_checksum", r.data_checksum},
               {"commit", r.provenance.commit},
               {"scdcf", r.provenance.scdcf},
               {"torch", r.provenance.torch},
               {"machine", r.provenance.machine},
               {"time", r.time}};
  if (!r.error.empty()) json["error"] = r.error;
  json["asked"] = r.asked;
  json["used"] = r.used;
  json["measurements"] = r.measurements;
  json["curve"] = r.curve;
  return json;
}

RunRecord record_from_json(const Json& json) {
  try {
    RunRecord r;
    json.at("key").get_to(r.key);
    json.at("status").get_to(r.status);
    require(r.status == "done" || r.status == "failed" || r.status == "lost", "status: got \"", r.status,
            "\", expected done, failed or lost");
    r.measure = measure_of(json.at("measure").get<std::string>());
    json.at("seed").get_to(r.seed);
    json.at("realisation").get_to(r.realisation);
    json.at("accuracy").get_to(r.accuracy);
    json.at("best_epoch").get_to(r.best_epoch);
    json.at("best_validation").get_to(r.best_validation);
    json.at("seconds").get_to(r.seconds);
    json.at("data_checksum").get_to(r.data_checksum);
    r.provenance = {json.at("commit"), json.at("scdcf"), json.at("torch"), json.at("machine")};
    json.at("time").get_to(r.time);
    if (json.contains("error")) json.at("error").get_to(r.error);
    r.asked = json.at("asked");
    r.used = json.at("used");
    r.measurements = json.at("measurements");
    r.curve = json.at("curve");
    r.config();  // refuses a configuration that lacks something
    return r;
  } catch (const nlohmann::json::exception& error) {
    detail::fail("not a record of a run: ", error.what());
  }
}

ResultsStore::ResultsStore(fs::path folder, double lease_seconds)
    : ResultsStore(std::move(folder), true, lease_seconds) {}

ResultsStore ResultsStore::open(const fs::path& folder) { return {folder, false, kLeaseSeconds}; }

ResultsStore::ResultsStore(fs::path folder, bool create, double lease_seconds)
    : folder_(std::move(folder)),
      file_(folder_ / "results.jsonl"),
      claims_(lease_seconds),
      turns_(std::min(lease_seconds, 10.0)) {
  if (!create) {
    require(fs::is_regular_file(file_), file_.string(), ": is missing, expected the results of scdcf reproduce");
    return;
  }
  files::make_folder(folder_ / "claims");
}

/// Lines of two machines that append at once may mix on a network file system, whatever its locks say.
files::Lease ResultsStore::turn_to_write() {
  for (;;) {
    auto turn = turns_.take(folder_ / "claims" / "results.lease", files::LockableFile::locks_are_on());
    if (turn) return std::move(*turn);
    usleep(5'000);
  }
}

void ResultsStore::append(const RunRecord& record) {
  auto stamped = record;
  if (stamped.time.empty()) stamped.time = files::utc_time();
  // Bytes that are no UTF-8 (in the text of an error) must not cost the record.
  const std::string line = to_json(stamped).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  const files::LockableFile lock(file_, O_RDWR | O_APPEND | O_CREAT);
  lock.lock(Lock::exclusive);
  const auto turn = turn_to_write();
  const files::LockableFile file(file_, O_RDWR | O_APPEND);  // opened behind that: its end is where others left it
  const auto torn = torn_end(file).size();
  const auto size = static_cast<off_t>(file.size() - torn);
  require(torn == 0 || ftruncate(file.descriptor(), size) == 0, file_.string(), ": ", std::strerror(errno));
  ssize_t written = 0;
  do written = ::write(file.descriptor(), line.data(), line.size());
  while (written < 0 && errno == EINTR);
  if (written != static_cast<ssize_t>(line.size())) {
    const int cause = written < 0 ? errno : ENOSPC;
    [[maybe_unused]] const int ignored = ftruncate(file.descriptor(), size);
    detail::fail(file_.string(), ": could not be written: ", std::strerror(cause));
  }
  require(fsync(file.descriptor()) == 0, file_.string(), ": could not be written: ", std::strerror(errno));
}

void ResultsStore::refresh() {
  if (!fs::exists(file_)) return;
  const files::LockableFile file(file_, O_RDONLY);
  file.lock(Lock::shared);
  require(file.size() >= read_, file_.string(), ": became shorter while it was in use");
  const auto text = file.read_from(read_);
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    ++lines_;
    try {
      auto record = record_from_json(files::read_json(text.substr(begin, end - begin), "line"));
      if (record.done() && is_outdated(record)) record.status = "outdated";
      auto& counts = attempts_[record.key];
      if (record.done()) ++counts.done;
      if (record.status == "failed") ++counts.failed;
      if (record.status == "lost") ++counts.lost;
      records_.push_back(std::move(record));
    } catch (const Error& error) {
      damaged_.push_back(file_.string() + ":" + std::to_string(lines_) + ": " + error.what());
    }
  }
  read_ += begin;
}

std::vector<RunRecord> ResultsStore::records() {
  const std::lock_guard<std::mutex> guard(mutex_);
  refresh();
  return records_;
}

std::vector<std::string> ResultsStore::damaged_lines() {
  const std::lock_guard<std::mutex> guard(mutex_);
  refresh();
  return damaged_;
}

ResultsStore::Attempts ResultsStore::attempts(const std::string& key) {
  const std::lock_guard<std::mutex> guard(mutex_);
  refresh();
  const auto found = attempts_.find(key);
  return found == attempts_.end() ? Attempts{} : found->second;
}

std::optional<Claim> ResultsStore::claim(const std::string& key) {
  const auto name = folder_ / "claims" / (key + ".lock");
  files::LockableFile file(name, O_RDWR | O_CREAT);
  if (!file.try_lock(Lock::exclusive)) return std::nullopt;
  auto lease = claims_.take(folder_ / "claims" / (key + ".lease"), files::LockableFile::locks_are_on());
  if (!lease) return std::nullopt;
  return Claim(std::move(file), std::move(*lease));
}

}  // namespace scdcf::runs
