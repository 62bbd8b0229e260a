#include "scdcf/data/datasets.h"

#include <algorithm>
#include <cmath>

#include "scdcf/data/dataset_list.h"
#include "scdcf/data/places.h"
#include "support/encoders.h"
#include "support/expect_error.h"
#include "support/variable.h"

namespace scdcf::data {
namespace {

using testing::expect_error;
using testing::real_data;
using testing::TemporaryFolder;
using testing::Variable;

DataOptions named(const std::string& name, const std::string& data_dir = "") {
  DataOptions options;
  options.name = name;
  options.data_dir = data_dir;
  return options;
}

std::int64_t with_label(const ImageSet& set, std::int32_t label) {
  return std::count(set.labels.begin(), set.labels.end(), label);
}

void expect_whole(const ImageSet& set) {
  EXPECT_EQ(static_cast<std::int64_t>(set.pixels.size()), set.count() * set.image_bytes());
  EXPECT_TRUE(set.scales.empty() || static_cast<std::int64_t>(set.scales.size()) == set.count());
  EXPECT_TRUE(set.centres.empty() || static_cast<std::int64_t>(set.centres.size()) == set.count());
  for (const auto label : set.labels) ASSERT_LT(label, static_cast<std::int32_t>(set.class_names.size()));
}

TEST(Places, are_looked_in_in_order) {
  const Variable data("SCDCF_DATA", "/named"), cache("XDG_CACHE_HOME", "/cache");
  EXPECT_EQ(data_places("/asked"),
            (std::vector<std::string>{"/asked", "/named", "data", "/usr/share/datasets", "/cache/scdcf"}));
  EXPECT_EQ(data_places("")[0], "/named");
  const Variable no_cache("XDG_CACHE_HOME", ""), home("HOME", "/home/me");
  EXPECT_EQ(cache_folder(), "/home/me/.cache/scdcf");
}

TEST(Load, finds_sets_by_name_the_asked_folder_first) {
  const TemporaryFolder asked, variable;
  testing::write_idx_part(asked, "mnist/train", 240);
  testing::write_idx_part(asked, "mnist/t10k", 30);
  testing::write_idx_part(variable, "mnist/train", 20);
  testing::write_idx_part(variable, "fashion/train", 20);
  const Variable data("SCDCF_DATA", variable.path());
  EXPECT_EQ(find_dataset("mnist", asked.path()), asked.path("mnist"));
  EXPECT_EQ(find_dataset("fashion", asked.path()), variable.path("fashion"));
  const auto splits = load(named("mnist", asked.path()));
  EXPECT_EQ(splits.name, "mnist");
  EXPECT_EQ(splits.train.count(), 220);
  EXPECT_EQ(splits.validation.count(), 20);
  EXPECT_EQ(splits.test.count(), 30);
  for (const auto* part : {&splits.train, &splits.validation, &splits.test}) expect_whole(*part);
  for (int label = 0; label < 10; ++label) EXPECT_EQ(with_label(splits.validation, label), 2);
  EXPECT_EQ(splits.train.image(3)[5], splits.train.labels[3]);
  expect_error([&] { load(named("smnist", asked.path())); }, "pool of 270");
}

TEST(Load, cuts_and_resizes) {
  const TemporaryFolder folder;
  testing::write_idx_part(folder, "mnist/train", 240);
  testing::write_idx_part(folder, "mnist/t10k", 30);
  auto options = named("mnist", folder.path());
  options.train_size = 50;
  options.test_size = 10;
  options.size = 16;
  options.validation_share = 0;
  const auto splits = load(options);
  auto too_many = options;
  too_many.test_size = 31;
  expect_error([&] { load(too_many); }, "test_size", "got 31", "30");
  EXPECT_EQ(splits.train.count(), 50);
  EXPECT_EQ(splits.validation.count(), 0);
  EXPECT_EQ(splits.test.count(), 10);
  EXPECT_EQ(splits.train.height, 16);
  for (int label = 0; label < 10; ++label) EXPECT_NEAR(with_label(splits.train, label), 5, 1);
  EXPECT_NEAR(splits.mean[0], 4.5 / 255, 1e-3);

  auto black = options;
  black.normalisation = "black";  // stays at zero; the root mean square is 1
  const auto kept = load(black);
  EXPECT_EQ(kept.mean[0], 0);
  EXPECT_NEAR(kept.deviation[0], std::hypot(splits.mean[0], splits.deviation[0]), 1e-12);
  black.normalisation = "white";
  expect_error([&] { load(black); }, "normalisation", "\"white\"", "standard or black");
}

TEST(Load, a_validation_share_of_0_is_no_validation_on_every_set) {
  for (const char* name : {"glyphs", "sglyphs", "stir-glyphs", "glyphs-large-scale"}) {
    auto options = named(name);
    options.train_size = options.validation_size = options.test_size = 20;
    if (std::string(name) == "stir-glyphs") options.train_size = options.test_size = 48 * 10;
    const auto with = load(options);
    options.validation_share = 0;
    options.size = 16;
    const auto without = load(options);
    EXPECT_GT(with.validation.count(), 0) << name;
    EXPECT_EQ(without.validation.count(), 0) << name;
    EXPECT_EQ(without.train.count(), with.train.count()) << name;
    EXPECT_EQ(without.test.labels, with.test.labels) << name;
  }
}

TEST(Load, missing_and_wrong_requests_are_one_line) {
  const TemporaryFolder empty;
  const Variable data("SCDCF_DATA", empty.path()), cache("XDG_CACHE_HOME", empty.path());
  const auto with = [&](auto change) {
    return [=] {
      auto options = named("sglyphs");
      change(options);
      load(options);
    };
  };
  if (find_dataset("mnist", "").empty())
    expect_error([] { load(named("smnist")); }, "smnist", "scdcf data fetch mnist");
  expect_error([] { load(named("no-such-set")); }, "no-such-set", "there are mnist, fashion, glyphs");
  EXPECT_THROW(
      try { load(named("no-such-set")); } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()).find("fetch"), std::string::npos) << error.what();
        throw;
      },
      Error);
  expect_error([] { load(named("\xff")); }, "data", "\\xff", "not UTF-8");
  expect_error([] { load(named("")); }, "no data set of this name");
  expect_error([] { load(named("mnist", "/no/such/folder")); }, "data_dir", "/no/such/folder");
  expect_error(with([](auto& o) { o.realisation = -1; }), "realisation", "got -1");
  expect_error(with([](auto& o) { o.size = -3; }), "size", "got -3");
  expect_error(with([](auto& o) { o.train_size = 10001; }), "train_size", "got 10001", "10000");
  expect_error(with([](auto& o) { o.validation_share = 1; }), "validation_share", "got 1");
  expect_error(with([](auto& o) { o.smallest_factor = std::nan(""); }), "smallest_factor", "got nan");
  expect_error(with([](auto& o) { o.fold = 3; }), "fold", "sglyphs", "only to stl10");
  expect_error(with([](auto& o) { o.channels = 3; }), "image_channels", "sglyphs", "only to image folders");
}

