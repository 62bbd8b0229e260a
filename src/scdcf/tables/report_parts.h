// What the sections of a report have in common.
#pragma once

#include "scdcf/tables/groups.h"

namespace scdcf::tables {

/// What a title ends with where all runs are quick ones: " (quick runs)", else nothing.
std::string quick_mark(const std::string& protocol);

/// Whether no more than the precision of the numbers differs from the recipe of the paper.
bool is_of_the_paper(const std::string& protocol);
/// How the runs of an experiment of the paper were trained; in Tables 1 to 3; in one that is not the paper's.
std::string protocol_text(const std::string& protocol);
std::string tables_text(const std::string& protocol);
std::string training_text(const std::string& protocol);

/// A name for files, from a name and a protocol: letters, digits, dots and hyphens.
std::string stem_of(const std::string& name, const std::string& protocol);

/// What a network is called where its K and N_s may not be its own: with them, and with how it was trained where its
/// images were rescaled (without_scaling).
std::string network_name(const Run& run);

/// The names of those that have this measured, in the order of the paper's tables, then as they came; growing K and
/// N_s.
std::vector<std::string> ordered_names(const std::vector<Run>& runs, runs::Measure measure);

/// Where the accuracies of most networks were measured alike.
struct SharedAccuracy {
  std::string data, protocol;
  std::int64_t train_size = 0;
  int size = 0;
  std::string title;  ///< "smnist, N = 2,000"
  /// Of the plain runs of the network of this cell.
  std::optional<Summary> accuracy(const std::vector<Run>& runs, const CellId& network) const;
};
/// The data set, protocol and training size with the most networks at this image size; of equals the smallest.
std::optional<SharedAccuracy> most_shared_accuracy(const std::vector<Run>& runs, int size);

}  // namespace scdcf::tables
