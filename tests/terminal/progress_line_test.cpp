#include "scdcf/terminal/progress_line.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace scdcf::terminal {
namespace {

TEST(BytesText, keeps_two_to_three_digits) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(999), "999 B");
  EXPECT_EQ(bytes_text(1000), "1.0 kB");
  EXPECT_EQ(bytes_text(999499), "999 kB");
  EXPECT_EQ(bytes_text(999999), "1.0 MB");
  EXPECT_EQ(bytes_text(9912422), "9.9 MB");
  EXPECT_EQ(bytes_text(2640397119), "2.6 GB");
}

TEST(ProgressText, tells_share_bytes_rate_and_time_left) {
  const auto text = progress_text({"stl10", 1500000, 4500000, 500000}, 10, 100);
  EXPECT_NE(text.find("[##########....................]"), std::string::npos) << text;
  for (const char* part : {"stl10", " 33%", "1.5 MB of 4.5 MB", "100 kB/s", "0:30 left"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
}

TEST(ProgressText, an_unknown_total_gives_no_share) {
  const auto text = progress_text({"a", 5000, 0, 0}, 2, 80);
  EXPECT_EQ(text, "a  5.0 kB  2.5 kB/s");
}

TEST(ProgressText, never_exceeds_the_terminal) {
  for (int width = 0; width < 120; ++width)
    for (const std::int64_t done : {0, 17, 123456789})
      EXPECT_LE(progress_text({"train-images-idx3-ubyte.gz", done, 123456789, 0}, 3, width).size(),
                static_cast<std::size_t>(width));
}

TEST(ProgressLineTest, a_log_gets_no_control_characters) {
  std::ostringstream log;
  {
    ProgressLine line(log, false);
    for (int i = 0; i < 1000; ++i) line.update({"a", i, 1000, 0});
  }
  EXPECT_EQ(log.str(), "") << "a short transfer is not worth a line";
}

}  // namespace
}  // namespace scdcf::terminal
