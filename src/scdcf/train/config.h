// All that determines a run: which network, on which data, trained how. The same values stand on the command line, in a
// TOML file and, as JSON, in every checkpoint; option_list.h describes them.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "scdcf/data/datasets.h"
#include "scdcf/models/options.h"

namespace scdcf::train {

/// Random changes to training images, drawn anew for every image in every epoch.
struct AugmentOptions {
  double scale_octaves = 0;  ///< enlarged by a factor of 2^-scale_octaves to 2^scale_octaves: the "+" of the tables
  int crop_padding = 0;      ///< zeros put around the image before a random crop of its size
  bool flip = false;         ///< left and right, half of the time
  int cutout = 0;            ///< side of a square hole at a random place
  /// Reduced by 2^u and enlarged again, u up to this. Negative: what lost_detail of fit_to_data.h says.
  double detail_octaves = -1;
  double detail_share = 0.5;              ///< of the images, so many
  std::string scale_law = "octaves";      ///< uniform in octaves (as many enlarged as reduced), or in the factor
  std::string interpolation = "bicubic";  ///< of rescaled images: bilinear, which blurs them, or bicubic
  /// Whether what an image shows may lie elsewhere, or not be there.
  bool moves() const { return scale_octaves > 0 || crop_padding > 0 || flip || cutout > 0; }
  bool any() const { return moves() || detail_octaves > 0; }
};

struct TrainOptions {
  std::string optimizer = "adam";  ///< adam, adamw, or sgd with Nesterov momentum
  double learning_rate = 0.01;
  double weight_decay = 1e-4;
  double momentum = 0.9;                       ///< of sgd
  std::vector<int64_t> milestones = {20, 40};  ///< after these epochs the learning rate is multiplied by `decay`
  double decay = 0.1;
  std::string schedule = "steps";  ///< steps: at the milestones; cosine: to 0 over the whole training
  int64_t warm_up = 0;             ///< steps over which the learning rate rises from 0
  double label_smoothing = 0;      ///< share of a label that is given to all classes alike
  int64_t batch = 128;
  int64_t epochs = 60;
  AugmentOptions augment;
  uint64_t seed = 0;
  std::string device = "cpu";         ///< cpu, cuda or cuda:N
  std::string precision = "float32";  ///< float32; on a GPU also tf32 and bfloat16
  bool sync_norm = false;             ///< of several processes: batch-norm statistics of the whole batch
  std::string keep = "best";          ///< best: the epoch with the best validation accuracy; last: the last one
  int64_t teachers = 0;               ///< networks of the same kind that are trained first and learned from
  double teacher_weight = 0.7;        ///< share of the loss that is what the teachers say; the rest is the labels
  double teacher_temperature = 2;     ///< scores are divided by it before they are compared with the teachers'
};

struct RunConfig {
  models::ModelOptions model;
  data::DataOptions data;
  TrainOptions train;
};

/// The learning rate in effect at a step of `epoch`, both counted from 0.
double learning_rate(const TrainOptions& options, int64_t epoch, int64_t step = 0, int64_t steps_per_epoch = 1);

/// Refuses values that make no sense, naming the option.
void check(const TrainOptions& options);

/// Throws Error where two configurations, `got` with its network resolved, differ, about the first option that does:
/// `OPTION: got A, but BEFORE B: ADVICE`.
void require_same_options(const RunConfig& got, RunConfig expected, const std::string& before,
                          const std::string& advice);

/// Options that were added later are left out where they have their default, or all are there.
enum class Stored { as_before, all };
nlohmann::ordered_json to_json(const RunConfig& config, Stored which = Stored::as_before);
/// Throws Error, beginning with `name`, about the key that is missing or of the wrong kind.
RunConfig config_from_json(const nlohmann::json& json, const std::string& name = "configuration");

}  // namespace scdcf::train
