// Trained at some sizes, tested at many: the sets that others have published results on, with those beside ours.
#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>

#include "scdcf/core/format.h"
#include "scdcf/data/large_scale.h"
#include "scdcf/data/named_set.h"
#include "scdcf/data/stir.h"
#include "scdcf/tables/published_sizes.h"
#include "scdcf/tables/report_parts.h"
#include "scdcf/tables/store_report.h"

namespace scdcf::tables {
namespace {

/// Of one run: percent, by the size of the objects.
using Accuracies = std::map<double, double>;
using AccuraciesByNetwork = std::map<std::string, std::vector<Accuracies>>;

/// What runs must share to stand in one table.
struct Setting {
  std::string data, protocol;
  std::int64_t train_size = 0;
  double smallest = 0, largest = 0;  ///< sizes that were trained on

  bool is_seen(double size) const { return size >= smallest && size <= largest; }
  bool operator<(const Setting& o) const {
    return std::tie(data, protocol, train_size, smallest, largest) <
           std::tie(o.data, o.protocol, o.train_size, o.smallest, o.largest);
  }
};

/// One of the two experiments.
struct SizeExperiment {
  data::SetKind kind;
  std::function<double(double)> size_of;                                       ///< from the scale of a group
  std::function<std::pair<double, double>(const data::DataOptions&)> trained;  ///< smallest and largest size
  std::vector<double> shown;                                                   ///< sizes that the table has
  const char* size_format;
};

Setting setting_of(const Run& run, const SizeExperiment& experiment) {
  auto config = without_scaling(run.config);
  const data::DataOptions own;
  config.data.smallest_size = own.smallest_size;
  config.data.largest_size = own.largest_size;
  config.data.train_scale = own.train_scale;
  const auto [smallest, largest] = experiment.trained(run.config.data);
  return {config.data.name, protocol_of(config, run.record.measure), config.data.train_size, smallest, largest};
}

std::map<Setting, AccuraciesByNetwork> accuracies_of(const std::vector<Run>& runs, const SizeExperiment& experiment) {
  std::map<Setting, AccuraciesByNetwork> settings;
  for (const auto& run : runs) {
    if (run.record.measure != runs::Measure::scales || data::named_set(run.config.data.name).kind != experiment.kind)
      continue;
    Accuracies accuracies;
    for (const auto& group : run.record.measurements.at("scales"))
      if (group.at("count") > 0)
        accuracies[experiment.size_of(group.at("from"))] = 100 * group.at("accuracy").get<double>();
    settings[setting_of(run, experiment)][network_name(run)].push_back(accuracies);
  }
  return settings;
}

/// Over runs, of the mean over the sizes of each that are wanted; nothing where none has such a size.
ReportCell mean_where(const std::vector<Accuracies>& runs, const std::function<bool(double)>& is_wanted) {
  std::vector<double> means;
  for (const auto& accuracies : runs) {
    std::vector<double> values;
    for (const auto& [size, accuracy] : accuracies)
      if (is_wanted(size)) values.push_back(accuracy);
    if (!values.empty()) means.push_back(summarise(values).mean);
  }
  if (means.empty()) return {};
  return {summarise(means), std::nullopt, ""};
}

ReportCell mean_at(const std::vector<Accuracies>& runs, double wanted) {
  return mean_where(runs, [&](double size) { return size == wanted; });
}

ReportTable table_of(const Setting& setting, const AccuraciesByNetwork& networks, const std::vector<std::string>& order,
                     const SizeExperiment& experiment) {
  ReportTable table;
  table.labels = {"network"};
  table.columns = {"unseen sizes", "all sizes"};
  for (const double size : experiment.shown) table.columns.push_back(format(experiment.size_format, size));
  for (const auto& name : order) {
    const auto found = networks.find(name);
    if (found == networks.end()) continue;
    ReportTable::Row row{{name}, {}};
    row.cells.push_back(mean_where(found->second, [&](double size) { return !setting.is_seen(size); }));
    row.cells.push_back(mean_where(found->second, [](double) { return true; }));
    for (const double size : experiment.shown) row.cells.push_back(mean_at(found->second, size));
    table.rows.push_back(row);
  }
  return table;
}

report::Plot plot_of(const AccuraciesByNetwork& networks, const std::vector<std::string>& order) {
  report::Plot plot;
  plot.y_label = "test accuracy (%)";
  for (const auto& name : order) {
    const auto found = networks.find(name);
    if (found == networks.end()) continue;
    report::Series series{name, {}, {}};
    Accuracies sizes;
    for (const auto& run : found->second) sizes.insert(run.begin(), run.end());
    for (const auto& [size, accuracy] : sizes) {
      series.add(size, mean_at(found->second, size).measured->mean);
    }
    plot.series.push_back(series);
  }
  return plot;
}

/// A row of what others have printed, with nothing where they have not.
ReportTable::Row published_row(const std::string& network, std::size_t cells) {
  ReportTable::Row row{{network + " (published)"}, {}};
  for (std::size_t i = 0; i < cells; ++i) row.cells.push_back({std::nullopt, std::nullopt, "–"});
  return row;
}

bool has_published(const Setting& setting, const char* data) {
  return setting.data == data && quick_mark(setting.protocol).empty();
}

std::string how_trained(const Setting& setting) {
  return (setting.train_size > 0 ? with_commas(setting.train_size) + " training images. " : "") +
         "\"Unseen sizes\" is the mean over all sizes that were not trained on. " + training_text(setting.protocol);
}

/// A section for each setting; `complete` adds its title, text and what is published.
std::vector<ReportSection> sections_of(const std::vector<Run>& runs, const SizeExperiment& experiment,
                                       const std::function<void(const Setting&, ReportSection&)>& complete) {
  const auto order = ordered_names(runs, runs::Measure::scales);
  std::vector<ReportSection> sections;
  for (const auto& [setting, networks] : accuracies_of(runs, experiment)) {
    ReportSection section;
    section.tables.push_back(table_of(setting, networks, order, experiment));
    section.pictures.push_back({"", plot_of(networks, order)});
    complete(setting, section);
    auto& table = section.tables.front();
    auto& picture = section.pictures.front();
    table.title = section.title + ": test accuracy (%)";
    picture.plot.title = section.title;
    const auto trained = setting.smallest == setting.largest ? format("-%g", setting.smallest)
                                                             : format("-%g-%g", setting.smallest, setting.largest);
    picture.stem = table.stem = stem_of(setting.data + trained, setting.protocol);
    section.title += quick_mark(setting.protocol);
    sections.push_back(section);
  }
  return sections;
}

/// Of what others have published on a scenario the table has all, and the plot the best: one mean for all unseen sizes.
void add_published_stir(const Setting& setting, ReportSection& section) {
  auto& table = section.tables.front();
  const auto& scenarios = stir_scenarios();
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    if (setting.smallest != scenarios[i].smallest || setting.largest != scenarios[i].largest) continue;
    for (const auto& published : published_stir()) {
      auto row = published_row(published.network, table.columns.size());
      row.cells.front().text = format("%.1f", published.unseen[i]);
      table.rows.push_back(row);
    }
    const auto& all = published_stir();
    const auto best = std::max_element(all.begin(), all.end(),
                                       [&](const auto& a, const auto& b) { return a.unseen[i] < b.unseen[i]; });
    report::Series level{"best published (mean)", {}, {}, /*dashed=*/true};
    for (const int size : {data::kStirSmallest, data::kStirLargest}) level.add(size, best->unseen[i]);
    section.pictures.front().plot.series.push_back(level);
  }
}

/// Whether somebody has published on this setting.
bool add_published_large_scale(const Setting& setting, const SizeExperiment& experiment, ReportSection& section) {
  bool added = false;
  for (const auto& published : published_large_scale()) {
    if (published.train_scale != setting.smallest) continue;
    auto& table = section.tables.front();
    auto row = published_row(published.network, table.columns.size());
    const auto first = table.columns.size() - experiment.shown.size();
    for (std::size_t i = 0; i < experiment.shown.size(); ++i)
      for (std::size_t j = 0; j < published.scales.size(); ++j)
        if (experiment.shown[i] == published.scales[j])
          row.cells[first + i].text = format("%.2f", published.accuracies[j]);
    table.rows.push_back(row);
    section.pictures.front().plot.series.push_back(
        {row.labels.front(), published.scales, published.accuracies, /*dashed=*/true});
    added = true;
  }
  return added;
}

}  // namespace

