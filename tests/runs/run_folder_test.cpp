// What a run's folder is kept from, and what it is rid of.
#include "scdcf/runs/run_folder.h"

#include <gtest/gtest.h>

#include "scdcf/models/registry.h"
#include "support/expect_error.h"
#include "support/scratch_folder.h"

namespace {

namespace fs = std::filesystem;
using namespace scdcf;
using scdcf::testing::expect_error;
using Names = std::vector<std::string>;

class RunFolder : public scdcf::testing::ScratchFolder {
 protected:
  RunFolder() { config_.model = models::resolve(config_.model); }
  void prepare(bool resume) const {
    [[maybe_unused]] const auto lock = runs::prepare_run_folder(run(), config_, resume);
  }
  fs::path run() const { return folder_ / "run"; }
  train::RunConfig config_;
};

TEST_F(RunFolder, a_folder_of_something_else_is_left_alone) {
  for (const char* name : {"config.toml", "notes.txt", "checkpoints/step-000000001.safetensors", "model.safetensors"}) {
    fs::create_directories((run() / name).parent_path());
    write(run() / name, "precious");
    for (const bool resume : {false, true})
      expect_error([&] { runs::check_run_folder(run(), config_, resume); }, run().string(), "but no run");
    if (name != std::string("notes.txt")) expect_error([&] { prepare(false); }, run().string(), "but no run");
    EXPECT_EQ(read(run() / name), "precious");
    fs::remove(run() / name);
    fs::remove(run() / "checkpoints");
    EXPECT_TRUE(fs::is_empty(run())) << name;
  }
  prepare(false);
  EXPECT_EQ(names_in(run()), Names{"config.json"});
}

TEST_F(RunFolder, other_options_are_named_with_both_values) {
  prepare(false);
  expect_error([&] { prepare(false); }, "resume: ", run().string(), "holds a run already");
  config_.train.milestones = {3};
  for (const bool resume : {false, true})
    expect_error([&] { prepare(resume); }, "milestones: got 3", run().string(), "started with 20,40");
  config_.data.normalisation = "black";
  expect_error([&] { runs::check_run_folder(run(), config_, true); }, "normalisation: got black", "standard");
}

TEST_F(RunFolder, is_held_while_its_lock_lives) {
  const auto lock = runs::prepare_run_folder(run(), config_, false);
  for (const bool resume : {false, true}) {
    expect_error([&] { prepare(resume); }, run().string(), "in use by process " + std::to_string(getpid()));
    expect_error([&] { runs::check_run_folder(run(), config_, resume); }, "in use by process");
  }
}

TEST_F(RunFolder, what_killed_processes_left_unfinished_goes_and_nothing_else) {
  prepare(false);
  fs::create_directories(run() / "checkpoints");
  const Names left = {".metrics.jsonl.a1B2c3", ".config.json.Zz09aa", "checkpoints/.step-000000003.safetensors.abcdef"};
  const Names others = {".hidden", ".notes.txt.abcdef", "metrics.jsonl", "checkpoints/step-000000002.safetensors"};
  for (const auto& list : {left, others})
    for (const auto& name : list) write(run() / name, "x");
  prepare(true);
  for (const auto& name : left) EXPECT_FALSE(fs::exists(run() / name)) << name;
  for (const auto& name : others) EXPECT_TRUE(fs::exists(run() / name)) << name;
}

TEST_F(RunFolder, a_run_that_was_killed_before_its_first_file_can_be_begun_again) {
  fs::create_directories(run());
  write(run() / "scdcf.lock", "1 machine then");
  write(run() / ".config.json.abcdef", "{");
  runs::check_run_folder(run(), config_, false);
  prepare(false);
  EXPECT_EQ(names_in(run()), Names{"config.json"});
}

}  // namespace
