#include "scdcf/files/gzip.h"

#include <gtest/gtest.h>

namespace scdcf::files {
namespace {

TEST(Gzip, inflates_to_what_it_was_made_of) {
  std::string bytes;
  for (const std::size_t size : {0, 1, 1000, 300000}) {
    while (bytes.size() < size) bytes += static_cast<char>((bytes.size() * bytes.size()) % 251);
    const auto small = gzip(bytes);
    const Bytes compressed(small.begin(), small.end());
    EXPECT_TRUE(is_gzip(compressed));
    EXPECT_EQ(inflate_all(compressed, bytes.size(), "test"), Bytes(bytes.begin(), bytes.end())) << size;
    EXPECT_EQ(gzip(bytes), small) << "no time stands in it";
  }
}

}  // namespace
}  // namespace scdcf::files
