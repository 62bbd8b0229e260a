#include "scdcf/report/base64.h"

#include <gtest/gtest.h>

namespace {

using scdcf::report::base64;

TEST(Base64, gives_the_test_vectors_of_its_standard) {
  const std::string word = "foobar";
  const char* const expected[] = {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};
  for (std::size_t length = 0; length <= word.size(); ++length)
    EXPECT_EQ(base64(word.substr(0, length)), expected[length]);
}

TEST(Base64, takes_bytes_beyond_ascii) { EXPECT_EQ(base64(std::string("\xff\xfe\x00", 3)), "//4A"); }

}  // namespace
