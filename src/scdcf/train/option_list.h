// The options of training, described.
#pragma once

#include <algorithm>

#include "scdcf/core/option.h"
#include "scdcf/train/config.h"

namespace scdcf::train {

template <class Visitor>
void visit_options(TrainOptions& o, Visitor&& visit) {
  visit(Option{o.optimizer, "optimizer",
               "adam, adamw (decay of the weights themselves, not of biases and norms), or sgd with Nesterov momentum"}
            .expects("adam, adamw or sgd",
                     [](const auto& name) { return name == "adam" || name == "adamw" || name == "sgd"; }));
  visit(Option{o.learning_rate, "learning_rate", "Learning rate at the beginning"}.expects(
      "more than 0 and at most 1e30", [](const auto& rate) { return rate > 0 && rate <= 1e30; }));
  visit(Option{o.weight_decay, "weight_decay",
               "Decay: times the weights, added to the gradient; of adamw, times the rate, taken off the weights"}
            .expects("0 to 1000", between<0, 1000>));
  visit(Option{o.momentum, "momentum", "Momentum of sgd"}.expects(
      "0 <= m < 1", [](const auto& momentum) { return momentum >= 0 && momentum < 1; }));
  visit(Option{o.milestones, "milestones", "Epochs after which the learning rate is multiplied by the decay; or none"}
            .expects("epochs from 1 on", [](const auto& epochs) {
              return std::all_of(epochs.begin(), epochs.end(), at_least<1, int64_t>);
            }));
  visit(Option{o.decay, "decay", "Factor on the learning rate at each milestone"}.expects(
      "0 < d <= 1", [](const auto& decay) { return decay > 0 && decay <= 1; }));
  visit(Option{o.schedule, "schedule", "steps (at the milestones), or cosine (to 0 over the whole training)"}
            .expects("steps or cosine", [](const auto& kind) { return kind == "steps" || kind == "cosine"; })
            .later());
  visit(Option{o.warm_up, "warm_up", "Steps over which the learning rate rises from 0"}
            .expects("0 to 1000000", between<0, 1000000>)
            .later());
  visit(Option{o.label_smoothing, "label_smoothing", "Share of a label that is given to all classes alike"}
            .expects("0 <= s < 1", [](const auto& share) { return share >= 0 && share < 1; })
            .later());
  visit(Option{o.batch, "batch", "Images a step"}.expects("2 (batch-norm needs two) to 65536", between<2, 65536>));
  visit(Option{o.epochs, "epochs", "Passes over the training images"}.expects("1 to 1000000", between<1, 1000000>));
  visit(
      Option{o.augment.scale_octaves, "augment_scale", "Rescale training images by up to this many octaves either way"}
          .expects("0 to 4 octaves", [](const auto& octaves) { return octaves >= 0 && octaves <= 4; })
          .stored_as("scale_octaves"));
  // Of images that are not rescaled neither says anything, so that neither is stored.
  const auto as_before = [&](const std::string& value, const char* before) {
    return o.augment.scale_octaves > 0 ? std::string(before) : value;
  };
  visit(Option{o.augment.scale_law, "augment_scale_law",
               "Law of the factor that images are rescaled by: uniform in its octaves, or in the factor itself"}
            .expects("octaves or factor", [](const auto& law) { return law == "octaves" || law == "factor"; })
            .stored_as("scale_law")
            .later(as_before(o.augment.scale_law, "octaves")));
  visit(Option{o.augment.interpolation, "augment_interpolation", "Interpolation of rescaled training images"}
            .expects("bilinear or bicubic", [](const auto& kind) { return kind == "bilinear" || kind == "bicubic"; })
            .stored_as("interpolation")
            .later(as_before(o.augment.interpolation, "bilinear")));
  visit(Option{o.augment.crop_padding, "augment_crop", "Pad training images by this many pixels and crop at random"}
            .expects("0 to 1024 pixels", between<0, 1024>)
            .stored_as("crop_padding"));
  visit(Option{o.augment.flip, "augment_flip", "Mirror half of the training images"}.stored_as("flip"));
  visit(Option{o.augment.cutout, "augment_cutout", "Side of a square hole cut out of training images"}
            .expects("0 to 1024 pixels", between<0, 1024>)
            .stored_as("cutout"));
  visit(Option{o.augment.detail_octaves, "augment_detail",
               "Reduce training images by up to this many octaves and enlarge them again, so that they lose detail as "
               "smaller objects do; -1: as the range of sizes asks for"}
            .expects("0 to 4 octaves, or -1",
                     [](const auto& octaves) { return octaves == -1 || (octaves >= 0 && octaves <= 4); })
            .stored_as("detail_octaves")
            .later());
  visit(Option{o.augment.detail_share, "augment_detail_share", "Share of the training images that lose detail"}
            .expects("0 to 1", between<0, 1>)
            .stored_as("detail_share")
            .later());
  visit(Option{o.seed, "seed", "Of weights, order, augmentation and dropout"});
  visit(Option{o.device, "device", "cpu, cuda or cuda:N"});
  visit(Option{o.precision, "precision", "float32; on a GPU also tf32 and bfloat16"}.expects(
      "float32, tf32 or bfloat16",
      [](const auto& type) { return type == "float32" || type == "tf32" || type == "bfloat16"; }));
  visit(Option{o.sync_norm, "sync_norm", "Of several processes: batch-norm by the statistics of the whole batch"}
            .later());
  visit(Option{o.keep, "keep", "Weights to keep: of the epoch with the best validation accuracy, or of the last"}
            .expects("best or last", [](const auto& which) { return which == "best" || which == "last"; })
            .later());
  visit(Option{o.teachers, "teachers", "Networks of the same kind to train first; their mean answers are learned from"}
            .expects("0 to 100", between<0, 100>)
            .later());
  visit(Option{o.teacher_weight, "teacher_weight", "Share of the loss that is the teachers'; the rest is the labels'"}
            .expects("0 to 1", between<0, 1>)
            .later());
  visit(Option{o.teacher_temperature, "teacher_temperature", "What scores are divided by to compare with the teachers'"}
            .expects("more than 0 and at most 100", [](const auto& t) { return t > 0 && t <= 100; })
            .later());
}

}  // namespace scdcf::train
