// Where a run stands, in a line.
#pragma once

#include <string>

#include "scdcf/train/trainer.h"

namespace scdcf::app {

/// "epoch 2/60  step 3/40  512 images/s" or "test 500/10000 images".
std::string step_text(const train::StepProgress& progress);

/// "  1:05 left"; empty until that is known.
std::string left_text(const train::StepProgress& progress);

/// What a run that turns out to take more than ten minutes will take, and what a shorter one would: said once, after
/// its first seconds. Empty before that and for others.
std::string long_run_text(const train::StepProgress& progress);

}  // namespace scdcf::app
