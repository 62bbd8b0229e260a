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

TEST(RowPrinter, a_row_of_another_length_is_refused) {
  std::ostringstream out;
  RowPrinter table(&out, {{"form"}, {"ms"}});
  EXPECT_THROW(table.add({"composed"}), Error);
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace scdcf::terminal
