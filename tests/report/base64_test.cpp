#include "scdcf/report/base64.h"

#include <gtest/gtest.h>

namespace {

using scdcf::report::base64;

TEST(Base64, gives_the_test_vectors_of_its_standard) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

TEST(Base64, takes_bytes_beyond_ascii) { EXPECT_EQ(base64(std::string("\xff\xfe\x00", 3)), "//4A"); }

}  // namespace
