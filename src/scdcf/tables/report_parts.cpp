#include "scdcf/tables/report_parts.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <tuple>

#include "scdcf/core/format.h"

namespace scdcf::tables {

bool is_of_the_paper(const std::string& protocol) {
  return protocol.empty() || (protocol.rfind("precision ", 0) == 0 && protocol.find(',') == std::string::npos);
}

std::string protocol_text(const std::string& protocol) {
  if (!is_of_the_paper(protocol)) return "Not quite as in the paper: " + protocol + ".";
  return "Trained as in the paper" + (protocol.empty() ? "." : ", " + protocol + ".");
}

std::string tables_text(const std::string& protocol) {
  if (!is_of_the_paper(protocol)) return protocol_text(protocol);
  return protocol_text(protocol) +
         " Where the paper says nothing: Adam without weight decay; + by a factor uniform in [0.5, 2], bicubic; norm, "
         "ReLU, average pooling in scdcfnet, ReLU, maximum pooling, norm in the networks that it is compared with.";
}

std::string training_text(const std::string& protocol) {
  return "Networks of the paper are trained as for Tables 1 and 2, but with a weight decay of 0.0001, the others by "
         "their own recipe" +
         (protocol.empty() ? "." : "; but for " + protocol + ".");
}

std::string quick_mark(const std::string& protocol) { return protocol.rfind(kQuickRun, 0) == 0 ? " (quick runs)" : ""; }

std::string stem_of(const std::string& name, const std::string& protocol) {
  constexpr std::size_t kLongest = 80;
  std::string stem;
  for (const char letter : name + (protocol.empty() ? "" : "-" + protocol)) {
    const bool plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '.';
    if (plain || (!stem.empty() && stem.back() != '-')) stem += plain ? letter : '-';
  }
  stem = stem.substr(0, kLongest);
  while (!stem.empty() && stem.back() == '-') stem.pop_back();
  return stem;
}

std::string network_name(const Run& run) {
  const int modes = run.cell.modes, scales = run.config.model.scales;
  return run.cell.model + (modes > 0 ? " K=" + std::to_string(modes) : "") +
         (scales > 0 ? " N_s=" + std::to_string(scales) : "") +
         (run.cell.augmented ? " (" + differences(run.config, without_scaling(run.config)) + ")" : "");
}

std::vector<std::string> ordered_names(const std::vector<Run>& runs, runs::Measure measure) {
  std::vector<const Run*> found;
  for (const auto& run : runs)
    if (run.record.measure == measure) found.push_back(&run);
  const auto rank = [](const Run& run) {
    const auto known = all_digit_models();
    return std::make_tuple(std::find(known.begin(), known.end(), run.cell.model) - known.begin(), run.cell.modes,
                           run.config.model.scales);
  };
  std::stable_sort(found.begin(), found.end(), [&](const auto* a, const auto* b) { return rank(*a) < rank(*b); });
  std::vector<std::string> names;
  for (const auto* run : found) {
    const auto name = network_name(*run);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::optional<Summary> SharedAccuracy::accuracy(const std::vector<Run>& runs, const CellId& network) const {
  return accuracy_in(runs, {data, size, false, train_size, network.model, network.scale_modes, network.modes},
                     protocol);
}

std::optional<SharedAccuracy> most_shared_accuracy(const std::vector<Run>& runs, int size) {
  // Kept negative, so that of as many networks the first place in order is taken: the shortest protocol description
  // and the smallest training size.
  std::map<std::tuple<std::string, std::string, std::int64_t>, std::set<std::tuple<std::string, int, int>>> places;
  for (const auto& run : runs)
    if (run.record.measure == runs::Measure::accuracy && run.cell.size == size && !run.cell.augmented)
      places[{run.protocol, run.cell.data, run.cell.train_size}].insert(
          {run.cell.model, run.cell.modes, run.cell.scale_modes});
  std::optional<SharedAccuracy> best;
  std::size_t most = 0;
  for (const auto& [place, networks] : places) {
    if (networks.size() <= most) continue;
    most = networks.size();
    const auto& [protocol, data, train_size] = place;
    best = SharedAccuracy{data, protocol, train_size, size, data + ", N = " + with_commas(train_size)};
  }
  return best;
}

}  // namespace scdcf::tables
