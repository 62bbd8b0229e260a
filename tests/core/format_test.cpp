#include "scdcf/core/format.h"

#include <gtest/gtest.h>

namespace scdcf {
namespace {

TEST(Format, writes_as_printf_does_however_long) {
  EXPECT_EQ(format("%.2f%%", 95.869), "95.87%");
  EXPECT_EQ(format("%s", std::string(1000, 'a').c_str()).size(), 1000U);
}

TEST(WithCommas, sets_thousands_apart) {
  EXPECT_EQ(with_commas(1234567), "1,234,567");
  EXPECT_EQ(with_commas(100), "100");
}

}  // namespace
}  // namespace scdcf
