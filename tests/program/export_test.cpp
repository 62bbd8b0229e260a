// scdcf export: files that others read, and none of the user's overwritten.
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "program/small_run.h"
#include "scdcf/pixels/image_file.h"
#include "support/onnx_file.h"

namespace {

namespace fs = std::filesystem;

/// A run that all of them look at; training it takes longer than they do.
class Export : public scdcf::testing::SmallRun {
 protected:
  static void SetUpTestSuite() { shared_ = std::make_unique<scdcf::testing::TemporaryFolder>(); }
  static void TearDownTestSuite() { shared_.reset(); }
  void SetUp() override {
    if (fs::exists(trained())) return;
    const auto result = run(train(trained(), {"--epochs", "1", "--model", "scdcfnet"}));
    ASSERT_EQ(result.code, 0) << result.err;
  }
  static fs::path trained() { return shared_->path("run"); }

  Result exported(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"--threads", "1", "export", trained()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }

 private:
  inline static std::unique_ptr<scdcf::testing::TemporaryFolder> shared_;
};

TEST_F(Export, writes_onnx_with_all_that_is_needed_to_use_it) {
  const auto file = folder_ / "below" / "a.onnx";
  const auto result = exported({"--out", file, "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto told = nlohmann::json::parse(result.out);
  EXPECT_LE(told.at("difference").get<double>(), 1e-5);
  EXPECT_EQ(told.at("real_images"), 100);
  EXPECT_EQ(told.at("bytes"), fs::file_size(file));
  const scdcf::testing::OnnxFile model(read(file));
  EXPECT_EQ(model.shapes.at("images"), (std::vector<std::string>{"N", "1", "12", "12"}));
  EXPECT_EQ(model.shapes.at("scores"), (std::vector<std::string>{"N", "10"}));
  EXPECT_EQ(model.metadata.at("model"), "scdcfnet");
  EXPECT_EQ(nlohmann::json::parse(model.metadata.at("classes")).size(), 10U);
  EXPECT_EQ(nlohmann::json::parse(model.metadata.at("options")).at("scales"), 3);
  EXPECT_EQ(model.metadata.at("size"), "12");
  EXPECT_EQ(model.metadata.at("channels"), "1");
  EXPECT_EQ(model.metadata.at("fit"), "crop");
  EXPECT_EQ(model.metadata.at("background"), "0");
  EXPECT_EQ(model.metadata.at("scaling"), "pixel / 255");
  const auto beside = nlohmann::ordered_json::parse(read(file.string() + ".json"));
  for (const auto& [key, text] : model.metadata)
    EXPECT_EQ(beside.at(key).is_string() ? beside.at(key).get<std::string>() : beside.at(key).dump(), text) << key;
  for (const char* key : {"mean", "deviation"})
    EXPECT_EQ(nlohmann::json::parse(model.metadata.at(key)).size(), 1U) << key;
}

TEST_F(Export, writes_torchscript_with_and_without_its_own_operators) {
  for (const char* operators : {"torch", "scdcf"}) {
    const auto file = folder_ / (std::string(operators) + ".pt");
    const auto result = exported({"--to", "torchscript", "--operators", operators, "--out", file});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_NE(result.out.find("scores differ by at most"), std::string::npos) << result.out;
    EXPECT_NE(read(file).find("scdcf.export.json"), std::string::npos);
  }
}

TEST_F(Export, tells_of_files_whose_names_are_no_utf8) {
  const auto file = folder_ / "a\xff.onnx";
  const auto result = exported({"--out", file, "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(fs::exists(file));
  EXPECT_EQ(nlohmann::json::parse(result.out).at("bytes"), fs::file_size(file));
}

TEST_F(Export, goes_without_real_images_where_there_are_none_and_says_so) {
  const auto pictures = folder_ / "pictures", own = folder_ / "run";
  for (const char* name : {"a", "b"}) {
    fs::create_directories(pictures / name);
    for (int i = 0; i < 20; ++i) {
      const scdcf::pixels::Image image{1, 12, 12, scdcf::files::Bytes(144, static_cast<std::uint8_t>(10 * i))};
      scdcf::pixels::write_png((pictures / name / (std::to_string(i) + ".png")).string(), image);
    }
  }
  ASSERT_EQ(run(train(own, {"--epochs", "1", "--data", pictures, "--train-size", "0", "--test-size", "0"})).code, 0);
  fs::remove_all(pictures);
  const auto result = run({"--threads", "1", "export", own, "--out", folder_ / "a.onnx"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("no real images: "), std::string::npos) << result.out;
}

TEST_F(Export, overwrites_what_it_wrote_and_nothing_else) {
  const auto file = folder_ / "a.onnx", other = folder_ / "thesis.txt";
  write(other, "precious");
  for (const char* format : {"onnx", "torchscript", "onnx"})
    EXPECT_EQ(exported({"--to", format, "--out", file}).code, 0) << format;
  const auto refused = [&](const fs::path& out, const std::vector<std::string>& words) {
    expect_bad_input({"export", trained(), "--out", out}, words);
  };
  refused(other, {"--out", "thesis.txt", "not written by scdcf export"});
  refused(folder_, {"--out", "no file"});
  refused(other / "below.onnx", {"thesis.txt"});
  EXPECT_EQ(read(other), "precious");
  EXPECT_EQ(names_in(folder_), (std::vector<std::string>{"a.onnx", "a.onnx.json", "thesis.txt"}));
  write(folder_ / "b.onnx.json", "precious");
  refused(folder_ / "b.onnx", {"--out", "b.onnx.json", "not written by scdcf export"});
  EXPECT_FALSE(fs::exists(folder_ / "b.onnx"));
}

TEST_F(Export, bad_arguments_give_one_line) {
  const auto file = (folder_ / "a.onnx").string();
  expect_bad_input({"export", trained()}, {"--out"});
  expect_bad_input({"export", trained(), "--out", file, "--to", "paper"}, {"--to", "paper", "torchscript"});
  expect_bad_input({"export", trained(), "--out", folder_ / "a.pt"}, {"--out", "a.pt", "ONNX", "--to torchscript"});
  expect_bad_input({"export", trained(), "--out", file, "--filters", "some"}, {"--filters", "some"});
  expect_bad_input({"export", trained(), "--out", file, "--operators", "scdcf"}, {"--operators", "ONNX"});
  expect_bad_input({"export", folder_, "--out", file}, {folder_.string()});
  EXPECT_FALSE(fs::exists(file));
}

}  // namespace
