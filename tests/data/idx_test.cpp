#include "scdcf/data/idx.h"

#include "scdcf/files/gzip.h"
#include "support/expect_error.h"
#include "support/samples.h"

namespace scdcf::data {
namespace {

using testing::expect_error;
using testing::gzip;
using testing::idx;
using testing::random_bytes;

const files::Bytes& pixels() {
  static const files::Bytes bytes = random_bytes(3 * 4 * 5, Random(1));
  return bytes;
}

TEST(Idx, reads_what_was_written_plain_and_gzipped) {
  const files::Bytes plain = idx({3, 4, 5}, pixels());
  for (const files::Bytes& bytes : {plain, gzip(plain)}) {
    const auto array = parse_idx(bytes, 3, "x");
    EXPECT_EQ(array.sizes, (std::vector<std::int64_t>{3, 4, 5}));
    EXPECT_EQ(array.values, pixels());
  }
}

TEST(Idx, joins_pictures_and_labels) {
  const auto set = join_idx({{3, 4, 5}, pixels()}, {{3}, {2, 0, 1}}, {"a", "b", "c"}, "x");
  EXPECT_EQ(set.count(), 3);
  EXPECT_EQ(set.image_bytes(), 20);
  EXPECT_EQ(set.labels, (std::vector<std::int32_t>{2, 0, 1}));
  EXPECT_EQ(set.image(1)[0], pixels()[20]);
}

TEST(Idx, refuses_bad_headers) {
  const auto parse = [](const files::Bytes& bytes, int rank) { return [=] { parse_idx(bytes, rank, "some-file"); }; };
  expect_error(parse({}, 3), "some-file", "0 bytes", "header of 16");
  expect_error(parse(idx({3}, {1, 2, 3}), 3), "some-file", "11 bytes");
  expect_error(parse(idx({3, 4, 5}, pixels()), 1), "some-file", "0x00000803", "0x00000801");
  expect_error(parse(idx({0, 4, 5}, {}), 3), "some-file", "axis 0", "size 0");
  expect_error(parse(idx({3, 4, 20000}, {}), 3), "some-file", "20000");
  expect_error(parse(idx({0xFFFFFFFF, 16384, 16384}, {}), 3), "some-file", "announces more than");
  expect_error(parse(idx({100, 1000, 1000}, pixels()), 3), "some-file", "76 bytes", "100000016");
}

TEST(Idx, refuses_truncated_data_and_trailing_garbage) {
  const files::Bytes plain = idx({3, 4, 5}, pixels());
  const auto parse = [](const files::Bytes& bytes) { return [=] { parse_idx(bytes, 3, "some-file"); }; };
  files::Bytes shorter = plain, longer = plain;
  shorter.pop_back();
  longer.push_back(0);
  expect_error(parse(shorter), "some-file", "75 bytes", "76");
  expect_error(parse(longer), "some-file", "77 bytes", "76");
  expect_error(parse(gzip(shorter)), "some-file", "75 bytes after inflating", "76");
  expect_error(parse(gzip(longer)), "some-file", "more than the 76 bytes");
  const files::Bytes packed = gzip(plain);
  for (const std::size_t size : {std::size_t{2}, std::size_t{9}, packed.size() / 2, packed.size() - 1})
    expect_error(parse(files::Bytes(packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>(size))), "some-file",
                 "truncated");
  files::Bytes followed = packed;
  followed.push_back(7);
  expect_error(parse(followed), "some-file", "1 bytes after the end");
}

TEST(Idx, refuses_a_wrong_checksum) {
  files::Bytes packed = gzip(idx({3, 4, 5}, pixels()));
  packed[packed.size() - 8] ^= 1;
  expect_error([&] { parse_idx(packed, 3, "some-file"); }, "some-file", "damaged", "data check");
}

TEST(Idx, refuses_gzip_bombs_before_inflating_them) {
  // A header that announces more than so short a file can hold, and one that announces less than there is.
  expect_error([] { parse_idx(gzip(idx({200, 1000, 1000}, files::Bytes(1000))), 3, "bomb"); }, "bomb", "can hold");
  expect_error(
      [] {
        parse_idx(gzip(idx({1, 2, 2}, files::Bytes(1 << 24))), 3, "bomb");
      },
      "bomb", "more than the 20 bytes");
}

TEST(Idx, refuses_labels_that_do_not_match) {
  expect_error([] { join_idx({{3, 4, 5}, pixels()}, {{2}, {0, 1}}, {"a", "b"}, "lab"); }, "lab", "2 labels", "3 pic");
  expect_error([] { join_idx({{3, 4, 5}, pixels()}, {{3}, {0, 1, 2}}, {"a", "b"}, "lab"); }, "lab", "label 2 is 2");
}

TEST(Idx, names_the_missing_file) {
  const testing::TemporaryFolder folder;
  EXPECT_FALSE(is_idx_folder(folder.path()));
  expect_error([&] { read_idx_part(folder.path(), "train", {"a"}); }, folder.path("train-images-idx3-ubyte"),
               "no such");
  testing::write_idx_part(folder, "train", 20);
  EXPECT_TRUE(is_idx_folder(folder.path()));
  expect_error([&] { read_idx_part(folder.path(), "t10k", {"a"}); }, "t10k-images-idx3-ubyte", "no such");
}

}  // namespace
}  // namespace scdcf::data
