// The same image gives the same scores in eval, predict, Python, TorchScript and ONNX, in a browser too, however it is
// fitted: oblong, larger and smaller than the network's input, turned by EXIF, grey, transparent, PNG and JPEG.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "program/small_run.h"
#include "support/encoders.h"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using scdcf::files::Bytes;
using scdcf::pixels::Image;

/// Waves, which no two ways to fit an image show alike.
Image waves(int channels, int height, int width, double phase) {
  Image image{channels, height, width, {}};
  for (int c = 0; c < channels; ++c)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const double at = 5.0 * x / width + 3.0 * y / height;
        image.pixels.push_back(static_cast<std::uint8_t>(128 + 120 * std::sin(at + phase + c)));
      }
  return image;
}

Bytes transparent_png(const Image& image) {
  const std::size_t area = image.pixels.size() / 3;
  Bytes rows;
  for (std::size_t i = 0; i < area; ++i)
    for (const auto value : {std::size_t{image.pixels[i]}, std::size_t{image.pixels[i + area]},
                             std::size_t{image.pixels[i + 2 * area]}, i * 255 / area})
      rows.push_back(static_cast<std::uint8_t>(value));
  return scdcf::testing::png(PNG_COLOR_TYPE_RGB_ALPHA, 8, image.height, image.width, rows);
}

class Fit : public scdcf::testing::SmallRun {
 protected:
  void write_bytes(const fs::path& file, const Bytes& bytes) {
    fs::create_directories(file.parent_path());
    write(file, std::string(bytes.begin(), bytes.end()));
  }

  /// Two classes of oblong images, and test images of every kind.
  void write_set() {
    using scdcf::pixels::encode_png;
    using scdcf::testing::jpeg;
    double phase = 0;
    for (const std::string name : {"cat", "dog"}) {
      phase += 2;
      for (int i = 0; i < 4; ++i)
        write_bytes(set_ / "train" / name / (std::to_string(i) + ".png"),
                    encode_png(waves(3, 50 - 7 * i, 35, phase + 0.1 * i)));
      const auto folder = set_ / "test" / name;
      write_bytes(folder / "wide.png", encode_png(waves(3, 40, 91, phase)));
      write_bytes(folder / "tall.png", encode_png(waves(3, 90, 37, phase)));
      write_bytes(folder / "small.png", encode_png(waves(3, 9, 14, phase)));
      write_bytes(folder / "grey.png", encode_png(waves(1, 30, 50, phase)));
      write_bytes(folder / "clear.png", transparent_png(waves(3, 33, 50, phase)));
      write_bytes(folder / "photo.jpg", jpeg(waves(3, 70, 101, phase)));
      write_bytes(folder / "turned.jpg", scdcf::testing::with_orientation(jpeg(waves(3, 64, 40, phase)), 6, true));
      write_bytes(folder / "grey.jpg", jpeg(waves(1, 20, 45, phase)));
    }
  }

  /// The scores of predict, by file; those of eval are the same.
  std::map<std::string, json> predicted(const fs::path& run_folder) {
    std::map<std::string, json> scores;
    const auto predict = run({"--threads", "1", "predict", run_folder, set_ / "test", "--json"});
    EXPECT_EQ(predict.code, 0) << predict.err;
    for (const auto& row : json::parse(predict.out)) scores[row.at("image")] = row;
    for (const auto& data : {set_, set_ / "."}) {  // the run's own data, and another set
      const auto eval = run({"--threads", "1", "eval", run_folder, "--data", data, "--json", "--each"});
      EXPECT_EQ(eval.code, 0) << eval.err;
      const auto rows = json::parse(eval.out).at("predictions");
      EXPECT_EQ(rows.size(), scores.size());
      for (const auto& row : rows) {
        const auto& same = scores[(set_ / row.at("image").get<std::string>()).string()];
        EXPECT_EQ(row.at("label"), same.at("label"));
        expect_near(same, values_of(row.at("scores")), 1e-5, "eval");
      }
    }
    return scores;
  }

  static std::vector<double> values_of(const json& scores) {
    std::vector<double> values;
    for (const auto& score : scores) values.push_back(score);
    return values;
  }

  static void expect_near(const json& row, const std::vector<double>& got, double tolerance, const std::string& who) {
    const auto expected = values_of(row.at("scores"));
    ASSERT_EQ(got.size(), expected.size()) << who;
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], tolerance) << who << row.at("image");
    EXPECT_EQ(got[0] > got[1], expected[0] > expected[1]) << who << row.at("image");
  }

  fs::path set_ = folder_ / "set";
};

