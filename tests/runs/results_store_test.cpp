// A store loses nothing that was written and invents nothing, whatever happens to the processes that share it.
#include "scdcf/runs/results_store.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <set>

#include "scdcf/core/error.h"
#include "scdcf/models/registry.h"
#include "support/fake_runs.h"
#include "support/scratch_folder.h"

namespace {

using namespace scdcf::runs;
using scdcf::testing::in_process;
using scdcf::testing::some_runs;
using scdcf::testing::wait_for;

class Store : public scdcf::testing::ScratchFolder {
 protected:
  static RunRecord a_record(int realisation = 0) {
    RunRecord record;
    const auto run = some_runs(realisation + 1).back();
    record.key = key_of(run);
    record.status = "done";
    record.asked = scdcf::train::to_json(run.config);
    record.realisation = realisation;
    record.accuracy = 0.25;
    record.curve = {{{"epoch", 1}}};
    record.provenance = {"abc", "0.1.0", "1.13", "a machine"};
    return record;
  }
  std::filesystem::path file() const { return folder_ / "results.jsonl"; }
};

TEST_F(Store, gives_back_what_was_put_in) {
  ResultsStore store(folder_);
  auto record = a_record(3);
  record.error = "said \"no\"\nand \xff bytes that are no UTF-8";
  record.measurements = {{"scales", {1, 2}}};
  store.append(record);
  ResultsStore other(folder_);
  const auto got = other.records();
  ASSERT_EQ(got.size(), 1U);
  EXPECT_EQ(got[0].key, record.key);
  EXPECT_EQ(got[0].realisation, 3);
  EXPECT_EQ(got[0].accuracy, 0.25);
  EXPECT_EQ(got[0].curve, record.curve);
  EXPECT_EQ(got[0].measurements, record.measurements);
  EXPECT_EQ(got[0].provenance.machine, "a machine");
  EXPECT_EQ(got[0].config().data.realisation, 3);
  EXPECT_EQ(got[0].time.size(), 20U) << got[0].time;
  EXPECT_NE(got[0].error.find("said \"no\"\n"), std::string::npos);
}

TEST_F(Store, a_result_of_other_defaults_than_todays_is_not_done) {
  auto record = a_record(0);
  auto used = record.config();
  used.model = scdcf::models::resolve(used.model);
  record.used = scdcf::train::to_json(used);
  auto old = a_record(1);
  ++used.model.hidden;
  old.used = scdcf::train::to_json(used);
  auto strange = a_record(2);  // of a network that this program does not have
  strange.asked["model"]["name"] = used.model.name = "a stranger's";
  strange.used = scdcf::train::to_json(used);
  auto cost = a_record(3);  // defaults are not told
  cost.used = cost.asked;
  auto early = a_record(4);  // made when the network had an option less, which changes nothing where it is not asked
  early.asked["model"]["name"] = "scdcfnet-full";
  early.asked["model"]["finest_width"] = 8.0;
  early.asked["model"]["span"] = 3.5;
  early.asked["model"]["smaller"] = early.asked["model"]["larger"] = 1.0;
  auto pyramid = early.config();
  pyramid.model = scdcf::models::resolve(pyramid.model);
  early.used = scdcf::train::to_json(pyramid);
  EXPECT_EQ(early.used["model"].erase("class_width"), 1U);
  auto clear = a_record(5);  // of images that lost no detail, which they do today where smaller objects are looked for
  clear.asked["model"] = early.asked["model"];
  clear.asked["model"]["smaller"] = 2.0;
  auto sharp = clear.config();
  sharp.model = scdcf::models::resolve(sharp.model);
  clear.used = scdcf::train::to_json(sharp);
  auto blurred = a_record(6);
  blurred.asked["model"] = clear.asked["model"];
  sharp.train.augment.detail_octaves = 1;
  blurred.used = scdcf::train::to_json(sharp);
  ResultsStore store(folder_);
  for (const auto& each : {record, old, strange, cost, early, clear, blurred}) store.append(each);
  EXPECT_EQ(store.attempts(clear.key).done, 0);
  EXPECT_EQ(store.attempts(blurred.key).done, 1);
  EXPECT_EQ(store.attempts(early.key).done, 1);
  EXPECT_EQ(store.attempts(cost.key).done, 1);
  EXPECT_EQ(store.attempts(record.key).done, 1);
  EXPECT_EQ(store.attempts(strange.key).done, 1);
  EXPECT_EQ(store.attempts(old.key).done, 0);
  EXPECT_EQ(store.attempts(old.key).failed + store.attempts(old.key).lost, 0);
  EXPECT_EQ(store.records()[1].status, "outdated");
}

TEST_F(Store, a_torn_last_line_is_ignored_and_repaired) {
  {
    ResultsStore store(folder_);
    store.append(a_record(0));
  }
  const auto whole = read(file());
  for (const std::size_t cut : {std::size_t{1}, whole.size() / 2, whole.size() - 1}) {
    write(file(), whole + whole.substr(0, cut));
    ResultsStore store(folder_);
    EXPECT_EQ(store.records().size(), 1U) << cut;
    store.append(a_record(1));
    const auto records = store.records();
    ASSERT_EQ(records.size(), 2U) << cut;
    EXPECT_EQ(records[1].realisation, 1);
    EXPECT_TRUE(store.damaged_lines().empty());
    EXPECT_EQ(ResultsStore(folder_).records().size(), 2U) << "a second reader sees the same";
  }
}

TEST_F(Store, whole_lines_that_are_no_records_are_told_and_the_rest_is_kept) {
  ResultsStore store(folder_);
  store.append(a_record(0));
  write(file(), read(file()) + "{\"key\": 1}\nnonsense\n");
  store.append(a_record(1));
  EXPECT_EQ(store.records().size(), 2U);
  const auto damaged = store.damaged_lines();
  ASSERT_EQ(damaged.size(), 2U);
  EXPECT_NE(damaged[0].find("results.jsonl:2: "), std::string::npos) << damaged[0];
  EXPECT_NE(damaged[1].find("results.jsonl:3: line: got something else, expected JSON"), std::string::npos)
      << damaged[1];
}

TEST_F(Store, a_reader_sees_what_others_append_while_it_is_open) {
  ResultsStore reader(folder_);
  EXPECT_TRUE(reader.records().empty());
  const auto child = in_process([&] { ResultsStore(folder_).append(a_record(5)); });
  ASSERT_EQ(wait_for(child), 0);
  EXPECT_EQ(reader.attempts(a_record(5).key).done, 1);
  EXPECT_EQ(reader.attempts(a_record(6).key).done, 0);
}

TEST_F(Store, lines_of_many_writers_do_not_mix) {
  constexpr int kWriters = 4, kLines = 40;
  std::vector<pid_t> children;
  for (int writer = 0; writer < kWriters; ++writer)
    children.push_back(in_process([&] {
      ResultsStore store(folder_);
      for (int line = 0; line < kLines; ++line) store.append(a_record(writer * kLines + line));
    }));
  for (const auto child : children) EXPECT_EQ(wait_for(child), 0);
  ResultsStore store(folder_);
  std::set<int> seen;
  for (const auto& record : store.records()) seen.insert(record.realisation);
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(kWriters * kLines));
  EXPECT_TRUE(store.damaged_lines().empty());
}

