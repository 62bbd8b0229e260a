#include "scdcf/core/joined.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace scdcf {
namespace {

TEST(Joined, puts_the_separator_between_words_also_where_they_are_empty) {
  EXPECT_EQ(joined(std::set<std::string>{"cnn", "sesn"}), "cnn, sesn");
  EXPECT_EQ(joined(std::vector<std::string>{"", "a", ""}, "-"), "-a-");
  EXPECT_EQ(joined(std::vector<std::string>{}), "");
}

TEST(Joined, takes_what_is_said_of_each_element) {
  EXPECT_EQ(joined(std::vector<int>{8, 16, 24}, ",", [](int number) { return std::to_string(number); }), "8,16,24");
}

}  // namespace
}  // namespace scdcf
