// The report as Markdown, HTML and CSV.
#include <sstream>

#include "scdcf/core/format.h"
#include "scdcf/report/markup.h"
#include "scdcf/tables/store_report.h"

namespace scdcf::tables {
namespace {

const char* const kLegend =
    "Test accuracy in percent, mean ± standard deviation (n - 1) over n realisations; beneath it the paper's number "
    "and "
    "whether the mean lies within the paper's band (its mean ± its std), above or below.";

std::string count_text(const Summary& summary) { return "(n=" + std::to_string(summary.count) + ")"; }

const char* css_class(Mark mark) {
  if (mark == Mark::within) return "within";
  if (mark == Mark::above) return "above";
  if (mark == Mark::below) return "below";
  return mark == Mark::not_run ? "missing" : "plain";
}

/// Errors may hold anything; a table cell may not hold a bar.
std::string for_markdown(std::string text) {
  for (std::size_t place = 0; (place = text.find('|', place)) != std::string::npos; place += 2)
    text.insert(place, "\\");
  return text;
}

std::string markdown_cell(const ReportCell& cell) {
  if (!cell.text.empty()) return for_markdown(cell.text);
  std::string text = cell.measured ? text_of(*cell.measured) + " " + count_text(*cell.measured) : "not run";
  if (cell.paper) text += "<br>paper " + text_of(*cell.paper);
  if (cell.paper && cell.measured) text += ", " + std::string(name_of(cell.mark()));
  return text;
}

std::string html_cell(const ReportCell& cell) {
  if (!cell.text.empty()) return "<td>" + report::markup_escaped(cell.text) + "</td>";
  const auto mark = cell.mark();
  std::string text = "<td class=\"" + std::string(css_class(mark)) + "\">";
  text += cell.measured ? "<b>" + text_of(*cell.measured) + "</b> <small>" + count_text(*cell.measured) + "</small>"
                        : "<i>not run</i>";
  if (cell.paper) text += "<br><small>paper " + text_of(*cell.paper);
  if (cell.paper && cell.measured) text += ", " + std::string(name_of(mark));
  return text + (cell.paper ? "</small></td>" : "</td>");
}

void write_markdown(std::ostream& out, const ReportTable& table) {
  out << "**" << table.title << "**\n\n|";
  for (const auto& label : table.labels) out << " " << label << " |";
  for (const auto& column : table.columns) out << " " << column << " |";
  out << "\n|";
  for (std::size_t i = 0; i < table.labels.size(); ++i) out << "---|";
  for (std::size_t i = 0; i < table.columns.size(); ++i) out << "---:|";
  for (const auto& row : table.rows) {
    out << "\n|";
    for (const auto& label : row.labels) out << " " << for_markdown(label) << " |";
    for (const auto& cell : row.cells) out << " " << markdown_cell(cell) << " |";
  }
  out << "\n\n";
}

void write_html(std::ostream& out, const ReportTable& table) {
  out << "<table>\n<caption>" << report::markup_escaped(table.title) << " <a href=\"tables/" << table.stem
      << ".csv\">CSV</a></caption>\n<tr>";
  for (const auto& label : table.labels) out << "<th class=\"label\">" << report::markup_escaped(label) << "</th>";
  for (const auto& column : table.columns) out << "<th>" << report::markup_escaped(column) << "</th>";
  out << "</tr>\n";
  for (const auto& row : table.rows) {
    out << "<tr>";
    for (const auto& label : row.labels) out << "<th class=\"label\">" << report::markup_escaped(label) << "</th>";
    for (const auto& cell : row.cells) out << html_cell(cell);
    out << "</tr>\n";
  }
  out << "</table>\n";
}

const char* const kStyle = R"(
body { font: 15px/1.5 "DejaVu Sans", Verdana, sans-serif; color: #222; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.5rem; border-bottom: 1px solid #ccc; }
table { border-collapse: collapse; margin: 1rem 0; font-size: .87rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: bold; padding: .3rem 0; } caption a { font-weight: normal; margin-left: .5rem; }
th, td { border: 1px solid #ddd; padding: .25rem .55rem; text-align: right; white-space: nowrap; }
th { background: #f4f4f4; } th.label { text-align: left; }
small { color: #555; font-size: .78rem; } td.missing { color: #999; } td.missing small { color: #999; }
td.within { background: #e3f3e6; } td.above { background: #dceafa; } td.below { background: #fbe6d9; }
.pictures { display: flex; flex-wrap: wrap; gap: 1rem; } .pictures img { width: 37rem; max-width: 100%; }
)";

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char letter : text) result += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return result + "\"";
}

std::string exact(double value) { return format("%.6g", value); }

}  // namespace

std::string to_markdown(const StoreReport& report) {
  std::ostringstream out;
  out << "# Results\n\n" << kLegend << "\n";
  for (const auto& section : report.sections) {
    out << "\n## " << section.title << "\n\n" << section.text << "\n\n";
    for (const auto& table : section.tables) write_markdown(out, table);
    for (const auto& picture : section.pictures)
      out << "![" << picture.plot.title << "](plots/" << picture.stem << ".png)\n\n";
  }
  if (!report.problems.empty()) out << "\n## What went wrong\n\n";
  for (const auto& problem : report.problems) out << "- " << problem << "\n";
  out << "\n## Made by\n\n";
  for (const auto& line : report.made_by) out << "- " << line << "\n";
  return out.str();
}

std::string to_html(const StoreReport& report) {
  std::ostringstream out;
  out << "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>scdcf: results</title>\n<style>"
      << kStyle << "</style></head>\n<body>\n<h1>Results</h1>\n<p>" << kLegend << "</p>\n";
  for (const auto& section : report.sections) {
    out << "<h2>" << report::markup_escaped(section.title) << "</h2>\n<p>" << report::markup_escaped(section.text)
        << "</p>\n";
    for (const auto& table : section.tables) write_html(out, table);
    if (!section.pictures.empty()) out << "<div class=\"pictures\">\n";
    for (const auto& picture : section.pictures)
      out << "<img src=\"plots/" << picture.stem << ".svg\" alt=\"" << report::markup_escaped(picture.plot.title)
          << "\">\n";
    if (!section.pictures.empty()) out << "</div>\n";
  }
  if (!report.problems.empty()) out << "<h2>What went wrong</h2>\n<ul>\n";
  for (const auto& problem : report.problems) out << "<li>" << report::markup_escaped(problem) << "</li>\n";
  if (!report.problems.empty()) out << "</ul>\n";
  out << "<h2>Made by</h2>\n<ul>\n";
  for (const auto& line : report.made_by) out << "<li>" << report::markup_escaped(line) << "</li>\n";
  out << "</ul>\n</body>\n</html>\n";
  return out.str();
}

std::string to_csv(const ReportTable& table) {
  std::ostringstream out;
  for (const auto& label : table.labels) out << quoted(label) << ",";
  out << "column,mean,std,realisations,paper_mean,paper_std,mark,text\n";
  for (const auto& row : table.rows)
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const auto& cell = row.cells[i];
      for (const auto& label : row.labels) out << quoted(label) << ",";
      out << quoted(table.columns[i]) << ",";
      if (cell.measured) out << exact(cell.measured->mean);
      out << ",";
      if (cell.measured && cell.measured->deviation) out << exact(*cell.measured->deviation);
      out << "," << (cell.measured ? cell.measured->count : 0) << ",";
      if (cell.paper) out << exact(cell.paper->mean) << "," << exact(cell.paper->deviation);
      if (!cell.paper) out << ",";
      out << "," << (cell.text.empty() ? name_of(cell.mark()) : "") << "," << quoted(cell.text) << "\n";
    }
  return out.str();
}

}  // namespace scdcf::tables
