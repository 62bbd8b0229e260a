#include "scdcf/report/table.h"

#include <gtest/gtest.h>

#include <sstream>

namespace scdcf::report {
namespace {

TEST(Table, columns_are_aligned_by_characters_and_names_are_printable) {
  Table table({"class", "images"});
  table.add({"Stra\u00dfe", 10.0});
  table.add({"\u732b", 7.0});
  table.add({"\x1b[31mred\n", 2.0});
  std::ostringstream out;
  table.print(out);
  EXPECT_EQ(out.str(),
            "  class            images\n"
            "  Stra\u00dfe               10\n"
            "  \u732b                    7\n"
            "  \\x1b[31mred\\x0a       2\n");
  EXPECT_EQ(table.to_json()[2]["class"], "\x1b[31mred\n") << "JSON has escapes of its own";
}

}  // namespace
}  // namespace scdcf::report