TEST(Load, the_ground_is_black_in_all_that_is_made_of_digits_and_clothes) {
  for (const std::string base : {"mnist", "fashion", "glyphs"})
    for (const auto& name : {base, "s" + base, "stir-" + base, base + "-large-scale"})
      EXPECT_EQ(ground_of(name), 0) << name;
  for (const auto* name : {"stl10", "photographs", "", "stir-", "stir-photographs", "ssmnist"})
    EXPECT_EQ(ground_of(name), 255) << name;
  auto options = named("sglyphs");
  options.train_size = options.validation_size = options.test_size = 10;
  EXPECT_TRUE(load(options).black_ground);
  const TemporaryFolder folder;
  for (const std::string name : {"a/1", "a/2", "a/3", "b/1", "b/2", "b/3"})
    folder.write("shapes/" + name + ".png", pixels::encode_png(testing::ramp(1, 6, 6)));
  EXPECT_FALSE(load(named(folder.path("shapes"))).black_ground);
}

TEST(Load, image_folders_are_fitted_and_laid_on_a_background) {
  const TemporaryFolder folder;
  const auto clear = testing::png(PNG_COLOR_TYPE_GRAY_ALPHA, 8, 1, 3, {10, 255, 20, 0, 30, 255});
  for (const std::string file : {"set/a/1.png", "set/a/2.png", "set/b/1.png"}) folder.write(file, clear);
  folder.write("set/boxes.csv",
               testing::bytes_of("class,file,x0,y0,x1,y1\na,1.png,1,0,1,0\na,2.png,1,0,1,0\nb,1.png,0,0,2,0\n"));
  auto options = named(folder.path("set"));
  options.validation_share = 0;
  options.size = 1;
  EXPECT_EQ(load(options).test.pixels, (files::Bytes{255})) << "one pixel in the middle, on white";
  options.background = 7;
  EXPECT_EQ(load(options).test.pixels, (files::Bytes{7}));
  options.fit = "stretch";
  EXPECT_EQ(load(options).test.pixels, (files::Bytes{16})) << "the mean of 10, 7 and 30";
  const auto outline = outline_of(options);
  EXPECT_EQ(outline.train.count(), 3);
  ASSERT_EQ(outline.train.scales.size(), 3U);
  EXPECT_FLOAT_EQ(outline.train.scales[0], std::sqrt(1.0F / 3));
  options.fit = "squeeze";
  expect_error([&] { load(options); }, "fit", "squeeze", "crop, pad or stretch");
}

