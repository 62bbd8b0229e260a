// The paper's statements, measured: what `scdcf verify` runs.
#pragma once

#include <string>

#include "scdcf/report/plot.h"
#include "scdcf/report/table.h"

namespace scdcf::verify {

/// One statement of the paper, what was measured, and whether it held.
struct Finding {
  std::string id;         // "theorem1", also the name of its plot
  std::string statement;  // in words
  report::Table table;
  bool holds = false;
  std::string verdict;  // the criterion, with the numbers that decided
  report::Plot plot;
};

/// Equivariance: the error of a two-layer net falls as the same picture is drawn on finer pixels.
Finding theorem1();
/// Layers with A_l <= 1 do not expand distances.
Finding proposition2();
/// With a deformation the equivariance error stays below the bound of eq. (regularity_final).
Finding theorem2();
/// Truncating the scale axis costs an error that decays with its length for replicate, but not for zero padding.
Finding theorem3();

}  // namespace scdcf::verify
