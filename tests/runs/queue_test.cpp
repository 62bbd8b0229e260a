// Every run of a table is made once, whoever makes it and however often the makers die.
#include "scdcf/runs/queue.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>

#include "scdcf/core/error.h"
#include "scdcf/runs/splits_cache.h"
#include "scdcf/runs/time_left.h"
#include "support/fake_runs.h"
#include "support/scratch_folder.h"

namespace {

using namespace scdcf::runs;
using namespace scdcf::testing;

class RunTable : public ScratchFolder {
 protected:
  void expect_each_done_once(int count) {
    ResultsStore store(folder_);
    const auto done = times(store, "done");
    EXPECT_EQ(done.size(), static_cast<std::size_t>(count));
    for (const auto& [key, times] : done) EXPECT_EQ(times, 1) << key;
  }
};

TEST_F(RunTable, makes_every_run_and_on_the_second_call_none) {
  ResultsStore store(folder_);
  auto runs = some_runs(5);
  runs.push_back(runs.front());  // planned twice
  const auto first = run_queue(runs, store, fake_runner(), quiet_options());
  EXPECT_EQ(first.planned, 5);
  EXPECT_EQ(first.made, 5);
  EXPECT_TRUE(first.complete());
  for (const auto& record : store.records()) EXPECT_DOUBLE_EQ(record.accuracy, 0.5 + 0.01 * record.realisation);
  const auto second = run_queue(
      runs, store, [](const auto&, const auto&) -> std::optional<RunRecord> { throw std::logic_error("made again"); },
      quiet_options());
  EXPECT_EQ(second.had, 5);
  EXPECT_EQ(second.made, 0);
  EXPECT_TRUE(second.complete());
}

TEST_F(RunTable, the_first_run_tells_already_how_long_all_take) {
  ResultsStore store(folder_);
  auto options = quiet_options();
  std::vector<std::string> lines;
  options.status = [&](const std::string& line) { lines.push_back(line); };
  // A quarter of the first of three like runs is done, and 30 s of it are left: 30 + 2 * 40.
  run_queue(
      some_runs(3), store,
      [](const PlannedRun& run, const auto& on_progress) {
        on_progress({0, "epoch 1/4", -1});
        on_progress({0.25, "epoch 2/4", 30});
        return std::optional<RunRecord>(fake_result(run));
      },
      options);
  ASSERT_GE(lines.size(), 2U);
  EXPECT_EQ(lines[0].find("left"), std::string::npos) << lines[0];
  EXPECT_NE(lines[1].find("about 1:50 left"), std::string::npos) << lines[1];
}

TEST_F(RunTable, threads_share_the_runs) {
  ResultsStore store(folder_);
  std::atomic<int> at_a_time{0}, most{0};
  const Runner runner = [&](const PlannedRun& run, const auto&) {
    const int now = ++at_a_time;
    for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
    }
    while (most < 4) sleep_ms(1);  // nobody goes on before as many as may work at once are there
    --at_a_time;
    return std::optional<RunRecord>(fake_result(run));
  };
  EXPECT_TRUE(run_queue(some_runs(12), store, runner, quiet_options(4)).complete());
  EXPECT_EQ(most, 4);
  expect_each_done_once(12);
}

TEST_F(RunTable, processes_share_a_store_and_make_every_run_once) {
  constexpr int kRuns = 30;
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i)
    children.push_back(in_process([&] {
      ResultsStore store(folder_);
      const auto summary = run_queue(some_runs(kRuns), store, fake_runner(5), quiet_options(2));
      // Each goes on until all of it is there, and knows so.
      if (!summary.complete()) throw std::logic_error("ended early");
    }));
  for (const auto child : children) EXPECT_EQ(wait_for(child), 0);
  expect_each_done_once(kRuns);
}

