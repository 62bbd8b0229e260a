#include "image_size.h"

#include "scdcf/bench/training_time.h"
#include "scdcf/core/format.h"
#include "scdcf/data/datasets.h"
#include "scdcf/terminal/clock_text.h"

namespace scdcf::app {

std::string choose_image_size(train::RunConfig& config) {
  constexpr double kMostSeconds = 600;
  if (config.data.size > 0) return "";
  const auto summary = data::summarise_folder(config.data);
  if (summary.side == 0) return "";
  const auto [side, seconds] = bench::affordable_side(
      summary.side, kMostSeconds, [&](int tried) { return bench::training_seconds(config, summary.splits, tried); });
  config.data.size = side;
  return format(
      "image size %d x %d (median shorter side: %d): about %s of training on this machine; --size sets "
      "another, --fit %s how images become square",
      side, side, summary.side, terminal::clock_text(seconds).c_str(), config.data.fit.c_str());
}

}  // namespace scdcf::app
