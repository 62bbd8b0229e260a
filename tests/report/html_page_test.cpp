#include "scdcf/report/html_page.h"

#include <gtest/gtest.h>

namespace {

using namespace scdcf;
using namespace scdcf::report;

bool has(const HtmlPage& page, const std::string& part) { return page.text().find(part) != std::string::npos; }

TEST(HtmlPage, takes_every_text_as_it_is) {
  HtmlPage page("a < b");
  page.heading("<script>");
  page.paragraph("\"x\" & y > 0");
  page.code("1 < 2");
  EXPECT_TRUE(has(page, "<title>a &lt; b</title>"));
  EXPECT_TRUE(has(page, "<h2>&lt;script&gt;</h2>"));
  EXPECT_TRUE(has(page, "<p>&quot;x&quot; &amp; y &gt; 0</p>"));
  EXPECT_TRUE(has(page, "<pre>1 &lt; 2</pre>"));
}

TEST(HtmlPage, puts_numbers_flush_right_however_they_are_given) {
  Table table({"what", "how many", "share"});
  table.add({"cats", "12,345", 0.5});
  HtmlPage page("t");
  page.table(table, "of all");
  EXPECT_TRUE(has(page, "<tr><th>what</th><th class=\"number\">how many</th><th class=\"number\">share</th></tr>"));
  EXPECT_TRUE(has(page, "<tr><td>cats</td><td class=\"number\">12,345</td><td class=\"number\">0.5</td></tr>"));
  EXPECT_TRUE(has(page, "<caption>of all</caption>"));
}

TEST(HtmlPage, holds_its_pictures) {
  HtmlPage page("t");
  const std::string svg =
      "<?xml?>\n<svg width=\"720\"\n xmlns=\"http://a\"\n xmlns:xlink=\"http://b\"><g><title>1</title></g></svg>";
  page.picture({Picture::Kind::svg, svg, "a \"plot\"", 720, false}, "seen");
  EXPECT_TRUE(has(
      page,
      "<figure><svg role=\"img\" aria-label=\"a &quot;plot&quot;\" width=\"720\"\n\n><g><title>1</title></g></svg>"));
  const pixels::Canvas canvas(1, 2, 2, {0, 0, 0});
  page.cards({{picture_of(canvas, "cat", 20), {{"right", Card::Mark::right}, {"no", Card::Mark::wrong}}}});
  EXPECT_TRUE(has(page, "<img src=\"data:image/png;base64,iVBORw0KGgo"));
  EXPECT_TRUE(has(page, "<p class=\"right\">right</p><p class=\"wrong\">no</p>"));
  auto framed = picture_of(canvas, "map", 20);
  framed.framed = true;
  page.pictures({{"", "plane 1"}, {{"row", {framed}}}});
  EXPECT_TRUE(has(page, "class=\"pixels framed\""));
  EXPECT_FALSE(has(page, "http"));
}

}  // namespace