TEST(Load, image_folders_by_path_and_by_name) {
  const TemporaryFolder folder;
  for (const char* name : {"a", "b"})
    for (int i = 0; i < 30; ++i)
      folder.write("shapes/" + std::string(name) + "/" + std::to_string(i) + ".png",
                   pixels::encode_png(testing::ramp(1, 6, 6)));
  const auto by_path = load(named(folder.path("shapes")));
  EXPECT_EQ(by_path.train.count() + by_path.validation.count() + by_path.test.count(), 60);
  EXPECT_NEAR(static_cast<double>(by_path.test.count()), 12, 9);  // three deviations
  EXPECT_GE(by_path.validation.count(), 1);
  EXPECT_EQ(checksum(by_path), checksum(load(named("shapes", folder.path()))));
  const auto list = list_datasets(folder.path());
  const auto found = std::find_if(list.begin(), list.end(), [](const auto& info) { return info.name == "shapes"; });
  ASSERT_NE(found, list.end());
  EXPECT_EQ(found->found_at, folder.path("shapes"));
}

/// A folder of 40 pictures, each of a colour of its own, under `root`.
void write_colours(const TemporaryFolder& folder, const std::string& root, int first) {
  for (int i = 0; i < 40; ++i)
    folder.write(root + (i % 2 == 0 ? "/a/" : "/b/") + std::to_string(i) + ".png",
                 pixels::encode_png({1, 2, 2, files::Bytes(4, static_cast<std::uint8_t>(first + i))}));
}

std::vector<int> colours_of(const ImageSet& set) {
  std::vector<int> colours;
  for (std::int64_t i = 0; i < set.count(); ++i) colours.push_back(set.image(i)[0]);
  std::sort(colours.begin(), colours.end());
  return colours;
}

TEST(Load, a_picture_that_goes_moves_no_other_into_the_test_part) {
  const TemporaryFolder folder;
  write_colours(folder, "set", 0);
  const auto before = load(named(folder.path("set")));
  EXPECT_NE(before.note.find("no test folder"), std::string::npos) << before.note;
  for (const int gone : {before.train.image(0)[0], before.test.image(0)[0]}) {
    const auto file = folder.path((gone % 2 == 0 ? "set/a/" : "set/b/") + std::to_string(gone) + ".png");
    std::filesystem::rename(file, folder.path("kept.png"));
    const auto after = load(named(folder.path("set")));
    for (const auto part : {&Splits::train, &Splits::validation, &Splits::test}) {
      auto expected = colours_of(before.*part);
      expected.erase(std::remove(expected.begin(), expected.end(), gone), expected.end());
      EXPECT_EQ(colours_of(after.*part), expected);
    }
    std::filesystem::rename(folder.path("kept.png"), file);
  }
  auto other = named(folder.path("set"));
  other.realisation = 1;
  EXPECT_NE(colours_of(load(other).test), colours_of(before.test));
}

