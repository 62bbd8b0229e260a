// Plans of the experiments on sets that others have published results on: trained at some sizes, tested at many.
#include "scdcf/core/error.h"
#include "scdcf/data/large_scale.h"
#include "scdcf/data/named_set.h"
#include "scdcf/data/stir.h"
#include "scdcf/tables/paper_numbers.h"
#include "scdcf/tables/plan_parts.h"
#include "scdcf/tables/plans.h"
#include "scdcf/tables/published_sizes.h"

namespace scdcf::tables {
namespace {

constexpr std::int64_t kAllImages = 0, kLargeScaleTrain = 10000;

/// Those asked for of all, else a few: most of the paper's networks say what one of them says, and take hours.
std::vector<std::string> models_of(const PlanOptions& options, const std::vector<std::string>& own) {
  if (!options.models.empty()) return chosen(all_digit_models(), options.models);
  return options.quick ? std::vector<std::string>{"cnn", "scdcfnet-full"} : own;
}

/// A set of another kind has no such sizes.
void require_kind(const std::string& name, data::SetKind kind, const char* expected) {
  require(data::named_set(name).kind == kind, "data: got ", name, ", expected ", expected);
}

/// One of the ways to train, the last, is enough for a quick run.
template <class T>
std::vector<T> ways(const PlanOptions& options, const std::vector<T>& all) {
  return options.quick ? std::vector<T>{all.back()} : all;
}

}  // namespace

Plan plan_stir(const PlanOptions& options) {
  Plan plan;
  if (!allows(options.sizes, data::kStirSide)) return plan;
  for (const int realisation : realisations(options, 5))
    for (const auto& name : data_sets(options, {"stir-mnist", "stir-fashion"})) {
      require_kind(name, data::SetKind::stir, "stir-mnist, stir-fashion or stir-glyphs");
      for (const auto train_size : train_sizes(options, {kAllImages}, kQuickLargeTrain))
        for (const auto& range : ways(options, stir_scenarios()))
          for (const auto& model : models_of(options, {"cnn", "sesn", "scdcfnet", "scdcfnet-full", "pyramid-cnn"})) {
            auto config = base(options, model, name, data::kStirSide, train_size, realisation);
            config.data.smallest_size = range.smallest;
            config.data.largest_size = range.largest;
            if (has_range(model)) {
              config.model.smaller = static_cast<double>(range.smallest) / data::kStirSmallest;
              config.model.larger = static_cast<double>(data::kStirLargest) / range.largest;
            }
            plan.push_back({finished(config, options, kQuickLargeEpochs), runs::Measure::scales, ""});
          }
    }
  return plan;
}

Plan plan_large_scale(const PlanOptions& options) {
  const auto factors = data::large_scale_factors();
  Plan plan;
  if (!allows(options.sizes, data::kLargeScaleSide)) return plan;
  std::vector<std::string> sets = {"mnist-large-scale"};
  if (options.quick) sets.emplace_back("fashion-large-scale");  // where digits are not at hand
  for (const int realisation : realisations(options, 3))
    for (const auto& name : data_sets(options, sets)) {
      require_kind(name, data::SetKind::large_scale, "mnist-large-scale, fashion-large-scale or glyphs-large-scale");
      for (const auto train_size : train_sizes(options, {kLargeScaleTrain}, kQuickLargeTrain))
        for (const double scale : ways<double>(options, {1, 2, 4}))
          for (const auto& model : models_of(options, {"cnn", "scdcfnet-full", "pyramid-cnn"})) {
            auto config = base(options, model, name, data::kLargeScaleSide, train_size, realisation);
            config.data.train_scale = scale;
            if (has_range(model)) {
              config.model.smaller = scale / factors.front();
              config.model.larger = factors.back() / scale;
            }
            plan.push_back({finished(config, options, kQuickLargeEpochs), runs::Measure::scales, ""});
          }
    }
  return plan;
}

}  // namespace scdcf::tables
