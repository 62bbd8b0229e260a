// `scdcf reproduce --quick`: every figure is drawn, and its numbers say what the paper says.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/program_test.h"

namespace {

namespace fs = std::filesystem;

class ReproduceFigures : public scdcf::testing::ProgramTest {
 protected:
  /// Runs an experiment in its quick form on drawn glyphs and returns its numbers.json.
  nlohmann::json numbers_of(const std::string& name) {
    const auto result = run({"reproduce", name, "--quick", "--data", "glyphs", "--out", folder_.string()}, 300);
    EXPECT_EQ(result.code, 0) << result.err;
    output_ = result.out;
    return nlohmann::json::parse(read(folder_ / name / "numbers.json"));
  }
  static void expect_agreement(const nlohmann::json& numbers) {
    ASSERT_FALSE(numbers.at("statements").empty());
    for (const auto& statement : numbers.at("statements"))
      EXPECT_TRUE(statement.at("agrees").get<bool>()) << statement.dump(2);
  }
  std::string output_;
};

TEST_F(ReproduceFigures, equivariance_holds_better_in_scdcfnet_than_in_the_cnn) {
  const auto numbers = numbers_of("equivariance");
  const auto& rows = numbers.at("measured");
  ASSERT_EQ(rows.size(), 4U);
  for (size_t layer = 0; layer < 2; ++layer)
    EXPECT_LT(rows[layer].at("error (mean)").get<double>(), rows[layer + 2].at("error (mean)").get<double>());
  EXPECT_EQ(read(folder_ / "equivariance" / "equivariance.png").substr(1, 3), "PNG");
  EXPECT_NE(output_.find("ScDCFNet"), std::string::npos);
}

TEST_F(ReproduceFigures, depth_hurts_less_with_replicate_padding) {
  const auto numbers = numbers_of("depth");
  expect_agreement(numbers);
  const auto& deepest = numbers.at("measured").back();
  for (const char* taps : {"L=2", "L=3", "L=5"})
    EXPECT_LT(deepest.at(std::string("replicate ") + taps).get<double>(),
              deepest.at(std::string("zero ") + taps).get<double>());
  EXPECT_DOUBLE_EQ(deepest.at("replicate L=1").get<double>(), deepest.at("zero L=1").get<double>())
      << "one tap needs no padding";
  EXPECT_TRUE(fs::exists(folder_ / "depth" / "depth.dat"));
}

TEST_F(ReproduceFigures, without_a_name_it_lists_what_there_is) {
  const auto result = run({"reproduce"});
  EXPECT_EQ(result.code, 0) << result.err;
  for (const char* name : {"equivariance", "depth", "reconstruction", "reconstruction-error"})
    EXPECT_NE(result.out.find(name), std::string::npos) << name;
}

TEST_F(ReproduceFigures, bad_words_are_refused_by_name) {
  expect_bad_input({"reproduce", "figure9"}, {"figure9"});
  expect_bad_input({"reproduce", "depth", "--data", "cats", "--out", folder_.string()}, {"--data", "cats"});
}

}  // namespace
