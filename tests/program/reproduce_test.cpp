// `scdcf reproduce` and `scdcf report` as their user meets them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "scdcf/data/places.h"
#include "support/program_test.h"

namespace {

namespace fs = std::filesystem;
using Reproduce = scdcf::testing::ProgramTest;

constexpr int kSeconds = 300;

TEST_F(Reproduce, bad_arguments_give_one_line_that_names_the_offender) {
  const auto out = (folder_ / "store").string();
  expect_bad_input({"reproduce", "table-9", "--out", out}, {"table-9", "smnist"});
  expect_bad_input({"reproduce", "smnist", "--quick", "--out", out, "--models", "resnet16"},
                   {"scdcf: --models: ", "smnist"});
  // A list ends with its first word: what follows is the experiment.
  expect_bad_input({"reproduce", "--quick", "--out", out, "--models", "resnet16", "smnist"},
                   {"scdcf: --models: ", "smnist"});
  expect_bad_input({"reproduce", "smnist", "--quick", "--out", out, "--realisations", "a-b"},
                   {"--realisations", "a-b"});
  expect_bad_input({"reproduce", "smnist", "--quick", "--out", out, "--jobs", "4"}, {"--jobs", "CPU"});
  expect_bad_input({"reproduce", "smnist", "--quick", "--out", out, "--data", "no_such_set"}, {"no_such_set"});
  expect_bad_input({"reproduce", "stir", "--quick", "--out", out, "--data", "smnist"},
                   {"--data", "smnist", "stir-mnist"});
  expect_bad_input({"report"}, {"folder"});
  expect_bad_input({"report", (folder_ / "nowhere").string()}, {"nowhere/results.jsonl"});
}

TEST_F(Reproduce, quick_runs_become_a_report_and_are_not_made_twice) {
  const auto store = folder_ / "store";
  const std::vector<std::string> command = {"--threads", "1",     "reproduce", "smnist",   "--quick", "--models",
                                            "cnn",       "--out", store,       "--epochs", "1",       "--realisations",
                                            "0-1"};
  // Two machines share the list, as an array of Slurm does.
  auto listing = command;
  listing.emplace_back("--plan");
  const auto plan = run(listing, kSeconds);
  ASSERT_EQ(std::count(plan.out.begin(), plan.out.end(), '\n'), 2) << plan.out << plan.err;
  std::vector<std::thread> machines;
  for (const char* number : {"0", "1"})
    machines.emplace_back([&, number] {
      std::string line = SCDCF_PROGRAM;
      for (const auto& word : command) line += " '" + word + "'";
      EXPECT_EQ(std::system((line + " --only " + number + " > /dev/null").c_str()), 0) << number;
    });
  for (auto& machine : machines) machine.join();
  std::istringstream lines(read(store / "results.jsonl"));
  int records = 0;
  for (std::string line; std::getline(lines, line); ++records) {
    const auto json = nlohmann::json::parse(line);
    EXPECT_EQ(json.at("status"), "done");
    EXPECT_EQ(json.at("curve").size(), json.at("realisation") == 0 ? 1U : 0U) << "one of a cell is enough";
    EXPECT_EQ(json.at("data_checksum").get<std::string>().size(), 16U);
    EXPECT_EQ(json.at("used").at("model").at("hidden"), 256) << "with every default filled in";
    EXPECT_FALSE(json.at("machine").get<std::string>().empty());
  }
  EXPECT_EQ(records, 2);
  const auto before = read(store / "results.jsonl");
  const auto second = run(command, kSeconds);
  EXPECT_EQ(second.code, 0) << second.err;
  EXPECT_NE(second.out.find("2 of 2 runs are done already"), std::string::npos) << second.out;
  EXPECT_EQ(read(store / "results.jsonl"), before);

  const auto report = run({"report", store}, kSeconds);
  ASSERT_EQ(report.code, 0) << report.err;
  EXPECT_NE(report.out.find("2 records"), std::string::npos) << report.out;
  const auto markdown = read(store / "report" / "report.md");
  EXPECT_NE(markdown.find("| cnn |"), std::string::npos) << markdown;
  EXPECT_NE(markdown.find("(n=2)"), std::string::npos) << markdown;
  // On MNIST where it is, and said to be quick either way.
  const std::string data = scdcf::data::find_dataset("mnist", "").empty() ? "sglyphs" : "smnist";
  EXPECT_NE(read(store / "report" / "report.html").find(data + " 28 x 28"), std::string::npos);
  EXPECT_NE(markdown.find(data + " (quick runs)"), std::string::npos) << markdown;
  EXPECT_EQ(markdown.find("Not run: scdcf reproduce smnist"), std::string::npos) << markdown;
}

TEST_F(Reproduce, without_a_name_it_lists_what_there_is) {
  const auto result = run({"reproduce"});
  EXPECT_EQ(result.code, 0) << result.err;
  for (const char* name : {"equivariance", "depth", "reconstruction", "reconstruction-error", "stir", "large-scale"})
    EXPECT_NE(result.out.find(name), std::string::npos) << name;
}

TEST_F(Reproduce, figures_refuse_words_they_do_not_know) {
  expect_bad_input({"reproduce", "figure9"}, {"figure9"});
  expect_bad_input({"reproduce", "depth", "--data", "cats", "--out", folder_.string()}, {"--data", "cats"});
}

}  // namespace
