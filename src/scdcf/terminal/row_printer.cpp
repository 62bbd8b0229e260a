#include "scdcf/terminal/row_printer.h"

#include <algorithm>

#include "scdcf/core/error.h"
#include "scdcf/core/printable.h"

namespace scdcf::terminal {

RowPrinter::RowPrinter(std::ostream* stream, std::vector<Column> columns)
    : stream_(stream), columns_(std::move(columns)) {
  for (auto& column : columns_) column.width = std::max(column.width, columns_of(column.title));
}

void RowPrinter::add(const std::vector<std::string>& cells) {
  require(cells.size() == columns_.size(), "table: got a row of ", cells.size(), " cells, expected ", columns_.size());
  if (stream_ == nullptr) return;
  if (!titled_) {
    std::vector<std::string> titles;
    for (const auto& column : columns_) titles.push_back(column.title);
    print(titles);
    titled_ = true;
  }
  print(cells);
}

void RowPrinter::print(const std::vector<std::string>& cells) {
  std::string line;
  for (size_t c = 0; c < cells.size(); ++c) {
    const auto text = printable(cells[c]);
    const auto width = columns_of(text);
    line += "  " + text;
    if (width < columns_[c].width) line.append(columns_[c].width - width, ' ');
  }
  line.erase(line.find_last_not_of(' ') + 1);
  *stream_ << line << '\n' << std::flush;
}

}  // namespace scdcf::terminal
