#include "scdcf/models/pyramid.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "scdcf/core/error.h"
#include "scdcf/models/pyramid_scores.h"
#include "scdcf/nn/enlarge.h"
#include "scdcf/nn/eval_mode_guard.h"

namespace scdcf::models {
namespace {

/// Along the first dimension. Where there is a derivative it is one operation, not one of the whole for every part;
/// where there is none, one that every format of export has.
std::vector<torch::Tensor> parts_of(const torch::Tensor& whole, const std::vector<int64_t>& sizes) {
  if (whole.requires_grad()) return whole.split_with_sizes(sizes);
  std::vector<torch::Tensor> parts;
  int64_t first = 0;
  for (const auto size : sizes) {
    parts.push_back(whole.narrow(0, first, size));
    first += size;
  }
  return parts;
}

class PyramidNetwork : public Network {
 public:
  PyramidNetwork(ModelOptions options, int planes_per_level, std::shared_ptr<LevelNetwork> level_network)
      : options_(options),
        plan_(plan_scales(options, planes_per_level)),
        centred_(options.read_out == "centre"),
        others_share_(options.others_share),
        network_(register_module("level", std::move(level_network))) {
    const auto padding = options.padding == "replicate" ? nn::SpatialPadding::replicate : nn::SpatialPadding::zero;
    const auto add = [&](double enlargement, int64_t frame) {
      levels_.emplace_back(nn::EnlargeOptions(enlargement).frame(frame).padding(padding));
    };
    for (size_t i = 0; i < plan_.enlargements.size(); ++i) add(plan_.enlargements[i], plan_.frames[i]);
    for (size_t i = 0; i < plan_.training_enlargements.size(); ++i)
      add(plan_.training_enlargements[i], plan_.training_frames[i]);
  }

  torch::Tensor forward(const torch::Tensor& images) override { return plane_scores(images).amax(2); }

  torch::Tensor training_scores(const torch::Tensor& images, const torch::Tensor& labels) override {
    // The other levels are there to be quiet: a share of the images is enough to teach them that.
    const auto shown = static_cast<int64_t>(std::ceil(others_share_ * static_cast<double>(images.size(0))));
    std::vector<int64_t> counts(levels_.size(), (shown + 1) / 2);
    for (size_t i = 0; i < plan_.enlargements.size(); ++i) counts[i] = is_home(i) ? images.size(0) : shown;
    return training_scores_of(scores_of_levels(images, counts), labels, plan_);
  }

  std::optional<Reading> read(const torch::Tensor& images) override {
    const auto [planes, places] = centred_ ? FoundPlanes{plane_scores(images), {}} : found_planes(images);
    return reading_of(planes, places, plan_.step, plan_.home_size(0));
  }

  std::vector<LayerOutput> features(const torch::Tensor& images) override {
    check_images(options_, images);
    std::vector<std::vector<LayerOutput>> blocks;
    std::vector<torch::Tensor> hidden, scores;
    for (int i = 0; i < plan_.levels(); ++i) {
      blocks.push_back(network_->blocks(levels_[static_cast<size_t>(i)]->forward(images)));
      hidden.push_back(network_->hidden(blocks.back().back().maps, /*at_centre=*/true));
      scores.push_back(network_->scores(hidden.back()));
    }
    auto outputs = blocks[static_cast<size_t>(first_home_level())];
    // One plane a level: those of all levels stand side by side, where their frames are of one size. Several planes of
    // a level show the same part of the image, as those of other networks do.
    for (size_t layer = 0; plan_.planes_per_level == 1 && layer < outputs.size(); ++layer) {
      outputs[layer].along_scales = true;
      if (!centred_) continue;
      std::vector<torch::Tensor> planes;
      for (const auto& level : blocks) planes.push_back(level[layer].maps);
      outputs[layer].maps = torch::cat(planes, 2);
    }
    outputs.push_back({"hidden, at the centre", torch::cat(hidden, 2), /*along_scales=*/true});
    outputs.push_back({"scores, at the centre", torch::cat(scores, 2), /*along_scales=*/true});
    return outputs;
  }