TEST(Load, val_is_for_validation_alone) {
  const TemporaryFolder folder;
  write_colours(folder, "set/train", 0);
  write_colours(folder, "set/val", 100);
  const auto without_test = load(named(folder.path("set")));
  EXPECT_EQ(without_test.validation.count(), 40);
  EXPECT_GE(colours_of(without_test.validation).front(), 100);
  EXPECT_EQ(without_test.train.count() + without_test.test.count(), 40);
  EXPECT_LT(colours_of(without_test.test).back(), 40) << "nothing that chose the epoch is tested on";
  EXPECT_NE(without_test.note.find("train"), std::string::npos) << without_test.note;
  write_colours(folder, "set/test", 200);
  auto options = named(folder.path("set"));
  options.train_size = options.validation_size = options.test_size = 20;
  const auto all = load(options);
  EXPECT_EQ(all.note, "");
  EXPECT_GE(colours_of(all.test).front(), 200);
  EXPECT_GE(colours_of(all.validation).front(), 100);
  EXPECT_LT(colours_of(all.train).back(), 40);
  for (const auto* part : {&all.train, &all.validation, &all.test})
    EXPECT_EQ(with_label(*part, 0), 10) << "a prefix keeps the proportions";
}

TEST(Load, stl10_with_and_without_test_pictures_and_by_fold) {
  const TemporaryFolder folder;
  std::string folds;
  files::Bytes labels;
  for (int i = 0; i < 10; ++i) folds += std::to_string(i) + " " + std::to_string(i + 10) + "\n";
  for (int i = 0; i < 20; ++i) labels.push_back(static_cast<std::uint8_t>(i % 10 + 1));
  files::Bytes pixels;
  for (int i = 0; i < 20; ++i) pixels.insert(pixels.end(), 27648, static_cast<std::uint8_t>(i));
  folder.write("stl10_binary/train_X.bin", pixels);
  folder.write("stl10_binary/train_y.bin", labels);
  folder.write("stl10_binary/class_names.txt", testing::bytes_of("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n"));
  const auto sample = load(named("stl10", folder.path()));
  EXPECT_EQ(sample.train.count() + sample.validation.count() + sample.test.count(), 20);
  EXPECT_EQ(sample.test.count(), 4);
  EXPECT_EQ(sample.mean, (std::vector<double>{.4467, .4398, .4066}));
  EXPECT_EQ(sample.deviation, (std::vector<double>{.2603, .2566, .2713}));

  folder.write("stl10_binary/test_X.bin", files::Bytes(27648));
  folder.write("stl10_binary/test_y.bin", files::Bytes{3});
  auto options = named("stl10", folder.path());
  options.fold = 4;
  expect_error([&] { load(options); }, "fold_indices.txt", "no such file");
  folder.write("stl10_binary/fold_indices.txt", testing::bytes_of(folds));
  const auto splits = load(options);
  EXPECT_EQ(splits.train.labels, (std::vector<std::int32_t>{4, 4}));
  EXPECT_EQ(splits.train.image(0)[0], 4);
  EXPECT_EQ(splits.train.image(1)[0], 14);
  EXPECT_EQ(splits.test.count(), 1);
  for (std::int64_t i = 0; i < splits.validation.count(); ++i) EXPECT_NE(splits.validation.image(i)[0] % 10, 4);
  options.fold = 10;
  expect_error([&] { load(options); }, "fold", "got 10");
}

TEST(Load, sglyphs_are_the_same_on_every_machine) {
  auto options = named("sglyphs");
  options.train_size = 300;
  options.test_size = 200;
  EXPECT_EQ(checksum(load(options)), "62abfe4295106c3b");
  options.size = 56;
  EXPECT_EQ(checksum(load(options)), "af9afbbb726f1d77");
}

