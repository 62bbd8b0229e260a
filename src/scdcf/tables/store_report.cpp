#include "scdcf/tables/store_report.h"

#include "scdcf/files/atomic_file.h"
#include "scdcf/files/make_folder.h"

namespace scdcf::tables {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> problems_of(const std::vector<runs::RunRecord>& records,
                                     const std::vector<std::string>& damaged) {
  struct Story {
    std::string label, error;
    int failed = 0, lost = 0, outdated = 0;
    bool done = false;
  };
  std::map<std::string, Story> stories;
  for (const auto& record : records) {
    auto& story = stories[record.key];
    story.label = runs::label_of({record.config(), record.measure, ""});
    story.done = story.done || record.done();
    if (record.status == "failed") {
      ++story.failed;
      story.error = record.error;
    }
    if (record.status == "lost") ++story.lost;
    if (record.status == "outdated") ++story.outdated;
  }
  const auto times = [](int count) { return count == 1 ? std::string("once") : std::to_string(count) + " times"; };
  std::vector<std::string> problems;
  for (const auto& [key, story] : stories) {
    const std::string end = story.done ? "; done since" : "; NOT DONE";
    if (story.failed > 0)
      problems.push_back(story.label + ": failed " + times(story.failed) + ": " + story.error + end);
    if (story.outdated > 0)
      problems.push_back(story.label + ": its network had other defaults than today's, its result is left out" + end);
    if (story.lost > 0) problems.push_back(story.label + ": killed in the middle " + times(story.lost) + end);
  }
  problems.insert(problems.end(), damaged.begin(), damaged.end());
  return problems;
}

std::vector<std::string> made_by(const std::vector<Run>& runs) {
  std::map<std::string, int> counts;
  for (const auto& run : runs) {
    const auto& p = run.record.provenance;
    ++counts["scdcf " + p.scdcf + " (" + p.commit + "), LibTorch " + p.torch + ", on " + p.machine];
  }
  std::vector<std::string> lines;
  for (const auto& [line, count] : counts) lines.push_back(std::to_string(count) + " runs: " + line);
  return lines;
}

}  // namespace

StoreReport make_report(const std::vector<runs::RunRecord>& records, const std::vector<std::string>& damaged) {
  const auto runs = done_runs(records);
  StoreReport report;
  for (const auto& make : {report_digits, report_ablation, report_natural, report_scale_generalisation, report_stir,
                           report_large_scale, report_deformation, report_cost})
    for (auto& section : make(runs)) report.sections.push_back(std::move(section));
  report.problems = problems_of(records, damaged);
  report.made_by = made_by(runs);
  return report;
}

std::string write_report(const StoreReport& report, const fs::path& folder) {
  files::make_folder(folder / "tables");
  std::string missing;
  for (const auto& section : report.sections) {
    for (const auto& table : section.tables)
      files::write_file_atomically(folder / "tables" / (table.stem + ".csv"), to_csv(table));
    for (const auto& picture : section.pictures)
      if (auto why = report::write_plot(picture.plot, folder / "plots", picture.stem); !why.empty()) missing = why;
  }
  files::write_file_atomically(folder / "report.md", to_markdown(report));
  files::write_file_atomically(folder / "report.html", to_html(report));
  return missing;
}

}  // namespace scdcf::tables
