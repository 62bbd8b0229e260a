// A page of results in one file: text, tables and pictures are all inside it, so that it can be mailed and printed.
#pragma once

#include <string>
#include <vector>

#include "scdcf/pixels/canvas.h"
#include "scdcf/report/table.h"

namespace scdcf::report {

/// The bytes of a PNG or SVG file and how it is shown.
struct Picture {
  enum class Kind { png, svg };
  Kind kind = Kind::png;
  std::string bytes;
  std::string description;  ///< for those who do not see it
  int width = 0;            ///< on the page, in pixels; 0 for its own
  bool framed = false;      ///< draws the eye to one among several
};
/// A picture of few pixels, shown `width` wide with its pixels kept sharp.
Picture picture_of(const pixels::Canvas& canvas, std::string description, int width);

/// One of many pictures: below it a few lines, each of which may be marked as right or wrong.
struct Card {
  enum class Mark { none, right, wrong };
  struct Line {
    std::string text;
    Mark mark = Mark::none;
  };
  Picture picture;
  std::vector<Line> lines;
};

/// Pictures in rows and columns; a row may have fewer than there are columns.
struct PictureTable {
  std::vector<std::string> columns;  ///< the first stands over the labels of the rows
  struct Row {
    std::string label;
    std::vector<Picture> pictures;
  };
  std::vector<Row> rows;
};

/// HtmlPage page("Title"); page.paragraph("a < b"); page.text(); every text is taken as it is: nothing needs escaping.
class HtmlPage {
 public:
  explicit HtmlPage(std::string title) : title_(std::move(title)) {}
  void heading(const std::string& text);
  void paragraph(const std::string& text);
  /// Lines as they are typed.
  void code(const std::string& text);
  void table(const Table& table, const std::string& caption = "");
  void picture(const Picture& picture, const std::string& caption = "");
  void cards(const std::vector<Card>& cards);
  void pictures(const PictureTable& table);

  std::string text() const;

 private:
  std::string title_, body_;
};

}  // namespace scdcf::report