TEST_F(Store, a_claim_is_held_by_one_and_freed_by_a_kill) {
  ResultsStore store(folder_);
  {
    const auto first = store.claim("k");
    ASSERT_TRUE(first.has_value());
    EXPECT_FALSE(first->was_left());
    EXPECT_FALSE(store.claim("k").has_value());
    EXPECT_TRUE(store.claim("other").has_value());
  }
  const auto again = store.claim("k");
  ASSERT_TRUE(again.has_value());
  EXPECT_FALSE(again->was_left()) << "given back, not lost";
  const auto child = in_process([&] {
    const auto held = ResultsStore(folder_).claim("victim");
    write(folder_ / "holding", "");
    for (;;) pause();
  });
  while (!std::filesystem::exists(folder_ / "holding")) scdcf::testing::sleep_ms(5);
  EXPECT_FALSE(store.claim("victim").has_value());
  kill(child, SIGKILL);
  wait_for(child);
  const auto inherited = store.claim("victim");
  ASSERT_TRUE(inherited.has_value());
  EXPECT_TRUE(inherited->was_left());
}

/// Where the lock server is off, or locks do not reach from one machine to another.
TEST_F(Store, without_locks_every_run_is_made_once_and_a_lost_machine_loses_one) {
  constexpr int kProcesses = 3, kRuns = 12;
  constexpr double kLease = 1.5;
  const auto work = [&](int ms) {
    setenv("SCDCF_LOCKS", "off", 1);
    ResultsStore store(folder_, kLease);
    const auto runner = [&](const PlannedRun& run, const auto&) {
      write(folder_ / "begun", "");
      scdcf::testing::sleep_ms(ms);
      return std::optional<RunRecord>(scdcf::testing::fake_result(run));
    };
    run_queue(some_runs(kRuns), store, runner, scdcf::testing::quiet_options());
  };
  const auto victim = in_process([&] { work(60'000); });
  while (!std::filesystem::exists(folder_ / "begun")) scdcf::testing::sleep_ms(5);
  std::vector<pid_t> others;
  for (int i = 0; i < kProcesses; ++i) others.push_back(in_process([&] { work(20); }));
  scdcf::testing::sleep_ms(300);
  kill(victim, SIGSTOP);  // a machine that hangs: it lives, and is not heard of
  for (const auto child : others) EXPECT_EQ(wait_for(child), 0);
  kill(victim, SIGKILL);
  wait_for(victim);
  ResultsStore store(folder_);
  std::map<std::string, std::multiset<int>> seen;
  for (const auto& record : store.records()) seen[record.status].insert(record.realisation);
  EXPECT_EQ(seen["done"].size(), static_cast<std::size_t>(kRuns));
  EXPECT_EQ(std::set<int>(seen["done"].begin(), seen["done"].end()).size(), static_cast<std::size_t>(kRuns));
  EXPECT_EQ(seen["lost"].size(), 1U);
  EXPECT_TRUE(store.damaged_lines().empty());
}

TEST_F(Store, to_report_on_nothing_is_an_error_that_names_the_file) {
  try {
    ResultsStore::open(folder_ / "nowhere");
    FAIL();
  } catch (const scdcf::Error& error) {
    EXPECT_NE(std::string(error.what()).find("nowhere/results.jsonl"), std::string::npos);
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "nowhere"));
}

TEST(Key, depends_on_what_changes_the_result_and_on_nothing_else) {
  const PlannedRun run;
  auto same = run;
  same.config.train.device = "cuda:3";
  same.config.data.data_dir = "/elsewhere";
  EXPECT_EQ(key_of(run), key_of(same));
  EXPECT_EQ(key_of(run).size(), 16U);
  std::set<std::string> keys = {key_of(run)};
  const auto differs = [&](auto&& change) {
    auto other = run;
    change(other);
    EXPECT_TRUE(keys.insert(key_of(other)).second);
  };
  differs([](PlannedRun& r) { r.config.data.realisation = 1; });
  differs([](PlannedRun& r) { r.config.train.seed = 1; });
  differs([](PlannedRun& r) { r.config.train.precision = "tf32"; });
  differs([](PlannedRun& r) { r.config.model.modes = 15; });
  differs([](PlannedRun& r) { r.config.train.augment.scale_octaves = 1; });
  differs([](PlannedRun& r) { r.measure = Measure::scales; });
  differs([](PlannedRun& r) { r.machine = "H200"; });
}

// Options that came later must not change what was stored: neither under which key, nor what was trained.
TEST(Key, of_every_stored_result_is_still_its_own) {
  int rescaled = 0;
  const auto records = ResultsStore::open(SCDCF_SOURCE_DIR "/results/h200").records();
  EXPECT_GE(records.size(), 300U);
  for (const auto& record : records) {
    const auto config = record.config();
    EXPECT_EQ(key_of({config, record.measure, ""}), record.key) << label_of({config, record.measure, ""});
    EXPECT_TRUE(record.done()) << record.status;
    const bool is_old = !record.asked.at("train").contains("interpolation");
    if (config.train.augment.scale_octaves == 0 || !is_old) continue;
    ++rescaled;
    EXPECT_EQ(config.train.augment.interpolation, "bilinear");
    EXPECT_EQ(config.train.augment.scale_law, "octaves");
  }
  EXPECT_EQ(rescaled, 92);
}

}  // namespace
