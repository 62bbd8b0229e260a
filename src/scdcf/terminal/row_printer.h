// A table whose rows are printed as they become known, for results that take minutes to get.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace scdcf::terminal {

/// Columns have the width of their title, or more where they say so; a longer cell moves the rest of its row.
class RowPrinter {
 public:
  struct Column {
    std::string title;
    size_t width = 0;
  };
  /// Where `stream` is null nothing is printed.
  RowPrinter(std::ostream* stream, std::vector<Column> columns);
  /// Prints the row at once, and before the first one the titles.
  void add(const std::vector<std::string>& cells);

 private:
  void print(const std::vector<std::string>& cells);

  std::ostream* stream_;
  std::vector<Column> columns_;
  bool titled_ = false;
};

}  // namespace scdcf::terminal
