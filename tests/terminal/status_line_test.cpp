#include "scdcf/terminal/status_line.h"

#include <gtest/gtest.h>

#include <sstream>
#include <thread>
#include <vector>

namespace scdcf::terminal {
namespace {

TEST(StatusLine, shows_nothing_that_changes_off_a_terminal) {
  std::ostringstream stream;
  StatusLine line(stream, /*terminal=*/false);
  line.update("half");
  line.print("done");
  line.clear();
  EXPECT_EQ(stream.str(), "done\n");
}

TEST(StatusLine, is_taken_off_before_a_line_that_stays_and_at_the_end) {
  std::ostringstream stream;
  {
    StatusLine line(stream, /*terminal=*/true);
    line.update("half");
    line.print("done");
    line.print("more");
  }
  EXPECT_EQ(stream.str(), "half\r\033[Kdone\nmore\n");
  std::ostringstream other;
  { StatusLine(other, /*terminal=*/true).update("half"); }
  EXPECT_EQ(other.str(), "half\r\033[K");
}

TEST(StatusLine, changes_at_most_ten_times_a_second) {
  std::ostringstream stream;
  StatusLine line(stream, /*terminal=*/true);
  for (int i = 0; i < 1000; ++i) line.update("x");
  EXPECT_LT(stream.str().size(), 200U);
}

TEST(StatusLine, lines_of_several_threads_do_not_mix) {
  std::ostringstream stream;
  StatusLine line(stream, /*terminal=*/false);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&line, t] {
      for (int i = 0; i < 200; ++i) line.print(std::string(40, static_cast<char>('a' + t)));
    });
  for (auto& thread : threads) thread.join();
  std::istringstream lines(stream.str());
  int count = 0;
  for (std::string text; std::getline(lines, text); ++count) EXPECT_EQ(text, std::string(40, text.at(0)));
  EXPECT_EQ(count, 800);
}

TEST(StatusLine, names_do_not_reach_the_terminal_as_they_are) {
  std::ostringstream out;
  StatusLine line(out, /*terminal=*/true);
  line.print("data \x1b[31mred\nblue");
  EXPECT_EQ(out.str(), "data \\x1b[31mred\\x0ablue\n");
}

}  // namespace
}  // namespace scdcf::terminal
