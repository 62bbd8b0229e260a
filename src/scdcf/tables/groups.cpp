#include "scdcf/tables/groups.h"

#include <array>
#include <cmath>
#include <numeric>

#include "scdcf/core/format.h"
#include "scdcf/tables/plan_parts.h"
#include "scdcf/tables/plans.h"

namespace scdcf::tables {

Summary summarise(const std::vector<double>& values) {
  Summary summary;
  summary.count = static_cast<int>(values.size());
  if (values.empty()) return summary;
  summary.mean = std::accumulate(values.begin(), values.end(), 0.0) / summary.count;
  if (summary.count < 2) return summary;
  double squares = 0;
  for (const double value : values) squares += (value - summary.mean) * (value - summary.mean);
  summary.deviation = std::sqrt(squares / (summary.count - 1));
  return summary;
}

Mark mark_of(const std::optional<Summary>& measured, const std::optional<PaperValue>& paper) {
  constexpr double kRounding = 1e-9;
  if (!measured || measured->count == 0) return Mark::not_run;
  if (!paper) return Mark::not_in_paper;
  if (measured->mean > paper->mean + paper->deviation + kRounding) return Mark::above;
  return measured->mean < paper->mean - paper->deviation - kRounding ? Mark::below : Mark::within;
}

const char* name_of(Mark mark) {
  constexpr std::array<const char*, 5> names = {"within", "above", "below", "not run", "not in the paper"};
  return names.at(static_cast<std::size_t>(mark));
}

CellId cell_of(const train::RunConfig& config) {
  models::ModelOptions own;  // modes that a network has in these tables anyway make no cell of their own
  own.name = config.model.name;
  fit_to_tables_of_digits(own, config);
  return {config.data.name,
          config.data.size,
          config.train.augment.scale_octaves > 0,
          config.data.train_size,
          config.model.name,
          config.model.scale_modes,
          config.model.modes == own.modes ? 0 : config.model.modes};
}

train::RunConfig without_scaling(const train::RunConfig& config) {
  if (config.train.augment.scale_octaves == 0) return config;
  auto plain = config;
  const train::TrainOptions own;
  plain.train.augment = own.augment;
  plain.train.optimizer = own.optimizer;
  plain.train.learning_rate = own.learning_rate;
  plain.train.weight_decay = own.weight_decay;
  plain.train.schedule = own.schedule;
  if (!is_quick(config)) plain.train.epochs = own.epochs;
  return with_set_recipe(plain);
}

std::string differences(const train::RunConfig& config, const train::RunConfig& expected) {
  const auto got = train::to_json(config, train::Stored::all), wanted = train::to_json(expected, train::Stored::all);
  std::string text;
  for (const auto& section : got.items())
    for (const auto& field : section.value().items())
      if (field.value() != wanted.at(section.key()).at(field.key()))
        text += (text.empty() ? "" : ", ") + field.key() + " " +
                (field.value().is_string() ? field.value().get<std::string>() : field.value().dump());
  return text;
}

std::string protocol_of(const train::RunConfig& config, runs::Measure measure) {
  train::RunConfig paper;
  if (config.model.name.rfind("resnet16", 0) == 0)
    paper.train = natural_recipe(config.data.size);
  else if (measure == runs::Measure::accuracy)
    train_as_in_tables(paper.train, config.train.augment.scale_octaves == 1);
  // What makes the cell, not the protocol.
  paper.model.name = config.model.name;
  paper.model.modes = config.model.modes;
  paper.model.scale_modes = config.model.scale_modes;
  fit_to_tables_of_digits(paper.model, config);
  paper.data.name = config.data.name;
  paper.data.data_dir = config.data.data_dir;
  paper.data.size = config.data.size;
  paper.data.train_size = config.data.train_size;
  paper.data.realisation = config.data.realisation;
  paper = with_set_recipe(paper);
  paper.model.smaller = config.model.smaller;
  paper.model.larger = config.model.larger;
  paper.train.seed = config.train.seed;
  paper.train.device = config.train.device;
  // Milestones that moved along with the epochs go without saying.
  const auto paper_epochs = paper.train.epochs;
  set_epochs(paper.train, config.train.epochs);
  paper.train.epochs = paper_epochs;
  if (is_quick(config)) {
    paper.train.warm_up = config.train.warm_up;
    paper.train.teachers = config.train.teachers;
  }
  const auto text = differences(config, paper);
  if (!is_quick(config)) return text;
  return kQuickRun + (text.empty() ? "" : ", " + text);
}

std::string text_of(const Summary& summary) {
  return summary.deviation ? text_of(PaperValue{summary.mean, *summary.deviation})
                           : text_of(PaperValue{summary.mean, -1});
}

std::string text_of(const PaperValue& value) {
  return value.deviation < 0 ? format("%.2f", value.mean) : format("%.2f ± %.2f", value.mean, value.deviation);
}

std::vector<Run> done_runs(const std::vector<runs::RunRecord>& records) {
  std::vector<Run> runs;
  std::map<std::string, std::size_t> places;
  for (const auto& record : records) {
    if (!record.done()) continue;
    Run run{record, record.config(), {}, {}};
    run.cell = cell_of(run.config);
    run.protocol = protocol_of(run.config, record.measure);
    const auto [place, fresh] = places.emplace(record.key, runs.size());
    if (fresh) {
      runs.push_back(std::move(run));
    } else {
      runs[place->second] = std::move(run);
    }
  }
  return runs;
}

std::optional<Summary> accuracy_in(const std::vector<Run>& runs, const CellId& cell, const std::string& protocol) {
  std::vector<double> values;
  for (const auto& run : runs)
    if (run.record.measure == runs::Measure::accuracy && run.cell == cell && run.protocol == protocol)
      values.push_back(100 * run.record.accuracy);
  if (values.empty()) return std::nullopt;
  return summarise(values);
}

}  // namespace scdcf::tables