  std::vector<PlaneOutput> planes(const torch::Tensor& images) override {
    std::vector<std::string> names;
    const auto levels = at_levels(images, all_of(images), [&](const torch::Tensor& frames) {
      names.clear();
      std::vector<torch::Tensor> outputs;
      for (const auto& block : network_->blocks(frames)) {
        names.push_back(block.layer);
        outputs.push_back(block.maps);
      }
      outputs.push_back(network_->scores(network_->hidden(outputs.back(), centred_)));
      if (!centred_) names.emplace_back("scores");
      return outputs;
    });
    std::vector<PlaneOutput> planes;
    for (int s = 0; s < plan_.planes(); ++s) {
      const auto level = static_cast<size_t>(s / plan_.planes_per_level);
      const auto at = [&](const torch::Tensor& maps) { return maps.select(2, s % plan_.planes_per_level); };
      PlaneOutput plane;
      plane.home_size = plan_.home_size(s);
      plane.seen = static_cast<double>(plan_.frames[level]) /
                   (plan_.enlargements[level] * static_cast<double>(plan_.image_size));
      plane.scores = at(levels[level].back()).amax({2, 3});
      for (size_t i = 0; i < names.size(); ++i) plane.maps.push_back({names[i], at(levels[level][i])});
      planes.push_back(std::move(plane));
    }
    return planes;
  }

  double scale_step() const override { return plan_.step; }
  std::string about() const override { return describe(plan_); }

 private:
  /// Levels of training alone are none.
  bool is_home(size_t level) const {
    const int i = static_cast<int>(level);
    return i < plan_.levels() && plan_.is_home_level(i);
  }
  int first_home_level() const { return plan_.first_home / plan_.planes_per_level; }

  /// Scores [M, classes, P, H, W] of frames; H = W = 1 where only the centre is looked at.
  torch::Tensor level_maps(const torch::Tensor& frames) {
    return network_->scores(network_->hidden(network_->blocks(frames).back().maps, centred_));
  }
  torch::Tensor level_scores(const torch::Tensor& frames) {
    const auto maps = level_maps(frames).flatten(3);
    return centred_ ? maps.squeeze(3) : std::get<0>(maps.max(3));
  }

  /// The scores of every plane, and where in the image each is attained.
  struct FoundPlanes {
    torch::Tensor scores;  ///< [N, classes, S]
    torch::Tensor places;  ///< [N, classes, S, 2]: x, y
  };
  FoundPlanes found_planes(const torch::Tensor& images) {
    check_images(options_, images);
    std::vector<torch::Tensor> scores, places;
    for (size_t i = 0; i < plan_.enlargements.size(); ++i) {
      const auto maps = level_maps(levels_[i]->forward(images));
      const auto [best, index] = maps.flatten(3).max(3);
      const auto in_image = [&](const torch::Tensor& at, int64_t cells, int64_t side) {
        const double share = 1 / static_cast<double>(cells), frame = static_cast<double>(plan_.frames[i]);
        const auto from_centre = ((at.to(torch::kFloat) + 0.5) * share - 0.5) * frame / plan_.enlargements[i];
        return from_centre + static_cast<double>(side) / 2;
      };
      const int64_t width = maps.size(4);
      scores.push_back(best);
      places.push_back(torch::stack({in_image(index.remainder(width), width, images.size(3)),
                                     in_image(index.div(width, "floor"), maps.size(3), images.size(2))},
                                    3));
    }
    return {torch::cat(scores, 2), torch::cat(places, 2)};
  }

  /// What resamples an axis of `size` pixels for each of some levels, [L, frame, size].
  const nn::DeviceConstant& matrices_of(const std::vector<size_t>& chosen, int64_t size) {
    return matrices_.get({chosen, size}, [&] {
      std::vector<double> values;
      for (const auto level : chosen) {
        const auto& matrix = levels_[level]->matrix(size).values();
        values.insert(values.end(), matrix.begin(), matrix.end());
      }
      const auto levels = static_cast<int64_t>(chosen.size());
      const int64_t frame = static_cast<int64_t>(values.size()) / (levels * size);
      return nn::DeviceConstant(std::move(values), {levels, frame, size});
    });
  }

  /// The frames of the first images at levels of the same size, one behind the other: sizes[k] of level chosen[k].
  torch::Tensor frames_of(const torch::Tensor& images, const std::vector<size_t>& chosen,
                          const std::vector<int64_t>& sizes) {
    std::vector<torch::Tensor> frames;
    for (size_t first = 0, end = 0; first < chosen.size(); first = end) {  // levels that show as many, at once
      for (end = first; end < chosen.size() && sizes[end] == sizes[first];) ++end;
      const auto matrices = [&](int64_t size) {
        return matrices_of({chosen.begin() + static_cast<std::ptrdiff_t>(first),
                            chosen.begin() + static_cast<std::ptrdiff_t>(end)},
                           size)
            .like(images);
      };
      frames.push_back(
          nn::enlarge_by_each(images.narrow(0, 0, sizes[first]), matrices(images.size(2)), matrices(images.size(3))));
    }
    return frames.size() == 1 ? frames.front() : torch::cat(frames);
  }

