// Records that belong into one cell of a table, and what becomes of them there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scdcf/runs/results_store.h"
#include "scdcf/tables/paper_numbers.h"

namespace scdcf::tables {

/// Over independent realisations.
struct Summary {
  int count = 0;
  double mean = 0;
  std::optional<double> deviation;  ///< sqrt(sum (x - mean)^2 / (count - 1)); nothing of a single one
};
Summary summarise(const std::vector<double>& values);

/// A measured mean against the paper's: within its mean +- std, the ends included, above or below.
enum class Mark { within, above, below, not_run, not_in_paper };
Mark mark_of(const std::optional<Summary>& measured, const std::optional<PaperValue>& paper);
const char* name_of(Mark mark);

/// The cell of a run. modes and scale_modes as they were asked for: 0 where the network's own are meant.
CellId cell_of(const train::RunConfig& config);

/// How the protocol of a quick run begins.
inline constexpr const char* kQuickRun = "quick run";

/// What in a run differs from the recipe of its experiment (of accuracy: that of the paper's tables), as "epochs 2,
/// test_size 100"; empty where nothing does. Network, data set, sizes, augmentation by scaling, K and K_alpha,
/// realisation, seed, device, data folder, and milestones in proportion to the epochs are not meant.
std::string protocol_of(const train::RunConfig& config, runs::Measure measure = runs::Measure::accuracy);

/// The run without augmentation by scaling, trained by its network's own recipe; as it is where there is none.
train::RunConfig without_scaling(const train::RunConfig& config);
/// "optimizer adamw, epochs 120": options of `config` that are not those of `expected`.
std::string differences(const train::RunConfig& config, const train::RunConfig& expected);

/// "95.87 ± 0.18"; the mean alone where there is no deviation.
std::string text_of(const Summary& summary);
std::string text_of(const PaperValue& value);

/// A record with its configuration read.
struct Run {
  runs::RunRecord record;
  train::RunConfig config;
  CellId cell;
  std::string protocol;
};
/// The done ones; of several with one key, the last.
std::vector<Run> done_runs(const std::vector<runs::RunRecord>& records);

/// Test accuracy in percent of the runs in a cell with one protocol that measured it alone.
std::optional<Summary> accuracy_in(const std::vector<Run>& runs, const CellId& cell, const std::string& protocol);

}  // namespace scdcf::tables
