// Options survive being written as words, and words that say nothing are refused.
#include "scdcf/core/named_texts.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace {

using namespace scdcf;
using scdcf::testing::expect_error;

template <class T>
void survives(const T& value) {
  EXPECT_EQ(value_from_text<T>("name", exact_text(value)), value);
}

TEST(NamedTexts, survive) {
  for (const double value : {0.1, 1.0 / 3, -1e-300, 0.579}) survives(value);
  survives(int64_t{-7});
  survives(std::string("a, b = c"));
  survives(std::vector<int64_t>{});
  survives(std::vector<int64_t>{8, 16, 24});
}

TEST(NamedTexts, that_say_nothing_are_refused_by_name) {
  for (const char* text : {"", "x", "1.5", "1 2", "99999999999999999999"})
    expect_error([&] { value_from_text<int>("modes", text); }, "modes", "expected a whole number");
  expect_error([] { value_from_text<double>("step", "wide"); }, "step", "got \"wide\"", "a number");
  expect_error([] { value_from_text<std::vector<int64_t>>("channels", "1,,2"); }, "channels", "got \"\"");
  expect_error([] { option_from<int>({{"a", "1"}}, "b"); }, "b: is missing");
}

}  // namespace
