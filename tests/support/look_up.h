// Finds its way in a report.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>

#include "scdcf/tables/store_report.h"

namespace scdcf::testing {

/// The section whose title begins so.
inline const tables::ReportSection& section(const tables::StoreReport& report, const std::string& title) {
  const auto found = std::find_if(report.sections.begin(), report.sections.end(),
                                  [&](const auto& one) { return one.title.rfind(title, 0) == 0; });
  if (found == report.sections.end()) throw std::runtime_error("no section " + title);
  return *found;
}

/// By the first label of the row and the head of the column.
inline const tables::ReportCell& cell(const tables::ReportTable& table, const std::string& row,
                                      const std::string& column) {
  const auto at = std::find(table.columns.begin(), table.columns.end(), column) - table.columns.begin();
  for (const auto& one : table.rows)
    if (one.labels.front() == row) return one.cells.at(static_cast<std::size_t>(at));
  throw std::runtime_error("no row " + row);
}

}  // namespace scdcf::testing
