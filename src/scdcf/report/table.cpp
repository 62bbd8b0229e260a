#include "scdcf/report/table.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include "scdcf/core/error.h"
#include "scdcf/core/printable.h"

namespace scdcf::report {

std::string cell_text(const Table::Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  std::ostringstream stream;
  stream << std::setprecision(4) << std::get<double>(cell);
  return stream.str();
}

void Table::add(std::vector<Cell> row) {
  require(row.size() == columns_.size(), "table: got a row of ", row.size(), " cells, expected ", columns_.size());
  rows_.push_back(std::move(row));
}

void Table::print(std::ostream& stream) const {
  std::vector<size_t> widths;
  for (size_t c = 0; c < columns_.size(); ++c) {
    widths.push_back(columns_of(columns_[c]));
    for (const auto& row : rows_) widths[c] = std::max(widths[c], columns_of(printable(cell_text(row[c]))));
  }
  const auto print_cell = [&](size_t c, const std::string& cell, bool left) {
    const auto text = printable(cell);
    const std::string fill(widths[c] - columns_of(text), ' ');
    stream << "  " << (left ? text + fill : fill + text);
  };
  for (size_t c = 0; c < columns_.size(); ++c)
    print_cell(c, columns_[c], rows_.empty() || std::holds_alternative<std::string>(rows_.front()[c]));
  stream << '\n';
  for (const auto& row : rows_) {
    for (size_t c = 0; c < row.size(); ++c)
      print_cell(c, cell_text(row[c]), std::holds_alternative<std::string>(row[c]));
    stream << '\n';
  }
}

nlohmann::ordered_json Table::to_json() const {
  auto array = nlohmann::ordered_json::array();
  for (const auto& row : rows_) {
    nlohmann::ordered_json object;
    for (size_t c = 0; c < row.size(); ++c) {
      if (const auto* text = std::get_if<std::string>(&row[c])) {
        object[columns_[c]] = *text == kNothing ? nlohmann::ordered_json() : nlohmann::ordered_json(*text);
      } else {
        object[columns_[c]] = std::get<double>(row[c]);
      }
    }
    array.push_back(std::move(object));
  }
  return array;
}

}  // namespace scdcf::report
