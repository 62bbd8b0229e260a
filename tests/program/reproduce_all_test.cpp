// `scdcf reproduce all --quick`: the whole chain from nothing to figures, tables and a report, and what its numbers
// say.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "support/program_test.h"

namespace {

namespace fs = std::filesystem;

constexpr int kHang = 7200;  // seconds

class ReproduceAll : public scdcf::testing::ProgramTest {
 protected:
  nlohmann::json numbers_of(const std::string& name) {
    return nlohmann::json::parse(read(folder_ / "all" / name / "numbers.json"));
  }
  void expect_agreement(const std::string& name) {
    const auto numbers = numbers_of(name);
    ASSERT_FALSE(numbers.at("statements").empty()) << name;
    for (const auto& statement : numbers.at("statements"))
      EXPECT_TRUE(statement.at("agrees").get<bool>()) << statement.dump(2);
  }
  void expect_figures();
  void expect_runs();
  void expect_report();
};

void ReproduceAll::expect_figures() {
  for (const char* name : {"equivariance", "depth", "reconstruction-error"}) expect_agreement(name);
  const auto layers = numbers_of("equivariance").at("measured");
  ASSERT_EQ(layers.size(), 4U);
  for (size_t layer = 0; layer < 2; ++layer)
    EXPECT_LT(layers[layer].at("error (mean)").get<double>(), layers[layer + 2].at("error (mean)").get<double>())
        << "ScDCFNet is more equivariant than the CNN";
  const auto deepest = numbers_of("depth").at("measured").back();
  for (const std::string taps : {"L=2", "L=3", "L=5"})
    EXPECT_LT(deepest.at("replicate " + taps).get<double>(), deepest.at("zero " + taps).get<double>());
  EXPECT_DOUBLE_EQ(deepest.at("replicate L=1").get<double>(), deepest.at("zero L=1").get<double>())
      << "one tap needs no padding";
  for (const char* picture : {"equivariance/equivariance.png", "reconstruction/reconstruction.png"})
    EXPECT_EQ(read(folder_ / "all" / picture).substr(1, 3), "PNG") << picture;
  for (const char* plot : {"depth/depth", "reconstruction-error/reconstruction-error"})
    EXPECT_TRUE(fs::exists(folder_ / "all" / (std::string(plot) + ".dat"))) << plot;
}

void ReproduceAll::expect_runs() {
  std::istringstream lines(read(folder_ / "all" / "results.jsonl"));
  std::map<std::string, double> best;  // accuracy, by network
  int runs = 0;
  for (std::string line; std::getline(lines, line); ++runs) {
    const auto json = nlohmann::json::parse(line);
    EXPECT_EQ(json.at("status"), "done") << line.substr(0, 400);
    if (json.at("measure") == "cost") continue;
    auto& accuracy = best[json.at("used").at("model").at("name").get<std::string>()];
    accuracy = std::max(accuracy, json.at("accuracy").get<double>());
  }
  EXPECT_GE(runs, 30);
  for (const char* model : {"cnn", "dss", "sesn", "scdcfnet"})
    EXPECT_GT(best[model], 0.25) << model << " must have learned: chance is 0.1";
  for (const char* variant :
       {"resnet16", "resnet16-lsi", "resnet16-si", "resnet16-ss", "resnet16-dss", "resnet16-sesn", "resnet16-scdcf"})
    EXPECT_EQ(best.count(variant), 1U) << variant;
}

void ReproduceAll::expect_report() {
  const auto report = run({"report", (folder_ / "all").string()}, kHang);
  ASSERT_EQ(report.code, 0) << report.err;
  const auto markdown = read(folder_ / "all" / "report" / "report.md");
  for (const char* part :
       {"scdcfnet", "resnet16-scdcf", "Unseen scales", "STIR", "Large scale", "Deformation", "Cost at 28 pixels"})
    EXPECT_NE(markdown.find(part), std::string::npos) << part;
}

TEST_F(ReproduceAll, quick_form_ends_and_says_what_the_paper_says) {
  const auto result =
      run({"--threads", "1", "reproduce", "all", "--quick", "--out", (folder_ / "all").string()}, kHang);
  ASSERT_EQ(result.code, 0) << result.err;
  expect_figures();
  expect_runs();
  expect_report();
}

}  // namespace
