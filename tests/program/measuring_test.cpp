// bench and verify: what they measure is told whole, and is right where it can be known. Mostly on one thread: what
// else runs on the machine makes two that wait for each other take many times as long.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "support/program_test.h"

namespace {

namespace fs = std::filesystem;

using Measuring = scdcf::testing::ProgramTest;

TEST_F(Measuring, bench_times_the_training_step_in_every_form_against_torchs_layers) {
  const auto result = run({"bench", "--group", "training", "--batch", "2", "--seconds", "0", "--json"}, 200);
  ASSERT_EQ(result.code, 0) << result.err;
  const auto steps = nlohmann::json::parse(result.out)["training"];
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0]["algorithm"], "composed");
  EXPECT_EQ(steps[0]["norm"], "torch");
  EXPECT_EQ(steps[1]["algorithm"], "separable");
  EXPECT_EQ(steps[1]["norm"], "fused");
  for (const auto& step : steps)
    EXPECT_NEAR(step["ratio"].get<double>(), steps[0]["ms"].get<double>() / step["ms"].get<double>(), 1e-9);
  const double convolutions = steps[1]["convolutions_ms"].get<double>();
  EXPECT_GT(convolutions, 0);
  EXPECT_NEAR(steps[1]["outside_convolutions"].get<double>(), 1 - convolutions / steps[1]["ms"].get<double>(), 1e-9);
}

TEST_F(Measuring, bench_times_a_training_step_of_every_network) {
  const auto result =
      run({"--threads", "1", "bench", "--group", "networks", "--batch", "2", "--seconds", "0", "--json"}, 400);
  ASSERT_EQ(result.code, 0) << result.err;
  const auto networks = nlohmann::json::parse(result.out)["networks"];
  std::map<std::string, double> ms;
  for (const auto& network : networks) {
    ASSERT_FALSE(network.contains("error")) << network.dump();
    ms[network["network"]] = network["ms"];
    const double plain = ms.at(network["size"] == 96 ? "resnet16" : "cnn");
    EXPECT_NEAR(network["time_over_plain"].get<double>(), network["ms"].get<double>() / plain, 1e-9);
    EXPECT_NEAR(network["images_per_second"].get<double>(), 2e3 / network["ms"].get<double>(), 1e-6);
    EXPECT_GT(network["parameters"].get<int64_t>(), 100000);
  }
  for (const char* name : {"scdcfnet", "cnn", "lsi-cnn", "si-cnn", "ss-cnn", "sevf", "dss", "sesn", "resnet16-scdcf"})
    EXPECT_EQ(ms.count(name), 1U) << name;
}

TEST_F(Measuring, bench_goes_on_where_one_network_fails) {
  // The norm behind the hidden layer cannot normalise over one image; the resnets have no such layer.
  const auto result = run({"--threads", "1", "bench", "--group", "networks", "--batch", "1", "--seconds", "0"}, 400);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("expected more than one value per channel"), std::string::npos) << result.out;
  const auto row = result.out.find("resnet16-scdcf");
  ASSERT_NE(row, std::string::npos);
  EXPECT_EQ(result.out.find("failed", row), std::string::npos);
}

TEST_F(Measuring, bench_judges_and_times_every_form) {
  const auto result =
      run({"--threads", "1", "bench", "--group", "smnist28", "--batch", "1", "--seconds", "0", "--json"}, 200);
  ASSERT_EQ(result.code, 0) << result.err;
  const auto layers = nlohmann::json::parse(result.out).at("layers");
  ASSERT_EQ(layers.size(), 3u);
  for (const auto& layer : layers)
    for (const char* form : {"grouped", "composed", "separable"}) {
      EXPECT_LE(layer.at(form).at("error").get<double>(), 1e-5);
      EXPECT_GT(layer.at(form).at("forward_backward_ms").get<double>(), 0);
    }
}

TEST_F(Measuring, bench_holds_every_shape_against_the_limit_of_the_device) {
  const auto result =
      run({"--threads", "1", "bench", "--group", "shapes", "--batch", "1", "--seconds", "0", "--json"}, 200);
  ASSERT_EQ(result.code, 0) << result.err;
  const auto shapes = nlohmann::json::parse(result.out).at("shapes");
  std::set<std::string> groups;
  int judged = 0;
  for (const auto& shape : shapes) {
    groups.insert(shape.at("group"));
    EXPECT_GT(shape.at("ms").get<double>(), 0);
    EXPECT_GT(shape.at("limit_ms").get<double>(), 0);
    EXPECT_GT(shape.at("products_ms").get<double>(), 0);
    if (!shape.contains("error")) continue;
    ++judged;
    EXPECT_LE(shape.at("error").get<double>(), 1e-5);
  }
  EXPECT_EQ(groups, (std::set<std::string>{"rows", "lines", "planes", "modes", "width", "taps"}));
  EXPECT_GT(judged, 30);
}

TEST_F(Measuring, verify_confirms_the_four_statements_and_draws_them) {
  const fs::path figures = folder_ / "below" / "figures";
  const auto result = run({"verify", "--json", "--out", figures.string()}, 500);
  ASSERT_EQ(result.code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_TRUE(json.at("holds").get<bool>());
  ASSERT_EQ(json.at("claims").size(), 4U);
  const bool has_gnuplot = std::system("command -v gnuplot >/dev/null 2>&1") == 0;
  for (const auto& claim : json.at("claims")) {
    const auto id = claim.at("id").get<std::string>();
    EXPECT_TRUE(claim.at("holds").get<bool>()) << claim.dump(2);
    EXPECT_FALSE(claim.at("measured").empty()) << id;
    const std::vector<std::string> data_only = {".dat", ".gp"}, all = {".dat", ".gp", ".png", ".svg"};
    for (const auto& extension : has_gnuplot ? all : data_only) {
      const fs::path file = figures / (id + extension);
      ASSERT_TRUE(fs::exists(file)) << file;
      EXPECT_GT(fs::file_size(file), 0U) << file;
    }
    if (has_gnuplot) {
      EXPECT_EQ(read(figures / (id + ".png")).substr(1, 3), "PNG");
    }
  }
  for (const auto& entry : fs::directory_iterator(figures)) EXPECT_NE(entry.path().extension(), ".part");
}

}  // namespace
