// A small table of results: printed aligned in a terminal, or turned into JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

namespace scdcf::report {

/// A cell where there is no number.
inline constexpr const char* kNothing = "-";

/// table.add({"replicate", 0.5, 0.0123}); numbers are printed with four significant digits.
class Table {
 public:
  using Cell = std::variant<std::string, double>;
  explicit Table(std::vector<std::string> columns) : columns_(std::move(columns)) {}
  void add(std::vector<Cell> row);
  const std::vector<std::string>& columns() const { return columns_; }
  const std::vector<std::vector<Cell>>& rows() const { return rows_; }
  /// Text flush left, numbers flush right, two blanks between columns.
  void print(std::ostream& stream) const;
  /// An array of objects keyed by column; kNothing is null.
  nlohmann::ordered_json to_json() const;

 private:
  std::vector<std::string> columns_;
  std::vector<std::vector<Cell>> rows_;
};

/// What print shows of a cell.
std::string cell_text(const Table::Cell& cell);

}  // namespace scdcf::report