TEST_F(RunTable, a_run_that_fails_is_recorded_told_and_tried_once_more) {
  ResultsStore store(folder_);
  std::map<int, int> tried;
  const Runner runner = [&](const PlannedRun& run, const auto&) {
    const int number = run.config.data.realisation;
    if (number == 2 && ++tried[number] == 1) throw scdcf::Error("out of memory");
    if (number == 4) throw std::runtime_error("never\nworks");
    return std::optional<RunRecord>(fake_result(run));
  };
  std::vector<std::string> lines;
  auto options = quiet_options();
  options.print = [&](const std::string& line) { lines.push_back(line); };
  const auto summary = run_queue(some_runs(6), store, runner, options);
  EXPECT_EQ(summary.made, 5);
  EXPECT_FALSE(summary.complete());
  ASSERT_EQ(summary.failed.size(), 1U);
  EXPECT_NE(summary.failed[0].find("realisation 4: never\\x0aworks"), std::string::npos) << summary.failed[0];
  const auto runs = some_runs(6);
  EXPECT_EQ(store.attempts(key_of(runs[2])).failed, 1);
  EXPECT_EQ(store.attempts(key_of(runs[2])).done, 1);
  EXPECT_EQ(store.attempts(key_of(runs[4])).failed, 2);
  EXPECT_EQ(store.attempts(key_of(runs[4])).done, 0);
  int told = 0;
  for (const auto& line : lines) told += line.find("FAILED") != std::string::npos;
  EXPECT_EQ(told, 3);

  // A later call neither tries it again unasked nor forgets it.
  const auto later = run_queue(some_runs(6), store, runner, options);
  ASSERT_EQ(later.failed.size(), 1U);
  EXPECT_NE(later.failed[0].find("never\\x0aworks"), std::string::npos);
  EXPECT_EQ(store.attempts(key_of(runs[4])).failed, 2);
  options.retry_failed = true;
  EXPECT_TRUE(run_queue(some_runs(6), store, fake_runner(), options).complete());
}

TEST_F(RunTable, kill_9_in_the_middle_loses_only_the_run_in_progress) {
  constexpr int kRuns = 8, kKilledAt = 3;
  const auto child = in_process([&] {
    ResultsStore store(folder_);
    const Runner runner = [&](const PlannedRun& run, const auto&) {
      if (run.config.data.realisation == kKilledAt) {
        write(folder_ / "in the middle", "");
        for (;;) pause();
      }
      return std::optional<RunRecord>(fake_result(run));
    };
    run_queue(some_runs(kRuns), store, runner, quiet_options());
  });
  while (!std::filesystem::exists(folder_ / "in the middle")) sleep_ms(5);
  kill(child, SIGKILL);
  wait_for(child);
  ResultsStore store(folder_);
  const auto summary = run_queue(some_runs(kRuns), store, fake_runner(), quiet_options());
  EXPECT_EQ(summary.had, kKilledAt);
  EXPECT_EQ(summary.made, kRuns - kKilledAt);
  expect_each_done_once(kRuns);
  EXPECT_EQ(store.attempts(key_of(some_runs(kRuns)[kKilledAt])).lost, 1) << "that it was lost is on record";
  EXPECT_EQ(times(store, "lost").size(), 1U);
}

TEST_F(RunTable, takes_over_the_run_of_a_process_that_dies_while_others_wait) {
  const auto victim = in_process([&] {
    ResultsStore store(folder_);
    run_queue(
        some_runs(1), store,
        [&](const auto&, const auto&) -> std::optional<RunRecord> {
          write(folder_ / "in the middle", "");
          for (;;) pause();
        },
        quiet_options());
  });
  while (!std::filesystem::exists(folder_ / "in the middle")) sleep_ms(5);
  const auto heir = in_process([&] {
    ResultsStore store(folder_);
    if (run_queue(some_runs(1), store, fake_runner(), quiet_options()).made != 1) throw std::logic_error("not made");
  });
  sleep_ms(150);
  EXPECT_EQ(waitpid(heir, nullptr, WNOHANG), 0) << "waits as long as the other lives";
  kill(victim, SIGKILL);
  wait_for(victim);
  EXPECT_EQ(wait_for(heir), 0);
  expect_each_done_once(1);
}

