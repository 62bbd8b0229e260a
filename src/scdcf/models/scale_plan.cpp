#include "scdcf/models/scale_plan.h"

#include <algorithm>
#include <cmath>

#include "scdcf/core/error.h"
#include "scdcf/core/format.h"
#include "scdcf/nn/enlarge.h"

namespace scdcf::models {
namespace {

constexpr double kLargestObject = 2.1;  // times the side of the image: of a larger one too little is to be seen
constexpr double kUsualRange = 2;       // smaller and larger, where they are left open
constexpr double kMostEnlarged = nn::kMostEnlarged, kMostReduced = 1 / kMostEnlarged;

int64_t multiple_of_4(double pixels) { return std::max<int64_t>(4, 4 * std::llround(pixels / 4)); }

void resolve_range(ModelOptions& options) {
  auto& o = options;
  if (o.smallest_object == 0) o.smallest_object = 1;
  if (o.largest_object == 0) o.largest_object = std::max(1.0, o.smallest_object);
  require(o.smallest_object <= o.largest_object, "smallest_object: got ", o.smallest_object,
          ", expected at most the largest, ", o.largest_object);
  const bool wide = o.largest_object / o.smallest_object > kUsualRange;  // what was trained on is a range by itself
  const double pixels = o.smallest_object * static_cast<double>(o.image_size);
  if (o.smaller == 0) o.smaller = wide ? 1 : std::clamp(pixels / kLeastObjectPixels, 1.0, kUsualRange);
  if (o.larger == 0) o.larger = wide ? 1 : std::clamp(1 / o.largest_object, 1.0, kUsualRange);
  require(o.smaller >= 1, "smaller: got ", o.smaller, ", expected at least 1");
  require(o.larger >= 1, "larger: got ", o.larger, ", expected at least 1");
  require(pixels / o.smaller >= kLeastObjectPixels - 1e-9, "smaller: got ", o.smaller, ", which leaves ",
          pixels / o.smaller, " pixels across the smallest objects, expected at least ", kLeastObjectPixels,
          ": at most ", pixels / kLeastObjectPixels);
  require(o.largest_object <= kLargestObject, "objects: got some of ", o.largest_object,
          " times the side of the image, expected at most ", kLargestObject);
  require(o.largest_object * o.larger <= kLargestObject, "larger: got ", o.larger, ", which makes objects ",
          o.largest_object * o.larger, " times as large as the image, expected at most ", kLargestObject);
}

/// As many octaves beyond the home levels, either way, as there are levels: what is not home has then seen objects as
/// small and as large, beside its own size, as it will see any within the range.
void add_training_levels(ScalePlan& plan, bool centred) {
  const int last = plan.levels() - 1;
  const auto add = [&](int level) {
    const double enlargement = plan.enlargements.front() * std::exp2(-level * plan.planes_per_level * plan.step);
    const double side = enlargement * static_cast<double>(plan.image_size);
    if (enlargement > kMostEnlarged || enlargement < kMostReduced || side < 4) return;
    const int64_t whole = 4 * static_cast<int64_t>(std::ceil(side / 4 - 1e-6));
    plan.training_enlargements.push_back(enlargement);
    // Of larger images the middle is enough.
    plan.training_frames.push_back(centred ? plan.frames.front() : std::min(whole, plan.frames.front()));
  };
  for (int level = plan.last_home / plan.planes_per_level - last; level < 0; ++level) add(level);
  for (int level = last + 1; level <= plan.first_home / plan.planes_per_level + last; ++level) add(level);
}

}  // namespace

double ScalePlan::home_size(double plane) const {
  return span * finest_width * std::exp2(plane * step) / (enlargements.front() * static_cast<double>(image_size));
}

bool ScalePlan::is_home_level(int level) const {
  return first_home < (level + 1) * planes_per_level && last_home >= level * planes_per_level;
}

ScalePlan plan_scales(ModelOptions& options, int planes_per_level) {
  resolve_range(options);
  ScalePlan plan;
  plan.planes_per_level = planes_per_level;
  plan.step = options.scale_step;
  plan.finest_width = options.finest_width;
  plan.span = options.span;
  plan.image_size = options.image_size;
  plan.smallest_trained = options.smallest_object;
  plan.largest_trained = options.largest_object;
  plan.smallest = options.smallest_object / options.smaller;
  plan.largest = options.largest_object * options.larger;
  // The first plane is at home at the smallest objects or below, the last at the largest.
  const double octaves = std::log2(plan.largest / plan.smallest), image = static_cast<double>(options.image_size);
  const int needed = 1 + static_cast<int>(std::ceil(octaves / plan.step - 1e-6));
  const int levels = (needed + planes_per_level - 1) / planes_per_level;
  require(levels <= 32, "scale_step: got ", plan.step, ", with which a range of ", octaves, " octaves needs ", levels,
          " levels, expected at most 32");
  const double coarsest_width = plan.finest_width * std::exp2((planes_per_level - 1) * plan.step);
  const double home = plan.span * coarsest_width, least = home / (plan.largest * image);
  for (int level = levels - 1; level >= 0; --level)
    plan.enlargements.push_back(least * std::exp2(level * planes_per_level * plan.step));
  const auto require_sampled = [&](double enlargement) {
    require(enlargement >= kMostReduced && enlargement <= kMostEnlarged, "span: got ", plan.span,
            ", with which images of ", options.image_size, " pixels are enlarged ", enlargement, " times, expected 1/",
            kMostEnlarged, " to ", kMostEnlarged, " times");
  };
  require_sampled(plan.enlargements.front());
  require_sampled(least);
  const bool centred = options.read_out == "centre";
  const int64_t fovea = options.frame > 0 ? options.frame : multiple_of_4(home);
  for (const double enlargement : plan.enlargements)
    plan.frames.push_back(centred ? fovea : 4 * static_cast<int64_t>(std::ceil(enlargement * image / 4 - 1e-6)));
  const auto plane_of = [&](double size) { return std::log2(size / plan.home_size(0)) / plan.step; };
  const auto within = [&](double plane) { return std::clamp(static_cast<int>(plane), 0, plan.planes() - 1); };
  plan.first_home = within(std::floor(plane_of(plan.smallest_trained) + 1e-6));
  plan.last_home = within(std::ceil(plane_of(plan.largest_trained) - 1e-6));
  add_training_levels(plan, centred);
  return plan;
}

std::string describe(const ScalePlan& plan) {
  const double finest = plan.finest_width / plan.enlargements.front();
  return format(
             "recognises %.2g to %.3g times the size trained on; %d planes, filters of %.2g to %.3g px of the image, ",
             plan.smallest / plan.smallest_trained, plan.largest / plan.largest_trained, plan.planes(), finest,
             finest * std::exp2((plan.planes() - 1) * plan.step)) +
         format(
             plan.enlargements.front() >= 1 ? "which is enlarged up to %.2g times" : "which is reduced to %.2g of it",
             plan.enlargements.front());
}

}  // namespace scdcf::models
