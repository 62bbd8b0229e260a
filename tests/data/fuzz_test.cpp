// Damaged inputs by the ten thousand: each reader gives a whole result or an Error, and never allocates by a header
// that it has not checked.
#include <cstdlib>
#include <functional>
#include <new>

#include "scdcf/data/boxes.h"
#include "scdcf/data/idx.h"
#include "scdcf/data/stl10.h"
#include "scdcf/pixels/network_input.h"
#include "support/encoders.h"
#include "support/mutated.h"

namespace {
thread_local std::size_t largest_allocation = 0;
}

// Not inlined: the compiler would see free() on what it thinks came from elsewhere.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (size > largest_allocation) largest_allocation = size;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace scdcf::data {
namespace {

using pixels::decode_image;
using pixels::Image;
using testing::bytes_of;
using testing::gzip;
using testing::idx;
using testing::jpeg;
using testing::JpegKind;
using testing::mutated;
using testing::png;
using testing::ramp;
using testing::random_bytes;

constexpr std::size_t kLargestAllocation = 16 << 20;

/// Makes the checksums of a PNG's chunks right again, so that damage reaches what lies behind them.
files::Bytes with_right_checksums(files::Bytes bytes) {
  for (std::size_t at = 8; at + 12 <= bytes.size();) {
    const std::size_t length = std::size_t{bytes[at]} << 24 | std::size_t{bytes[at + 1]} << 16 |
                               std::size_t{bytes[at + 2]} << 8 | bytes[at + 3];
    if (length > bytes.size() - at - 12) break;
    const auto crc = crc32(crc32(0, nullptr, 0), bytes.data() + at + 4, static_cast<uInt>(length + 4));
    for (std::size_t i = 0; i < 4; ++i) bytes[at + 8 + length + i] = static_cast<std::uint8_t>(crc >> (24 - 8 * i));
    at += 12 + length;
  }
  return bytes;
}

/// Reads `count` mutations of the seeds; both outcomes must occur, or the test would not reach far.
void fuzz(const std::vector<files::Bytes>& seeds, int count, std::uint64_t seed,
          const std::function<void(const files::Bytes&)>& read) {
  Random random(seed);
  int read_whole = 0, refused = 0;
  largest_allocation = 0;
  for (const auto& bytes : seeds) ASSERT_NO_THROW(read(bytes));
  for (int i = 0; i < count; ++i) {
    const files::Bytes bytes = mutated(seeds[random.below(seeds.size())], random);
    try {
      read(bytes);
      ++read_whole;
    } catch (const Error& error) {
      ++refused;
      ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      ASSERT_EQ(std::string(error.what()).rfind("input", 0), 0U) << error.what();
    }  // anything else ends the test
    ASSERT_LT(largest_allocation, kLargestAllocation) << "input " << i;
  }
  EXPECT_GT(read_whole, count / 1000);
  EXPECT_GT(refused, count / 10);
}

void expect_whole(const Image& image) {
  ASSERT_TRUE(image.channels == 1 || image.channels == 3);
  ASSERT_EQ(image.pixels.size(), std::size_t{1} * image.channels * image.height * image.width);
}

void read_idx(const files::Bytes& bytes) {
  const auto array = parse_idx(bytes, 3, "input");
  ASSERT_EQ(static_cast<std::int64_t>(array.values.size()), array.sizes[0] * array.sizes[1] * array.sizes[2]);
}

TEST(Fuzz, idx) {
  const files::Bytes bytes = idx({3, 5, 4}, random_bytes(60, Random(1)));
  fuzz({bytes}, 25000, 21, read_idx);
}

TEST(Fuzz, gzipped_idx) {
  const files::Bytes noise = idx({3, 5, 4}, random_bytes(60, Random(1))),
                     flat = idx({9, 20, 20}, files::Bytes(3600, 7));
  fuzz({gzip(noise), gzip(flat)}, 25000, 22, read_idx);
  // damage before the compression: the headers lie, the checksums do not
  fuzz({noise, flat}, 5000, 23, [](const files::Bytes& bytes) { read_idx(gzip(bytes)); });
}

TEST(Fuzz, idx_labels) {
  fuzz({idx({6}, {0, 1, 2, 2, 1, 0})}, 10000, 24, [](const files::Bytes& bytes) {
    const auto labels = parse_idx(bytes, 1, "input");
    const auto set = join_idx({{6, 1, 1}, files::Bytes(6)}, labels, {"a", "b", "c"}, "input");
    for (const auto label : set.labels) ASSERT_LT(label, 3);
  });
}

TEST(Fuzz, stl10) {
  const std::vector<std::string> names(10, "class");
  const files::Bytes pixels = random_bytes(2 * 27648, Random(2));
  fuzz({pixels}, 2000, 25, [&](const files::Bytes& bytes) {
    const auto set = parse_stl10(bytes, {1, 2}, names, "input");
    ASSERT_EQ(set.pixels.size(), pixels.size());
  });
  fuzz({{1, 10}}, 2000, 26, [&](const files::Bytes& bytes) {
    const auto set = parse_stl10(pixels, bytes, names, "input");
    for (const auto label : set.labels) ASSERT_TRUE(label >= 0 && label < 10);
  });
  std::string folds;
  for (int i = 0; i < 10; ++i) folds += std::to_string(i) + " " + std::to_string(99 - i) + "\n";
  fuzz({bytes_of(folds)}, 8000, 27, [](const files::Bytes& bytes) {
    for (const auto& fold : parse_folds(bytes, 100, "input"))
      for (const auto index : fold) ASSERT_TRUE(index >= 0 && index < 100);
  });
  fuzz({bytes_of("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n")}, 4000, 28,
       [](const files::Bytes& bytes) { ASSERT_EQ(parse_class_names(bytes, "input").size(), 10U); });
}

std::vector<files::Bytes> png_seeds() {
  return {encode_png(ramp(1, 9, 13)), encode_png(ramp(3, 16, 16)),
          png(PNG_COLOR_TYPE_PALETTE, 2, 5, 8, random_bytes(10, Random(3))),
          png(PNG_COLOR_TYPE_RGB_ALPHA, 8, 7, 6, random_bytes(7 * 24, Random(4)), true),
          png(PNG_COLOR_TYPE_GRAY, 16, 4, 4, random_bytes(32, Random(5)))};
}

TEST(Fuzz, png) {
  fuzz(png_seeds(), 15000, 29, [](const files::Bytes& bytes) { expect_whole(decode_image(bytes, "input")); });
  fuzz(png_seeds(), 15000, 30,
       [](const files::Bytes& bytes) { expect_whole(decode_image(with_right_checksums(bytes), "input")); });
}

TEST(Fuzz, jpeg) {
  std::vector<files::Bytes> seeds;
  for (const auto kind : {JpegKind::baseline, JpegKind::progressive, JpegKind::cmyk})
    seeds.push_back(jpeg(ramp(3, 17, 23), kind));
  seeds.push_back(jpeg(Image{1, 24, 24, random_bytes(576, Random(6))}));
  for (const bool little_endian : {false, true}) seeds.push_back(testing::with_orientation(seeds[0], 6, little_endian));
  fuzz(seeds, 30000, 31, [](const files::Bytes& bytes) { expect_whole(decode_image(bytes, "input")); });
}

TEST(Fuzz, boxes) {
  const std::string lines = "train,bird,a.JPEG,9,7,62,60\ntest,bus,b.JPEG,12,40,28,53\n";
  fuzz({bytes_of("split,class,file,x0,y0,x1,y1\n" + lines)}, 20000, 32, [](const files::Bytes& bytes) {
    for (const auto& [path, box] : parse_boxes(bytes, "input")) ASSERT_GT(box.area(), 0);
  });
}

TEST(Allocation, a_few_bytes_do_not_become_many) {
  for (const auto& [height, width] : {std::pair{1, 16384}, std::pair{16384, 1}}) {
    const files::Bytes bytes = pixels::encode_png({1, height, width, files::Bytes(16384, 7)});
    ASSERT_LT(bytes.size(), 200U);
    largest_allocation = 0;
    for (const auto fit : {pixels::Fit::crop, pixels::Fit::pad, pixels::Fit::stretch})
      pixels::network_input(bytes, "input", {64, 3, fit});
    pixels::resize(decode_image(bytes, "input"), 1024, 1024);
    EXPECT_LT(largest_allocation, kLargestAllocation);
  }
}

}  // namespace
}  // namespace scdcf::data