std::vector<ReportSection> report_stir(const std::vector<Run>& runs) {
  const SizeExperiment experiment{
      data::SetKind::stir,
      [](double scale) { return std::round(scale * data::kStirSide); },
      [](const data::DataOptions& data) { return std::pair<double, double>(data.smallest_size, data.largest_size); },
      {17, 24, 32, 40, 48, 56, 64},
      "%g px"};
  return sections_of(runs, experiment, [](const Setting& setting, ReportSection& section) {
    section.title = "STIR: " + setting.data + format(", trained on %g to %g px", setting.smallest, setting.largest);
    section.text = "Objects anywhere in 64 x 64 pixels, each of the same pictures at every size. " +
                   how_trained(setting) + " The set is rebuilt here from its description.";
    section.pictures.front().plot.x_label = "size of the object (px)";
    if (!has_published(setting, "stir-mnist")) return;
    section.text +=
        " Published: Altstidl et al. 2023, means over 25 seeds; all of their networks have two convolutions, of 16 and "
        "32 channels.";
    add_published_stir(setting, section);
  });
}

std::vector<ReportSection> report_large_scale(const std::vector<Run>& runs) {
  std::vector<double> half_octaves;
  const auto factors = data::large_scale_factors();
  for (std::size_t i = 0; i < factors.size(); i += 2) half_octaves.push_back(factors[i]);
  const SizeExperiment experiment{
      data::SetKind::large_scale, [](double scale) { return std::exp2(std::round(4 * std::log2(4 * scale)) / 4); },
      [](const data::DataOptions& data) { return std::pair<double, double>(data.train_scale, data.train_scale); },
      half_octaves, "s = %.3g"};
  return sections_of(runs, experiment, [&](const Setting& setting, ReportSection& section) {
    section.title = "Large scale: " + setting.data + format(", trained at s = %g", setting.smallest);
    section.text = "Objects of s times 28 pixels in the middle of 112 x 112. " + how_trained(setting) +
                   " The set is rebuilt here from its description: the original files are given on request only.";
    section.pictures.front().plot.x_label = "size of the object, s";
    section.pictures.front().plot.log_x = true;
    if (!has_published(setting, "mnist-large-scale")) return;
    if (add_published_large_scale(setting, experiment, section))
      section.text += " Published: RieszNet, trained at s = 1 on 50,000 images of the original set.";
  });
}

}  // namespace scdcf::tables