TEST_F(Fit, gives_the_same_scores_everywhere) {
  write_set();
  json request = {{"runs", json::array()}, {"files", json::array()}};
  std::vector<std::map<std::string, json>> predictions;
  for (const std::string fit : {"crop", "pad", "stretch"}) {
    const auto run_folder = folder_ / fit;
    auto training = train(run_folder, {"--data", set_, "--size", "24", "--train-size", "0", "--test-size", "0",
                                       "--epochs", "10", "--batch", "4", "--learning-rate", "0.01"});
    if (fit != "crop") training.insert(training.end(), {"--fit", fit});
    const auto trained = run(training, 300);
    ASSERT_EQ(trained.code, 0) << trained.err;
    predictions.push_back(predicted(run_folder));
    json exported = {{"run", run_folder}, {"onnx", run_folder / "a.onnx"}, {"torchscript", run_folder / "a.pt"}};
    for (const char* format : {"onnx", "torchscript"}) {
      const auto file = exported.at(format).get<std::string>();
      const auto result = run({"--threads", "1", "export", run_folder, "--to", format, "--out", file});
      ASSERT_EQ(result.code, 0) << result.err;
      const auto beside = json::parse(read(file + ".json"));
      EXPECT_EQ(beside.at("fit"), fit);
      EXPECT_EQ(beside.at("size"), 24);
      EXPECT_EQ(beside.at("scaling"), "pixel / 255");
      EXPECT_EQ(beside.at("classes"), json({"cat", "dog"}));
    }
    request["runs"].push_back(exported);
  }
  std::map<std::string, std::size_t> differing;  // files that are not shown alike: the fits are not one and the same
  for (const auto& [file, row] : predictions[0]) {
    request["files"].push_back(file);
    differing["pad"] += row.at("scores") != predictions[1][file].at("scores") ? 1 : 0;
  }
  EXPECT_GT(differing["pad"], 0U);
  request["python_scores"] = folder_ / "python.json";
  request["browser_scores"] = folder_ / "browser.json";

  const auto answers = [&](const std::string& command, const char* key) {
    write(folder_ / "request.json", request.dump());
    EXPECT_EQ(std::system((command + " '" + (folder_ / "request.json").string() + "'").c_str()), 0) << command;
    return json::parse(read(request.at(key).get<std::string>()));
  };
  const auto& files = request.at("files");
  const auto jpeg = [](const std::string& file) { return fs::path(file).extension() == ".jpg"; };
  if (const std::string python = SCDCF_PYTHON_COMMAND; !python.empty()) {
    const auto scores = answers(python, "python_scores");
    for (std::size_t r = 0; r < predictions.size(); ++r)
      for (const char* who : {"run", "torchscript"})
        for (std::size_t i = 0; i < files.size(); ++i)
          expect_near(predictions[r][files[i]], scores[r].at(who)[i], 1e-5, who);
  }
  if (const std::string browser = SCDCF_BROWSER_COMMAND; !browser.empty()) {
    write(folder_ / "photo.tif", std::string("II*\0", 4));
    auto& all = request["files"];
    all.push_back(folder_ / "photo.tif");
    const auto scores = answers(browser, "browser_scores");
    for (std::size_t r = 0; r < predictions.size(); ++r) {
      for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        const auto& got = scores[r].at(std::to_string(i));
        ASSERT_TRUE(got.is_array()) << got;
        expect_near(predictions[r][all[i]], got, jpeg(all[i]) ? 1e-2 : 1e-5, "browser");
      }
      EXPECT_EQ(scores[r].at(std::to_string(all.size() - 1)), "photo.tif: this browser cannot decode image/tiff");
    }
  }
}

TEST_F(Fit, photos_of_several_sizes_train_at_the_first_try) {
  write_set();
  write(set_ / "train/cat/a.webp", "RIFFsizeWEBPVP8 ");
  const auto result = run({"--threads", "1", "train", "--model", "cnn", "--channels", "4,4,4", "--hidden", "16",
                           "--data", set_, "--batch", "4", "--epochs", "1", "--out", folder_ / "run"},
                          300);
  ASSERT_EQ(result.code, 0) << result.err;
  for (const char* words : {"image size 32 x 32", "--size", "1 WebP"})
    EXPECT_NE((result.out + result.err).find(words), std::string::npos) << words << " in " << result.out << result.err;
  EXPECT_EQ(json::parse(read(folder_ / "run/config.json")).at("data").at("size"), 32);
  EXPECT_EQ(run({"--threads", "1", "train", "--out", folder_ / "run", "--resume"}).code, 0);
  expect_bad_input({"train", "--data", set_ / "train/cat", "--out", folder_ / "flat"},
                   {"holds 4 images and no folders", "1 WebP"});
  expect_bad_input({"train", "--data", set_, "--fit", "squeeze"}, {"--fit", "squeeze", "crop, pad or stretch"});
}

}  // namespace
