// A report on a results store: tables beside the paper's numbers, plots, and what went wrong.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "scdcf/report/plot.h"
#include "scdcf/tables/groups.h"

namespace scdcf::tables {

struct ReportCell {
  std::optional<Summary> measured;
  std::optional<PaperValue> paper;
  std::string text;  ///< instead of the two, for what is not an accuracy

  Mark mark() const { return mark_of(measured, paper); }
};

struct ReportTable {
  std::string stem;  ///< of its CSV file
  std::string title;
  std::vector<std::string> labels;   ///< heads of the columns that say what a row is
  std::vector<std::string> columns;  ///< heads of the cells
  struct Row {
    std::vector<std::string> labels;
    std::vector<ReportCell> cells;
  };
  std::vector<Row> rows;
};

struct ReportSection {
  std::string title;
  std::string text;
  std::vector<ReportTable> tables;
  struct Picture {
    std::string stem;
    report::Plot plot;
  };
  std::vector<Picture> pictures;
};

struct StoreReport {
  std::vector<ReportSection> sections;
  std::vector<std::string> problems;  ///< runs that failed or were lost, lines that cannot be read
  std::vector<std::string> made_by;   ///< commits, versions and machines
};

/// From the records alone. `damaged`: what ResultsStore says of lines that it cannot read.
StoreReport make_report(const std::vector<runs::RunRecord>& records, const std::vector<std::string>& damaged);

/// Tables 1 and 2, and the same table for other data sets; Table 3; Table 4. A paper's table of which nothing was run
/// is a section without a table.
std::vector<ReportSection> report_digits(const std::vector<Run>& runs);
std::vector<ReportSection> report_ablation(const std::vector<Run>& runs);
std::vector<ReportSection> report_natural(const std::vector<Run>& runs);
/// What goes beyond the paper; empty where nothing was run.
std::vector<ReportSection> report_scale_generalisation(const std::vector<Run>& runs);
std::vector<ReportSection> report_stir(const std::vector<Run>& runs);
std::vector<ReportSection> report_large_scale(const std::vector<Run>& runs);
std::vector<ReportSection> report_deformation(const std::vector<Run>& runs);
std::vector<ReportSection> report_cost(const std::vector<Run>& runs);

std::string to_markdown(const StoreReport& report);
std::string to_html(const StoreReport& report);
/// A line a cell: labels, column, mean, std, realisations, paper_mean, paper_std, mark, text.
std::string to_csv(const ReportTable& table);

/// Writes report.md, report.html, tables/*.csv and plots/* into a folder. Returns an empty string, or why there are no
/// pictures.
std::string write_report(const StoreReport& report, const std::filesystem::path& folder);

}  // namespace scdcf::tables