  /// What `look` makes of the frames of the first n = counts[level] images at each level; nothing where that is none.
  std::vector<std::vector<torch::Tensor>> at_levels(
      const torch::Tensor& images, const std::vector<int64_t>& counts,
      const std::function<std::vector<torch::Tensor>(const torch::Tensor& frames)>& look) {
    check_images(options_, images);
    std::vector<std::vector<torch::Tensor>> outputs(counts.size());
    std::vector<size_t> looked_at;
    for (size_t i = 0; i < counts.size(); ++i)
      if (counts[i] > 0) looked_at.push_back(i);
    const bool alike = std::all_of(looked_at.begin(), looked_at.end(), [&](size_t i) {
      return levels_[i]->options.frame() == levels_[looked_at.front()]->options.frame();
    });
    if (alike) {  // one batch: faster, and in training one set of statistics
      std::vector<int64_t> sizes;
      for (const auto i : looked_at) sizes.push_back(counts[i]);
      for (const auto& output : look(frames_of(images, looked_at, sizes))) {
        const auto parts = parts_of(output, sizes);
        for (size_t k = 0; k < parts.size(); ++k) outputs[looked_at[k]].push_back(parts[k]);
      }
    } else {
      // Levels of other sizes have statistics of their own. Those of home alone are kept and used at all levels, in
      // training as in use: what the others have learned by statistics of their own they do not know without them.
      for (const auto i : looked_at) {
        std::optional<nn::EvalModeGuard> in_eval_mode;
        if (is_training() && !is_home(i)) in_eval_mode.emplace(*network_);
        outputs[i] = look(levels_[i]->forward(images.narrow(0, 0, counts[i])));
      }
    }
    return outputs;
  }

  /// [n, classes, P] of the first n = counts[level] images at each level; undefined where that is none.
  std::vector<torch::Tensor> scores_of_levels(const torch::Tensor& images, const std::vector<int64_t>& counts) {
    std::vector<torch::Tensor> scores;
    for (const auto& level : at_levels(images, counts, [&](const torch::Tensor& frames) {
           return std::vector<torch::Tensor>{level_scores(frames)};
         }))
      scores.push_back(level.empty() ? torch::Tensor() : level.front());
    return scores;
  }

  std::vector<int64_t> all_of(const torch::Tensor& images) const {
    return std::vector<int64_t>(plan_.enlargements.size(), images.size(0));
  }

  /// [N, classes, S].
  torch::Tensor plane_scores(const torch::Tensor& images) {
    return torch::cat(scores_of_levels(images, all_of(images)), 2);
  }

  ModelOptions options_;
  ScalePlan plan_;
  bool centred_;
  double others_share_;
  std::shared_ptr<LevelNetwork> network_;
  std::vector<nn::Enlarge> levels_;  // those of the plan, then those of training alone
  nn::CachedConstants<std::pair<std::vector<size_t>, int64_t>> matrices_;
};

ModelOptions resolve_pyramid(ModelOptions options, const PyramidKind& kind) {
  auto known = kind.known_options;
  for (const char* name : {"smaller", "larger", "span", "frame", "read_out", "padding", "others_share", "scale_step",
                           "finest_width", "class_width", "smallest_object", "largest_object"})
    known.emplace_back(name);
  refuse_unknown_options(options, known);
  if (options.read_out.empty()) options.read_out = "centre";
  if (options.padding.empty()) options.padding = "black";
  if (options.scale_step == 0) options.scale_step = 0.25;
  if (options.others_share < 0) options.others_share = 0.25;
  // Files from before the option have width and span, and one width for all layers.
  if (options.class_width == 0 && options.span > 0) options.class_width = options.finest_width;
  const int planes = kind.resolve(options);
  if (options.class_width == 0) options.class_width = kind.class_width;
  if (options.span == 0) options.span = kind.home_pixels / options.finest_width;
  require(options.frame % 4 == 0, options.name, ": frame: got ", options.frame, ", expected a multiple of 4");
  plan_scales(options, planes);  // fills in the range, refuses what cannot be
  return options;
}

}  // namespace

ModelEntry pyramid_entry(const PyramidKind& kind) {
  return {kind.name,
          kind.source,
          kind.symmetry,
          [=](const ModelOptions& options) { return resolve_pyramid(options, kind); },
          [=](ModelOptions options) {
            const int planes = kind.resolve(options);
            return std::make_shared<PyramidNetwork>(options, planes, kind.level_network(options, planes));
          },
          /*fits_objects=*/true};
}

}  // namespace scdcf::models
