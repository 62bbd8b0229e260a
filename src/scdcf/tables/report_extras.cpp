// What goes beyond the paper: unseen scales, deformation, cost.
#include <set>

#include "scdcf/core/format.h"
#include "scdcf/data/named_set.h"
#include "scdcf/tables/plan_parts.h"
#include "scdcf/tables/report_parts.h"
#include "scdcf/tables/store_report.h"

namespace scdcf::tables {
namespace {

/// Numbers along an axis (scale, deformation) by network, over realisations: values[network][place].
using Curves = std::map<std::string, std::map<double, std::vector<double>>>;

/// A row per network, a column per place; and the same as a plot.
void add_curves(ReportSection& section, const Curves& curves, const std::vector<std::string>& order,
                const std::string& stem, report::Plot plot, const char* column_format) {
  std::set<double> places;
  for (const auto& curve : curves)
    for (const auto& point : curve.second) places.insert(point.first);
  ReportTable table{stem, plot.title + ": " + plot.y_label, {"network"}, {}, {}};
  for (const double place : places) table.columns.push_back(format(column_format, place));
  for (const auto& name : order) {
    const auto found = curves.find(name);
    if (found == curves.end()) continue;
    ReportTable::Row row{{name}, {}};
    report::Series series{name, {}, {}};
    for (const double place : places) {
      const auto point = found->second.find(place);
      if (point == found->second.end()) {
        row.cells.emplace_back();
        continue;
      }
      const auto summary = summarise(point->second);
      row.cells.push_back({summary, std::nullopt, ""});
      series.add(place, summary.mean);
    }
    table.rows.push_back(row);
    plot.series.push_back(series);
  }
  section.tables.push_back(table);
  section.pictures.push_back({stem, plot});
}

/// Data set, training size and what of the protocol counts as a subject of its own.
struct CurveSubject {
  std::string data, protocol;
  std::int64_t train_size = 0;
  double smallest = 0, largest = 0;
  bool operator<(const CurveSubject& o) const {
    return std::tie(data, protocol, train_size, smallest, largest) <
           std::tie(o.data, o.protocol, o.train_size, o.smallest, o.largest);
  }
};

/// The protocol without what makes the subject itself or names the network.
CurveSubject subject_of(const Run& run) {
  auto config = without_scaling(run.config);
  const train::RunConfig own;
  config.model = own.model;
  config.model.name = run.config.model.name;
  config.data.smallest_factor = own.data.smallest_factor;
  config.data.largest_factor = own.data.largest_factor;
  fit_to_tables_of_digits(config.model, config);  // as the protocol would have it of the whole range
  return {config.data.name, protocol_of(config, run.record.measure), config.data.train_size,
          run.config.data.smallest_factor, run.config.data.largest_factor};
}

}  // namespace

std::vector<ReportSection> report_scale_generalisation(const std::vector<Run>& runs) {
  std::map<CurveSubject, Curves> subjects;
  for (const auto& run : runs) {
    const auto kind = data::named_set(run.config.data.name).kind;
    if (run.record.measure != runs::Measure::scales || kind == data::SetKind::stir ||
        kind == data::SetKind::large_scale)
      continue;
    auto& curve = subjects[subject_of(run)][network_name(run)];
    for (const auto& bin : run.record.measurements.at("scales"))
      if (bin.at("count") > 0)
        curve[(bin.at("from").get<double>() + bin.at("to").get<double>()) / 2].push_back(
            100 * bin.at("accuracy").get<double>());
  }
  std::vector<ReportSection> sections;
  for (const auto& [subject, curves] : subjects) {
    const auto range = format("%g", subject.smallest) + " to " + format("%g", subject.largest);
    ReportSection section;
    section.title = "Unseen scales: " + subject.data + ", trained on factors " + range + quick_mark(subject.protocol);
    section.text = with_commas(subject.train_size) +
                   " training images; columns are the middle of each range of test factors. " +
                   training_text(subject.protocol);
    report::Plot plot{subject.data + ", trained on factors " + range, "rescaling factor of the test image",
                      "test accuracy (%)"};
    add_curves(section, curves, ordered_names(runs, runs::Measure::scales),
               stem_of("scales-" + subject.data + "-" + range, subject.protocol), plot, "%.2f");
    sections.push_back(section);
  }
  return sections;
}

std::vector<ReportSection> report_deformation(const std::vector<Run>& runs) {
  std::map<CurveSubject, std::pair<Curves, Curves>> subjects;
  for (const auto& run : runs) {
    if (run.record.measure != runs::Measure::deformation) continue;
    auto& [accuracy, error] = subjects[subject_of(run)];
    for (const auto& level : run.record.measurements.at("levels")) {
      const double gradient = level.at("gradient");
      accuracy[network_name(run)][gradient].push_back(100 * level.at("accuracy").get<double>());
      error[network_name(run)][gradient].push_back(100 * level.at("error").get<double>());
    }
  }
  std::vector<ReportSection> sections;
  for (const auto& [subject, curves] : subjects) {
    ReportSection section;
    section.title = "Deformation: " + subject.data + quick_mark(subject.protocol);
    section.text = with_commas(subject.train_size) +
                   " training images; test images moved by smooth random fields tau (Theorem 2). " +
                   training_text(subject.protocol);
    report::Plot plot{subject.data + ", deformed", "|grad tau|", "test accuracy (%)"};
    const auto order = ordered_names(runs, runs::Measure::deformation);
    add_curves(section, curves.first, order, stem_of("deformation-" + subject.data + "-accuracy", subject.protocol),
               plot, "%.2g");
    plot.y_label = "equivariance error of the last features (%)";
    add_curves(section, curves.second, order, stem_of("deformation-" + subject.data + "-error", subject.protocol), plot,
               "%.2g");
    sections.push_back(section);
  }
  return sections;
}

std::vector<ReportSection> report_cost(const std::vector<Run>& runs) {
  using Place = std::tuple<std::string, int, std::string>;  // machine, size, precision
  std::map<Place, std::vector<const Run*>> places;
  for (const auto& run : runs)
    if (run.record.measure == runs::Measure::cost)
      places[{run.record.provenance.machine, run.config.data.size, run.config.train.precision}].push_back(&run);
  std::vector<ReportSection> sections;
  for (const auto& [place, costs] : places) {
    const auto& [machine, size, precision] = place;
    ReportSection section;
    section.title = "Cost at " + std::to_string(size) + " pixels on " + machine;
    section.text = "Per image, in batches of " + costs.front()->record.measurements.at("batch").dump() + ", " +
                   precision + ". Accuracy: plain, at the smallest training size that was run for all of them.";
    ReportTable table;
    table.stem = stem_of("cost-" + std::to_string(size) + "-" + machine, precision);
    table.title = section.title;
    table.labels = {"network", "parameters"};
    table.columns = {"accuracy (%)", "million multiply-adds", "inference (ms)", "training (ms)",
                     "training memory (MB)"};
    // Runs that say how accurate the networks are: the data set and protocol that most of them share.
    const auto shared = most_shared_accuracy(runs, size);
    report::Plot time, operations;
    time.title = operations.title = "Accuracy against cost, " + std::to_string(size) + " pixels, " + machine;
    time.x_label = "inference, ms an image";
    operations.x_label = "million multiply-adds an image";
    time.y_label = operations.y_label = "test accuracy (%)" + (shared ? ", " + shared->title : "");
    for (auto* plot : {&time, &operations}) plot->log_x = plot->points_only = true;
    for (const auto& name : ordered_names(runs, runs::Measure::cost))
      for (const auto* run : costs) {
        if (network_name(*run) != name) continue;
        const auto& m = run->record.measurements;
        const double operations_here = m.at("multiply_adds").get<double>() / 1e6, ms = m.at("inference_ms");
        std::optional<Summary> accuracy;
        if (shared) accuracy = shared->accuracy(runs, run->cell);
        ReportTable::Row row{{name, with_commas(m.at("parameters").get<std::int64_t>())}, {}};
        row.cells = {{accuracy, std::nullopt, ""},
                     {std::nullopt, std::nullopt, format("%.1f", operations_here)},
                     {std::nullopt, std::nullopt, format("%.3g", ms)},
                     {std::nullopt, std::nullopt, format("%.3g", m.at("training_ms").get<double>())},
                     {std::nullopt, std::nullopt, format("%.3g", m.at("training_bytes").get<double>() / 1e6)}};
        table.rows.push_back(row);
        if (!accuracy) continue;
        time.series.push_back({name, {ms}, {accuracy->mean}});
        operations.series.push_back({name, {operations_here}, {accuracy->mean}});
      }
    section.tables.push_back(table);
    if (time.series.size() > 1) {
      section.pictures.push_back({table.stem + "-time", time});
      section.pictures.push_back({table.stem + "-operations", operations});
    }
    sections.push_back(section);
  }
  return sections;
}

}  // namespace scdcf::tables
