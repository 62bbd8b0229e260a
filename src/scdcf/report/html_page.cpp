#include "scdcf/report/html_page.h"

#include <algorithm>

#include "scdcf/core/error.h"
#include "scdcf/report/base64.h"
#include "scdcf/report/markup.h"

namespace scdcf::report {
namespace {

constexpr const char* kStyle = R"(
body { font: 16px/1.5 system-ui, "DejaVu Sans", sans-serif; color: #222; background: #fff; max-width: 60rem;
       margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; line-height: 1.25; }
h2 { font-size: 1.25rem; margin: 2.2rem 0 .5rem; border-bottom: 1px solid #ddd; padding-bottom: .2rem; }
p { max-width: 46rem; }
figure { margin: 1rem 0; }
figcaption, caption { color: #555; font-size: .9rem; text-align: left; caption-side: bottom; padding-top: .4rem;
                      max-width: 46rem; }
img, svg { max-width: 100%; }
svg { height: auto; }
img.pixels { image-rendering: pixelated; outline: 1px solid #ccc; max-width: none; }
img.framed { outline: 3px solid #d55e00; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .8rem; text-align: left; }
th { border-bottom: 2px solid #999; font-weight: 600; vertical-align: bottom; }
td { border-bottom: 1px solid #e4e4e4; }
th.number, td.number { text-align: right; }
table.pictures th, table.pictures td { padding: .3rem .5rem; border: 0; text-align: center; font-weight: normal;
                                       font-size: .9rem; }
table.pictures th { color: #555; }
table.pictures td:first-child, table.pictures th:first-child { text-align: left; padding-left: 0; }
.scroll { overflow-x: auto; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(13.5rem, 1fr)); gap: 1rem; margin: 1rem 0; }
.card { border: 1px solid #ddd; border-radius: 6px; padding: .7rem; font-size: .9rem; break-inside: avoid; }
.card p { margin: .2rem 0 0; }
.right::before { content: "\2713\00a0"; } .wrong::before { content: "\2717\00a0"; }
.right { color: #00694d; } .wrong { color: #b33c00; }
pre { background: #f5f5f5; padding: .7rem 1rem; overflow-x: auto; font-size: .9rem; }
@media print { body { margin: 0; font-size: 11pt; } h2 { break-after: avoid; } figure, table { break-inside: avoid; }
               pre { white-space: pre-wrap; } }
)";

std::string tag(const Picture& picture, const std::string& classes) {
  std::string text = "<img src=\"data:image/png;base64," + base64(picture.bytes) + "\" alt=\"" +
                     markup_escaped(picture.description) + "\"";
  if (picture.width > 0) text += " width=\"" + std::to_string(picture.width) + "\"";
  if (!classes.empty()) text += " class=\"" + classes + "\"";
  return text + ">";
}

/// Part of the page, where its titles appear when one points at it; as <img> it would be a mere picture. Names of XML's
/// are of no use there.
std::string inline_svg(const Picture& picture) {
  auto text = picture.bytes.substr(std::min(picture.bytes.find("<svg"), picture.bytes.size()));
  const auto head = text.find('>');
  require(head != std::string::npos, "picture \"", picture.description, "\": got no SVG");
  for (auto name = text.find(" xmlns"); name < text.find('>'); name = text.find(" xmlns")) {
    const auto open = text.find('"', name), close = text.find('"', open + 1);
    text.erase(name, close + 1 - name);
  }
  return text.insert(4, " role=\"img\" aria-label=\"" + markup_escaped(picture.description) + "\"");
}

std::string pixels(const Picture& picture) { return tag(picture, picture.framed ? "pixels framed" : "pixels"); }

std::string element(const std::string& name, const std::string& classes, const std::string& inside) {
  const std::string attributes = classes.empty() ? "" : " class=\"" + classes + "\"";
  return "<" + name + attributes + ">" + inside + "</" + name + ">";
}

/// Numbers that were written out as text ("12,345") stand flush right like the others.
bool is_number(const Table::Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return text == nullptr || (!text->empty() && text->find_first_not_of("0123456789.,+-") == std::string::npos);
}

}  // namespace

Picture picture_of(const pixels::Canvas& canvas, std::string description, int width) {
  return {Picture::Kind::png, pixels::encode_png(canvas), std::move(description), width, false};
}

void HtmlPage::heading(const std::string& text) { body_ += element("h2", "", markup_escaped(text)) + "\n"; }

void HtmlPage::paragraph(const std::string& text) { body_ += element("p", "", markup_escaped(text)) + "\n"; }

void HtmlPage::code(const std::string& text) { body_ += element("pre", "", markup_escaped(text)) + "\n"; }

void HtmlPage::table(const Table& table, const std::string& caption) {
  std::string inside = caption.empty() ? "" : element("caption", "", markup_escaped(caption)) + "\n", row;
  for (size_t c = 0; c < table.columns().size(); ++c) {
    const bool number = !table.rows().empty() && is_number(table.rows().front()[c]);
    row += element("th", number ? "number" : "", markup_escaped(table.columns()[c]));
  }
  inside += element("tr", "", row) + "\n";
  for (const auto& cells : table.rows()) {
    row.clear();
    for (const auto& cell : cells)
      row += element("td", is_number(cell) ? "number" : "", markup_escaped(cell_text(cell)));
    inside += element("tr", "", row) + "\n";
  }
  body_ += element("div", "scroll", element("table", "", "\n" + inside)) + "\n";
}

void HtmlPage::picture(const Picture& picture, const std::string& caption) {
  const auto below = caption.empty() ? "" : element("figcaption", "", markup_escaped(caption));
  body_ +=
      element("figure", "", (picture.kind == Picture::Kind::svg ? inline_svg(picture) : tag(picture, "")) + below) +
      "\n";
}

void HtmlPage::cards(const std::vector<Card>& cards) {
  std::string inside;
  for (const auto& card : cards) {
    std::string text = pixels(card.picture);
    for (const auto& line : card.lines) {
      const char* mark = line.mark == Card::Mark::none ? "" : line.mark == Card::Mark::right ? "right" : "wrong";
      text += element("p", mark, markup_escaped(line.text));
    }
    inside += element("div", "card", text) + "\n";
  }
  body_ += element("div", "cards", "\n" + inside) + "\n";
}

void HtmlPage::pictures(const PictureTable& table) {
  std::string inside, row;
  for (const auto& column : table.columns) row += element("th", "", markup_escaped(column));
  inside += element("tr", "", row) + "\n";
  for (const auto& cells : table.rows) {
    row = element("td", "", markup_escaped(cells.label));
    for (const auto& picture : cells.pictures) row += element("td", "", pixels(picture));
    inside += element("tr", "", row) + "\n";
  }
  body_ += element("div", "scroll", element("table", "pictures", "\n" + inside)) + "\n";
}

std::string HtmlPage::text() const {
  const auto title = markup_escaped(title_);
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
         element("title", "", title) + "\n" + element("style", "", kStyle) + "\n</head>\n<body>\n" +
         element("h1", "", title) + "\n" + body_ + "</body>\n</html>\n";
}

}  // namespace scdcf::report