TEST(Load, sglyphs_splits_have_the_sizes_of_the_protocol) {
  auto options = named("sglyphs");
  options.test_size = 50001;
  expect_error([&] { load(options); }, "test_size", "got 50001", "50000");
  options.test_size = 100;
  const auto splits = load(options);
  EXPECT_EQ(splits.train.count(), 10000);
  EXPECT_EQ(splits.validation.count(), 2000);
  EXPECT_EQ(splits.test.count(), 100);
  for (const std::int64_t count : {2000, 5000, 10000})
    for (int label = 0; label < 10; ++label)
      EXPECT_NEAR(with_label(prefix(splits.train, count), label), static_cast<double>(count) / 10, 1);
}

TEST(RealData, mnist) {
  const auto place = real_data("mnist/train-images-idx3-ubyte.gz");
  if (place.empty()) GTEST_SKIP() << "MNIST is not at hand";
  const auto splits = load(named("mnist", place));
  EXPECT_EQ(splits.train.count(), 55000);
  EXPECT_EQ(splits.validation.count(), 5000);
  EXPECT_EQ(splits.test.count(), 10000);
  EXPECT_NEAR(splits.mean[0], 0.1307, 5e-4);  // the well-known numbers of the whole training set
  EXPECT_NEAR(splits.deviation[0], 0.3081, 5e-4);
  EXPECT_EQ(std::vector<std::int32_t>(splits.test.labels.begin(), splits.test.labels.begin() + 8),
            (std::vector<std::int32_t>{7, 2, 1, 0, 4, 1, 4, 9}));

  auto options = named("smnist", place);
  const auto scaled = load(options);
  EXPECT_EQ(checksum(scaled), "38f16f6230e57a58");
  for (int label = 0; label < 10; ++label) {
    const double share = static_cast<double>(with_label(splits.train, label)) / 55000;
    EXPECT_NEAR(with_label(prefix(scaled.train, 2000), label), 2000 * share, 6);
    EXPECT_NEAR(with_label(scaled.test, label), 50000 * share, 150);  // the pool's share differs a little from train's
  }
  options.size = 56;
  options.train_size = options.test_size = 1000;
  EXPECT_EQ(checksum(load(options)), "29eeb76991884541");
}

TEST(RealData, fashion) {
  const auto place = real_data("fashion-mnist/train-images-idx3-ubyte.gz");
  if (place.empty()) GTEST_SKIP() << "Fashion-MNIST is not at hand";
  const auto splits = load(named("fashion", place));
  EXPECT_EQ(splits.train.class_names[9], "ankle boot");
  EXPECT_NEAR(splits.mean[0], 0.2860, 5e-4);
  EXPECT_NEAR(splits.deviation[0], 0.3530, 5e-4);
  EXPECT_EQ(splits.test.labels[0], 9);
  EXPECT_EQ(checksum(load(named("sfashion", place))), "b2b934d1cc42c819");
}

TEST(RealData, stl10_sample) {
  const auto place = real_data("stl10-sample/train_X.bin");
  if (place.empty()) GTEST_SKIP() << "the sample of STL-10 is not at hand";
  auto options = named("stl10", place);
  options.size = 32;
  const auto splits = load(options);
  EXPECT_GE(splits.train.count(), 80);
  EXPECT_EQ(splits.train.class_names[0], "airplane");
  EXPECT_EQ(splits.test.height, 32);
  for (const auto* part : {&splits.train, &splits.validation, &splits.test}) expect_whole(*part);
}

TEST(RealData, natural_pictures_with_boxes) {
  const auto place = real_data("tiny-imagenet-10/boxes.csv");
  if (place.empty()) GTEST_SKIP() << "tiny-imagenet-10 is not at hand";
  const auto splits = load(named("tiny-imagenet-10", place));
  EXPECT_EQ(splits.train.count() + splits.validation.count(), 10000);
  EXPECT_EQ(splits.test.count(), 1000);
  EXPECT_EQ(splits.train.channels, 3);
  EXPECT_EQ(splits.train.height, 64);
  for (const auto* part : {&splits.train, &splits.validation, &splits.test}) expect_whole(*part);
  auto scales = splits.train.scales;
  std::sort(scales.begin(), scales.end());
  EXPECT_NEAR(scales[scales.size() / 2], 0.77, 0.01);
  EXPECT_NEAR(scales[scales.size() / 20], 0.305, 0.01);
}

}  // namespace
}  // namespace scdcf::data
