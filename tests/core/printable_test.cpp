#include "scdcf/core/printable.h"

#include <gtest/gtest.h>

namespace scdcf {
namespace {

TEST(Printable, keeps_letters_of_all_languages_and_shows_the_rest_byte_by_byte) {
  const std::string plain = "a\\b Stra\u00dfe \u732b \U0001F600 e\u0301";
  EXPECT_EQ(printable(plain), plain);
  EXPECT_EQ(printable("\x1b[31mred\n\r\t\x7f"), "\\x1b[31mred\\x0a\\x0d\\x09\\x7f");
  EXPECT_EQ(printable("\u009b2J"), "\\xc2\\x9b2J") << "ESC [ in one character";
  EXPECT_EQ(printable("a\u202egnp"), "a\\xe2\\x80\\xaegnp") << "turns the direction of writing";
  EXPECT_EQ(printable("a\u2028b"), "a\\xe2\\x80\\xa8b");
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(printable(printable("\n\xff")), printable("\n\xff"));
  EXPECT_EQ(printable(std::string(1, '\0')), "\\x00");
}

TEST(Printable, is_utf8_what_others_can_read) {
  for (const char* text : {"", "plain", "\u00df\u732b\U0001F600", "\U0010FFFF"}) EXPECT_TRUE(is_utf8(text)) << text;
  for (const char* bytes : {"\xff", "\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
                            "\xf4\x90\x80\x80", "\x80", "\xe7\x8c"})
    EXPECT_FALSE(is_utf8(bytes)) << printable(bytes);
}

TEST(Printable, columns_are_those_of_a_terminal) {
  EXPECT_EQ(columns_of(""), 0U);
  EXPECT_EQ(columns_of("Stra\u00dfe"), 6U);
  EXPECT_EQ(columns_of("\u732b\uff21\ud55c"), 6U) << "wide letters";
  EXPECT_EQ(columns_of("e\u0301"), 1U) << "a mark on the letter before it";
  EXPECT_EQ(columns_of("\U0001F600"), 2U);
}

}  // namespace
}  // namespace scdcf
