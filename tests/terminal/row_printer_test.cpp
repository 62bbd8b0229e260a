#include "scdcf/terminal/row_printer.h"

#include <gtest/gtest.h>

#include <sstream>

#include "scdcf/core/error.h"

namespace scdcf::terminal {
namespace {

TEST(RowPrinter, rows_stand_below_their_titles_and_appear_at_once) {
  std::ostringstream out;
  RowPrinter table(&out, {{"form", 10}, {"ms"}, {"ratio"}});
  EXPECT_EQ(out.str(), "");
  table.add({"composed", "12.5", ""});
  EXPECT_EQ(out.str(), "  form        ms  ratio\n  composed    12.5\n");
  table.add({"", "3", "4x"});
  EXPECT_EQ(out.str(), "  form        ms  ratio\n  composed    12.5\n              3   4x\n");
}

TEST(RowPrinter, names_are_printable_and_columns_count_characters) {
  std::ostringstream out;
  RowPrinter table(&out, {{"class", 6}, {"ms"}});
  table.add({"Stra\u00dfe", "1"});
  table.add({"\u732b", "2"});
  table.add({"\n", "3"});
  EXPECT_EQ(out.str(), "  class   ms\n  Stra\u00dfe  1\n  \u732b      2\n  \\x0a    3\n");
}

TEST(RowPrinter, a_row_of_another_length_is_refused) {
  std::ostringstream out;
  RowPrinter table(&out, {{"form"}, {"ms"}});
  EXPECT_THROW(table.add({"composed"}), Error);
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace scdcf::terminal
