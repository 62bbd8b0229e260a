// Results of networks whose defaults have changed since: what was asked is the same, what was trained is not.
#pragma once

#include "scdcf/runs/results_store.h"

namespace scdcf::runs {

/// Whether today's defaults would make another network of what was asked. What the data decides is taken as it was; of
/// networks that this program does not have nothing is said.
bool is_outdated(const RunRecord& record);

}  // namespace scdcf::runs
