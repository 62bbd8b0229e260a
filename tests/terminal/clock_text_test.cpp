#include "scdcf/terminal/clock_text.h"

#include <gtest/gtest.h>

namespace scdcf::terminal {
namespace {

TEST(ClockText, has_hours_only_where_there_are_some) {
  EXPECT_EQ(clock_text(0), "0:00");
  EXPECT_EQ(clock_text(75.4), "1:15");
  EXPECT_EQ(clock_text(3599.6), "1:00:00");
  EXPECT_EQ(clock_text(3700), "1:01:40");
  EXPECT_EQ(clock_text(360000), "100:00:00");
  EXPECT_EQ(clock_text(-5), "0:00");
}

}  // namespace
}  // namespace scdcf::terminal
