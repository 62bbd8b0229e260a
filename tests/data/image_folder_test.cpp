#include "scdcf/data/image_folder.h"

#include <sys/stat.h>

#include <cmath>

#include "scdcf/data/boxes.h"
#include "scdcf/data/folder_listing.h"
#include "support/encoders.h"
#include "support/expect_error.h"

namespace scdcf::data {
namespace {

using testing::bytes_of;
using testing::expect_error;
using testing::ramp;
using testing::TemporaryFolder;

files::Bytes constant_png(int channels, int side, std::uint8_t value) {
  return pixels::encode_png(
      {channels, side, side, files::Bytes(static_cast<std::size_t>(channels * side * side), value)});
}

TEST(ImageFolder, reads_train_and_test_in_order_of_names) {
  const TemporaryFolder folder;
  folder.write("train/b/2.png", constant_png(1, 4, 12));
  folder.write("train/b/1.PNG", constant_png(1, 4, 11));
  folder.write("train/a/x.JPEG", testing::jpeg(pixels::Image{1, 4, 4, files::Bytes(16, 10)}));
  folder.write("train/a/notes.txt", bytes_of("passed over"));
  folder.write("train/a/.hidden.png", bytes_of("passed over"));
  folder.write("test/a/q.jpg", testing::jpeg(pixels::Image{1, 4, 4, files::Bytes(16, 90)}));
  folder.write("test/b/r.png", constant_png(1, 4, 91));
  EXPECT_TRUE(is_image_folder(folder.path()));
  const auto parts = read_image_folder(folder.path());
  const auto &train = parts.train, &test = parts.test;
  EXPECT_EQ(train.class_names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(train.labels, (std::vector<std::int32_t>{0, 1, 1}));
  EXPECT_EQ(test.labels, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(train.channels, 1);
  EXPECT_EQ(train.image(0)[0], 10);
  EXPECT_EQ(train.image(1)[0], 11);
  EXPECT_EQ(train.image(2)[5], 12);
  EXPECT_EQ(test.image(1)[15], 91);
  EXPECT_TRUE(train.scales.empty());
  EXPECT_EQ(parts.validation.count(), 0);
  EXPECT_EQ(train.names, (std::vector<std::string>{"train/a/x.JPEG", "train/b/1.PNG", "train/b/2.png"}));
  EXPECT_EQ(parts.notes, (std::vector<std::string>{"left out 1 file (PNG and JPEG are read): 1 .txt"}));
}

TEST(ImageFolder, one_coloured_picture_makes_all_rgb_unless_asked_otherwise) {
  const TemporaryFolder folder;
  folder.write("a/1.png", constant_png(1, 4, 7));
  folder.write("b/1.png", constant_png(3, 4, 9));
  const auto colour = read_image_folder(folder.path());
  EXPECT_EQ(colour.train.channels, 3);
  EXPECT_EQ(colour.train.pixels, [] {
    files::Bytes pixels(48, 7);
    pixels.insert(pixels.end(), 48, 9);
    return pixels;
  }());
  EXPECT_EQ(colour.test.count(), 0);
  const auto grey = read_image_folder(folder.path(), {0, 1});
  EXPECT_EQ(grey.train.channels, 1);
  EXPECT_EQ(grey.train.image(1)[0], 9);
  expect_error([&] { read_image_folder(folder.path(), {0, 2}); }, "channels", "got 2");
}

TEST(ImageFolder, differing_sizes_get_the_median_shorter_side) {
  const TemporaryFolder folder;
  const auto side = [&] {
    const int chosen = outline_image_folder(folder.path(), pixels::Fit::crop).side;
    const auto set = read_image_folder(folder.path()).train;
    EXPECT_TRUE(set.height == set.width && (chosen == 0 || chosen == set.width)) << chosen;
    return set.width;
  };
  folder.write("a/1.png", constant_png(1, 21, 7));
  folder.write("b/1.jpg", testing::jpeg(ramp(3, 21, 21)));
  EXPECT_EQ(side(), 21) << "squares of one size keep it";
  folder.write("b/2.jpg", testing::with_orientation(testing::jpeg(ramp(3, 30, 50)), 6, true));
  folder.write("b/3.jpg", testing::jpeg(ramp(3, 400, 310)));
  folder.write("b/4.jpg", testing::jpeg(ramp(1, 90, 79), testing::JpegKind::progressive));
  EXPECT_EQ(side(), 28) << "of 21, 21, 30, 79, 310";
  folder.write("a/2.png", pixels::encode_png(ramp(3, 79, 400)));
  folder.write("a/3.png", pixels::encode_png(ramp(3, 500, 300)));
  EXPECT_EQ(side(), 64) << "of 21, 21, 30, 79, 79, 300, 310";
  EXPECT_EQ(read_image_folder(folder.path(), {5}).train.height, 5);
}

TEST(ImageFolder, what_is_left_out_is_counted_by_format) {
  const TemporaryFolder folder;
  for (const std::string name : {"a", "b"}) folder.write(name + "/1.png", constant_png(1, 4, 9));
  folder.write("a/2.webp", bytes_of("RIFFsizeWEBPVP8 "));
  folder.write("a/whatsapp.jpg", bytes_of("RIFFsizeWEBPVP8 "));
  folder.write("b/3.TIF", bytes_of("MM" + std::string("\0*", 2)));
  folder.write("b/4.bmp", bytes_of("BM"));
  folder.write("b/5.heic", bytes_of("size"
                                    "ftypheic"));
  folder.write("b/labels.csv", bytes_of("x"));
  ASSERT_EQ(mkfifo(folder.path("b/pipe").c_str(), 0600), 0) << "never opened: nobody writes into it";
  const auto parts = read_image_folder(folder.path());
  EXPECT_EQ(parts.train.count(), 2);
  EXPECT_EQ(
      parts.notes,
      (std::vector<std::string>{
          "left out 7 files (PNG and JPEG are read): 1 .csv, 1 BMP, 1 HEIC, 1 TIFF, 2 WebP, 1 without an ending"}));
  std::filesystem::remove(folder.path("a/1.png"));
  expect_error([&] { read_image_folder(folder.path()); }, folder.path("a"), "holds no images", "2 WebP");
}

TEST(ImageFolder, folders_of_another_shape_are_told_apart) {
  const TemporaryFolder folder;
  for (const std::string file :
       {"flat/1.png", "flat/2.png", "nest/photos/a/1.png", "nest/photos/b/1.png", "deep/a/x/1.png", "deep/b/1.png"})
    folder.write(file, constant_png(1, 4, 9));
  expect_error([&] { read_image_folder(folder.path("nest")); }, folder.path("nest"), "1 folder (photos)",
               "two or more");
  expect_error([&] { read_image_folder(folder.path("deep")); }, folder.path("deep/a"), "no images and 1 folder (x)");
  EXPECT_EQ(contents_text(folder.path("flat")), "holds 2 images and no folders");
}

TEST(ImageFolder, boxes_move_with_the_crop_and_hidden_objects_are_left_out) {
  const TemporaryFolder folder;
  for (const std::string name : {"a/1", "a/2", "a/3", "b/1"})
    folder.write(name + ".png", pixels::encode_png(ramp(1, 8, 16)));
  folder.write("boxes.csv", bytes_of("class,file,x0,y0,x1,y1\n"
                                     "a,1.png,6,2,9,5\n"      // in the middle
                                     "a,2.png,2,0,5,3\n"      // half of it left of the crop, which begins at 4
                                     "a,3.png,1,0,5,3\n"      // more than half
                                     "b,1.png,0,0,15,7\n"));  // the whole image: half of it is shown
  const auto cropped = read_image_folder(folder.path(), {4});
  ASSERT_EQ(cropped.train.names, (std::vector<std::string>{"a/1.png", "a/2.png", "b/1.png"}));
  ASSERT_EQ(cropped.notes.size(), 1U);
  EXPECT_NE(cropped.notes[0].find("left out 1 image"), std::string::npos) << cropped.notes[0];
  EXPECT_FLOAT_EQ(cropped.train.scales[0], 0.5F);
  EXPECT_FLOAT_EQ(cropped.train.centres[0].x, 2);
  EXPECT_FLOAT_EQ(cropped.train.centres[0].y, 2);
  EXPECT_FLOAT_EQ(cropped.train.centres[1].x, 0);
  EXPECT_FLOAT_EQ(cropped.train.scales[2], std::sqrt(2.0F));
  const auto padded = read_image_folder(folder.path(), {4, 0, pixels::Fit::pad});
  EXPECT_EQ(padded.train.count(), 4);
  EXPECT_FLOAT_EQ(padded.train.scales[0], 0.25F);
  EXPECT_FLOAT_EQ(padded.train.centres[1].y, 1.5F);
  const auto stretched = read_image_folder(folder.path(), {4, 0, pixels::Fit::stretch});
  EXPECT_FLOAT_EQ(stretched.train.scales[0], std::sqrt(16.0F / 128));
  EXPECT_FLOAT_EQ(stretched.train.centres[1].x, 1);
}

TEST(ImageFolder, boxes_become_scales_and_centres) {
  const TemporaryFolder folder;
  folder.write("train/a/1.png", constant_png(1, 8, 7));
  folder.write("train/b/1.png", constant_png(1, 8, 9));
  const std::string header = "split,class,file,x0,y0,x1,y1\n";
  folder.write("boxes.csv", bytes_of(header + "train,b,1.png,0,0,7,7\ntrain,a,1.png,2,3,5,3\n"));
  const auto set = read_image_folder(folder.path(), {4}).train;
  ASSERT_EQ(set.scales.size(), 2U);
  EXPECT_FLOAT_EQ(set.scales[0], std::sqrt(4.0F / 64));
  EXPECT_FLOAT_EQ(set.scales[1], 1);
  EXPECT_FLOAT_EQ(set.centres[0].x, 2);  // 2 to 6 of 8 pixels, of which 4 are left
  EXPECT_FLOAT_EQ(set.centres[0].y, 1.75);
  EXPECT_FLOAT_EQ(set.centres[1].x, 2);

  const auto expect_bad = [&](const std::string& text, const std::string& cause) {
    folder.write("boxes.csv", bytes_of(text));
    expect_error([&] { read_image_folder(folder.path()); }, folder.path("boxes.csv"), cause);
  };
  expect_bad(header + "train,b,1.png,0,0,7,7\n", "no line for train/a/1.png");
  expect_bad(header + "train,b,1.png,0,0,8,7\ntrain,a,1.png,2,3,5,3\n", "outside the image");
  expect_bad(header + "train,b,1.png,0,0,7,7\ntrain,a,1.png,2,3,5,3\ntrain,a,9.png,0,0,1,1\n", "3 boxes for 2");
}

TEST(ImageFolder, every_fault_names_its_place) {
  const TemporaryFolder folder;
  const auto read = [&] { read_image_folder(folder.path()); };
  expect_error([&] { read_image_folder(folder.path("none")); }, folder.path("none"), "no such folder");
  expect_error(read, folder.path(), "holds no images and no folders, expected a folder");
  EXPECT_FALSE(is_image_folder(folder.path()));
  folder.write("train/a/1.png", constant_png(1, 4, 7));
  expect_error(read, folder.path("train"), "1 folder (a), expected a folder");
  std::filesystem::create_directory(folder.path("train/b"));
  expect_error(read, folder.path("train/b"), "holds no images and no folders, expected PNG or JPEG");
  const auto bad = folder.write("train/b/1.png", bytes_of("no picture"));
  expect_error(read, bad, "neither a PNG nor a JPEG");
  folder.write("train/b/1.png", constant_png(1, 4, 7));
  folder.write("test/c/1.png", constant_png(1, 4, 7));
  expect_error(read, folder.path("test/c"), "a class that train does not have");
  files::remove_tree(folder.path("test/c"));
  folder.write("test/a/1.png", constant_png(1, 4, 7));
  EXPECT_EQ(read_image_folder(folder.path()).notes, (std::vector<std::string>{"test has no images of b"}));
}

TEST(ImageFolder, val_is_read_apart) {
  for (const std::string name : {"val", "valid", "validation"}) {
    const TemporaryFolder folder;
    for (const auto& part : {std::string("train/"), name + "/"})
      for (const std::string label : {"a", "b"}) folder.write(part + label + "/1.png", constant_png(1, 4, 9));
    folder.write(name + "/b/2.png", constant_png(1, 4, 77));
    const auto parts = read_image_folder(folder.path());
    EXPECT_EQ(parts.train.count(), 2);
    EXPECT_EQ(parts.test.count(), 0);
    EXPECT_EQ(parts.validation.labels, (std::vector<std::int32_t>{0, 1, 1}));
    EXPECT_EQ(parts.validation.image(2)[0], 77);
    folder.write(name + "/c/1.png", constant_png(1, 4, 9));
    expect_error([&] { read_image_folder(folder.path()); }, folder.path(name + "/c"), "train does not have");
  }
}

TEST(ImageFolder, names_that_are_not_utf8_are_refused_in_words_that_are) {
  for (const std::string bad : {"b\xff/1.png", "b/1\xe9.png", "b/\xc0\xaf.png", "b/\xed\xa0\x80.png"}) {
    const TemporaryFolder folder;
    folder.write("a/1.png", constant_png(1, 4, 9));
    folder.write("b/\xc3\xa9\xf0\x9f\x90\xb1.png", constant_png(1, 4, 9));  // well-formed: an e with an accent, a cat
    EXPECT_EQ(read_image_folder(folder.path()).train.count(), 2);
    folder.write(bad, constant_png(1, 4, 9));
    expect_error([&] { read_image_folder(folder.path()); }, folder.path("b"), "\\x", "not UTF-8");
  }
}

TEST(Boxes, faults_name_their_line) {
  const auto parse = [](const std::string& text) { return [=] { parse_boxes(bytes_of(text), "boxes.csv"); }; };
  const std::string header = "class,file,x0,y0,x1,y1\n";
  EXPECT_EQ(parse_boxes(bytes_of(header + "a,f,1,2,3,4\r\n"), "b").at("a/f").area(), 9);
  expect_error(parse(""), "boxes.csv", "empty");
  expect_error(parse("a,f,1,2,3,4\n"), "boxes.csv", "line 1");
  expect_error(parse(header + "a,f,1,2,3\n"), "boxes.csv", "line 2", "5 fields", "6");
  expect_error(parse(header + "a,f,1,2,3,4,5\n"), "boxes.csv", "line 2", "7 fields");
  expect_error(parse(header + "\n"), "boxes.csv", "line 2", "1 fields");
  expect_error(parse(header + "a,f,1,2,3,-4\n"), "boxes.csv", "line 2", "\"-4\"");
  expect_error(parse(header + "a,f,1,2,3,9999999999\n"), "boxes.csv", "line 2", "9999999999");
  expect_error(parse(header + "a,f,1,2,0,4\n"), "boxes.csv", "line 2", "less than x0");
  expect_error(parse(header + "a,f,1,2,3,4\na,f,1,2,3,4\n"), "boxes.csv", "line 3", "second time");
}

}  // namespace
}  // namespace scdcf::data
