// One network from its first step, or from a checkpoint, to its end: what trainer.h does for the network that is kept
// and for each of its teachers.
#pragma once

#include "scdcf/train/random.h"
#include "scdcf/train/ranks.h"
#include "scdcf/train/scale_estimate.h"
#include "scdcf/train/step.h"
#include "scdcf/train/stream_scope.h"
#include "scdcf/train/teachers.h"
#include "scdcf/train/time_estimate.h"
#include "scdcf/train/trainer.h"

namespace scdcf::train {

/// Which of the networks of a run is trained.
struct Role {
  int64_t teacher = 0;  // counted from 1; 0 for the one that is kept
  int64_t teachers = 0;
  torch::Tensor answers;  // of the teachers, to the one that is kept

  std::string name() const { return "teacher " + std::to_string(teacher) + " of " + std::to_string(teachers); }
};

/// What teachers say about the images that are learned, and about others.
struct AnswersOfTeachers {
  Answers training, validation;
};

class NetworkRun {
 public:
  NetworkRun(const RunConfig& config, const data::Splits& splits, const TrainFolder& folder,
             const TrainCallbacks& callbacks, distributed::Group* group, const Role& role);

  /// That `whole`, of which this network is the first to be trained, begins.
  void announce(const RunConfig& whole) const;
  TrainResult run();
  /// Of a teacher at its end.
  void tell(AnswersOfTeachers& all);

 private:
  /// Thrown out of an evaluation that is to stop. What was saved before it is where the run goes on.
  struct Stopped {};

  bool is_teacher() const { return role_.teacher > 0; }
  bool is_first() const { return group_ == nullptr || group_->is_first(); }
  bool stop_requested() const { return callbacks_.stop && callbacks_.stop(); }
  /// Whether any rank was asked to stop; all learn the same.
  bool stop_is_agreed() const { return group_ == nullptr ? stop_requested() : on_any_rank(*group_, stop_requested()); }
  /// The same after a step, with which the wishes of all ranks went round. A GPU is asked now and then only: it would
  /// have to wait.
  bool stop_is_agreed_in_step() const;
  /// Several runs of one group, one after the other, must not find what the one before said.
  std::string subject(const char* what) const;
  at::Generator stream(Purpose purpose, int64_t index) const;

  // Training.
  /// Goes on to the end of the epoch, which is validated unless it is a teacher's; throws Stopped where the run is to
  /// stop, at the end of a step or in validation, which then begins anew.
  void run_epoch();
  void record_epoch(double started, double drawing, int64_t first_step);
  /// Of the next step.
  void set_learning_rate();
  void check_loss(const torch::Tensor& order, const torch::Tensor& draws, int64_t first_step);
  /// `step` counts from the beginning of the epoch; -1 is the last of the epoch before.
  [[noreturn]] void fail_at(const std::string& what, int64_t step, const torch::Tensor& images);
  /// Statistics of the parts differ from rank to rank: those of rank 0 are the network's.
  void take_statistics_of_first();

  // Evaluation.
  /// Predictions for validation or test images; throws Stopped between two batches where the run is to stop.
  Predictions look_at(const DeviceImages& images, bool test);
  /// Validates the weights of the epoch's end and keeps them where they are the best, or the last are to be kept.
  void validate(EpochRecord& record);
  /// The last step of an epoch may spoil weights whose loss nobody has seen yet.
  void check_finite(const Predictions& predictions, const char* what, const DeviceImages& images);
  void finish();

  // What is told.
  static double now();
  /// Seconds since it was called last.
  double lap();
  /// Of the evaluation under way `validated` or `tested` images are done.
  void report(int64_t validated, int64_t tested) const;
  void note(const std::string& text) const;

  // What is kept: network_run_state.cpp.
  /// Nobody but rank 0 reads checkpoints.
  void join_first();
  void write_metrics() const;
  nlohmann::ordered_json about() const;
  void save();
  nlohmann::ordered_json progress() const;
  void set_progress(const nlohmann::ordered_json& progress);
  void resume();
  /// Of the best weights, where sizes are known and read.
  std::optional<ScaleCalibration> calibration_of_best();
  void save_model(const std::optional<ScaleCalibration>& calibration);

  RunConfig config_;
  Role role_;
  const data::Splits& splits_;
  TrainFolder folder_;
  TrainCallbacks callbacks_;
  distributed::Group* group_;  // none where this process is on its own
  torch::Device device_;
  StreamScope stream_;
  DeviceImages images_, validation_;
  std::shared_ptr<models::Network> network_;
  Optimizer optimizer_;
  Step step_;
  std::optional<distributed::DataParallel> parallel_;
  CheckpointFolder checkpoints_;
  int64_t steps_per_epoch_ = 0;
  int64_t epoch_ = 0, step_in_epoch_ = 0;  // the next step
  double learning_rate_ = -1;              // set in the optimizer
  double best_loss_ = 0;
  TensorMap best_weights_;
  TrainResult result_;
  double resumed_ = 0, last_saved_ = 0;  // since when result_.seconds does not count; the last checkpoint
  double began_ = 0, lap_ = 0, images_per_second_ = 0;
  TimeEstimate estimate_;
};

}  // namespace scdcf::train
