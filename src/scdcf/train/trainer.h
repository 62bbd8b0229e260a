// Trains a network as a RunConfig says: its teachers first, where it has some; epochs with validation, the best epoch
// kept, the test set touched once, at the end; checkpoints that a run goes on from as if nothing had happened.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "scdcf/distributed/group.h"
#include "scdcf/train/checkpoint.h"
#include "scdcf/train/config.h"
#include "scdcf/train/device.h"
#include "scdcf/train/epoch_record.h"
#include "scdcf/train/evaluation.h"
#include "scdcf/train/fit_to_data.h"
#include "scdcf/train/scale_estimate.h"

namespace scdcf::train {

/// Where a run stands between two steps, or between two batches of images that are validated or tested.
struct StepProgress {
  int64_t teacher = 0, teachers = 0;  ///< which teacher is trained, counted from 1; 0 once it is the one that is kept
  int64_t epoch = 0, epochs = 0;      ///< the epoch counted from 1
  int64_t step = 0, steps = 0;        ///< in this epoch
  int64_t tested = 0, tests = 0;      ///< test images, once training is over
  double seconds = 0;                 ///< since the network's training began or was resumed
  double seconds_left = -1;           ///< of the whole run, validation and test included; negative until it is known
  double images_per_second = 0;       ///< 0 until it is known
};

struct TrainCallbacks {
  /// Everything fits and the first step comes next: the place to make the folder of a run.
  std::function<void(const RunConfig&)> on_start;
  std::function<void(const StepProgress&)> on_step;
  std::function<void(const EpochRecord&)> on_epoch;
  std::function<void(const std::string&)> on_note;  ///< a line worth telling: a damaged checkpoint, where it resumes
  std::function<bool()> stop;                       ///< asked wherever a run stands; true saves and ends it
};

struct TrainResult {
  bool finished = false;  ///< false where it was stopped
  std::vector<EpochRecord> history;
  int64_t best_epoch = 0;      ///< the one that was kept, counted from 1
  double best_validation = 0;  ///< stays 0 where there are no validation images
  Evaluation test;
  double seconds = 0;  ///< of training, over all parts of a resumed run and all teachers
  std::string data_checksum;
  std::shared_ptr<models::Network> network;  ///< with the weights that were kept; where it was stopped, the one at work
};

struct TrainFolder {
  std::filesystem::path folder;    ///< empty: nothing is written; teachers have checkpoints in teachers/1 and so on
  bool resume = false;             ///< go on from the newest checkpoint there, if there is one
  double checkpoint_seconds = 30;  ///< at the end of an epoch, if the last one is older than this
};

/// Throws Error where the loss is not a number or infinite, naming the step, the learning rate and the layer.
/// The ranks of a `group` share every batch, and the images of validation and test; all get the same result. The
/// folder, and what stands there to resume from, is rank 0's alone. One that is asked to stop asks the others.
TrainResult train(const RunConfig& config, const data::Splits& splits, const TrainFolder& folder,
                  const TrainCallbacks& callbacks, distributed::Group* group = nullptr);

}  // namespace scdcf::train