TEST_F(RunTable, stops_when_asked_and_goes_on_later) {
  ResultsStore store(folder_);
  std::atomic<int> made{0};
  auto options = quiet_options(2);
  options.stop = [&] { return made >= 3; };
  const Runner runner = [&](const PlannedRun& run, const auto&) -> std::optional<RunRecord> {
    if (made >= 3) return std::nullopt;  // stopped in the middle
    ++made;
    return fake_result(run);
  };
  const auto summary = run_queue(some_runs(10), store, runner, options);
  EXPECT_TRUE(summary.stopped);
  EXPECT_LE(summary.made, 4);
  EXPECT_TRUE(times(store, "failed").empty());
  const auto rest = run_queue(some_runs(10), store, fake_runner(), quiet_options());
  EXPECT_EQ(rest.had, summary.made);
  EXPECT_TRUE(rest.complete());
  EXPECT_TRUE(times(store, "lost").empty()) << "a run that was stopped is not a lost one";
}

TEST_F(RunTable, a_store_that_cannot_be_written_is_an_error_not_a_failed_run) {
  ResultsStore store(folder_);
  std::filesystem::create_directory(folder_ / "results.jsonl");
  EXPECT_THROW(run_queue(some_runs(3), store, fake_runner(), quiet_options(2)), scdcf::Error);
}

TEST(TimeLeft, knows_nothing_at_first_then_scales_with_the_work) {
  TimeLeft left;
  PlannedRun small;
  small.config.data.size = 28;
  small.config.data.train_size = 2000;
  auto large = small;
  large.config.data.size = 56;
  EXPECT_LT(left.seconds_for(small), 0);
  left.add(small, 10);
  EXPECT_DOUBLE_EQ(left.seconds_for(small), 10);
  EXPECT_DOUBLE_EQ(left.seconds_for(large), 40);
  auto other = small;
  other.config.model.name = "cnn";
  EXPECT_DOUBLE_EQ(left.seconds_for(other), 10) << "as fast as the others until it is known";
  left.add(other, 2);
  EXPECT_DOUBLE_EQ(left.seconds_for(other), 2);
  EXPECT_DOUBLE_EQ(left.seconds_for(small), 10);
  auto cost = small;
  cost.measure = Measure::cost;
  EXPECT_LT(left.seconds_for(cost), 0) << "trainings say nothing of measurements";
  left.add(cost, 3);
  EXPECT_DOUBLE_EQ(left.seconds_for(cost), 3);
  EXPECT_DOUBLE_EQ(left.seconds_for(small), 10);
}

TEST(SplitsCache, makes_a_set_once_for_all_who_ask_and_forgets_the_oldest) {
  std::atomic<int> made{0};
  SplitsCache cache(2, [&](const scdcf::data::DataOptions& options) {
    ++made;
    sleep_ms(20);
    scdcf::data::Splits splits;
    splits.name = std::to_string(options.realisation);
    return splits;
  });
  const auto get = [&](int realisation) {
    scdcf::data::DataOptions options;
    options.realisation = realisation;
    return cache.get(options);
  };
  std::vector<std::thread> threads;
  std::vector<SharedSplits> got(6);
  for (std::size_t i = 0; i < got.size(); ++i) threads.emplace_back([&, i] { got[i] = get(7); });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(made, 1);
  for (const auto& one : got) EXPECT_EQ(one, got[0]);
  get(8);
  get(7);  // used again: not the oldest any more
  get(9);
  EXPECT_EQ(made, 3);
  get(7);
  EXPECT_EQ(made, 3);
  get(8);
  EXPECT_EQ(made, 4);
  EXPECT_EQ(got[0]->name, "7") << "who holds a set keeps it";
}

TEST(SplitsCache, a_failure_goes_to_the_caller_and_is_not_kept) {
  int calls = 0;
  SplitsCache cache(2, [&](const auto&) -> scdcf::data::Splits {
    if (++calls == 1) throw scdcf::Error("no such data");
    return {};
  });
  EXPECT_THROW(cache.get({}), scdcf::Error);
  EXPECT_NE(cache.get({}), nullptr);
}

}  // namespace
