#include "scdcf/train/trainer.h"

#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "scdcf/core/error.h"
#include "scdcf/core/format.h"
#include "scdcf/core/runtime.h"
#include "scdcf/files/atomic_file.h"
#include "scdcf/models/registry.h"
#include "scdcf/train/augment.h"
#include "scdcf/train/device_work.h"
#include "scdcf/train/diagnosis.h"
#include "scdcf/train/random.h"
#include "scdcf/train/ranks.h"
#include "scdcf/train/step.h"
#include "scdcf/train/stream_scope.h"
#include "scdcf/train/teachers.h"
#include "scdcf/train/time_estimate.h"

namespace scdcf::train {
namespace {

constexpr int64_t kEvaluationBatch = 500;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Different realisations start from different weights, too.
uint64_t run_seed(const RunConfig& config) {
  return config.train.seed * 1000003U + static_cast<uint64_t>(config.data.realisation);
}

std::shared_ptr<models::Network> fresh_network(const RunConfig& config, torch::Device device) {
  const WeightsScope weights(stream_seed(run_seed(config), Purpose::weights, 0));
  auto network = models::make_model(config.model);
  const DeviceWork no_capture;
  network->to(device);
  return network;
}

/// Thrown out of an evaluation that is to stop. What was saved before it is where the run goes on.
struct Stopped {};

/// Which of the networks of a run is trained.
struct Role {
  int64_t teacher = 0;  // counted from 1; 0 for the one that is kept
  int64_t teachers = 0;
  torch::Tensor answers;  // of the teachers, to the one that is kept

  std::string name() const { return "teacher " + std::to_string(teacher) + " of " + std::to_string(teachers); }
};

/// None where labels alone are learned: Step has one for that.
Loss loss_of(const TrainOptions& options, const Role& role, torch::Device device) {
  if (!role.answers.defined()) return nullptr;
  const DeviceWork no_capture;
  return taught_loss(role.answers.to(device), options);
}

/// What teachers say about the images that are learned, and about others.
struct AnswersOfTeachers {
  Answers training, validation;
};

/// One network from its first step, or from a checkpoint, to its end.
class Run {
 public:
  Run(const RunConfig& config, const data::Splits& splits, const TrainFolder& folder, const TrainCallbacks& callbacks,
      distributed::Group* group, const Role& role)
      : config_(config),
        role_(role),
        splits_(splits),
        folder_(folder),
        callbacks_(callbacks),
        group_(group),
        device_(group == nullptr ? device_of(config.train) : group->device()),
        stream_(device_),
        images_(splits.train, splits.mean, splits.deviation, device_),
        validation_(splits.validation, splits.mean, splits.deviation, device_),
        network_(fresh_network(config, device_)),
        optimizer_(*network_, config.train),
        step_(*network_, optimizer_, images_, config.train, loss_of(config.train, role, device_)),
        checkpoints_(folder.folder / "checkpoints"),
        estimate_(config.train.batch) {
    // Batch-norm needs two images: a single left-over one is dropped.
    const int64_t rest = images_.count() % config.train.batch;
    steps_per_epoch_ = images_.count() / config.train.batch + (rest > 1 ? 1 : 0);
    require(steps_per_epoch_ > 0, "training: got ", images_.count(), " training images, expected at least 2");
    require(validation_.count() > 0, "training: got no validation images, expected at least one");
    require(splits.test.count() > 0, "training: got no test images, expected at least one");
    result_.data_checksum = data::checksum(splits);
    result_.network = network_;
    if (group_ == nullptr) return;
    parallel_.emplace(*group_, config.train.sync_norm, optimizer_.parameters(), Step::numbers_told(group_->size()));
    step_.share(*parallel_);
    require_same_data(*group_, subject("data"), result_.data_checksum);
  }

  /// That `whole`, of which this network is the first to be trained, begins.
  void announce(const RunConfig& whole) const {
    if (callbacks_.on_start) callbacks_.on_start(whole);
    if (const auto about = network_->about(); !about.empty() && callbacks_.on_note)
      callbacks_.on_note(config_.model.name + " " + about);
  }

  TrainResult run() {
    if (folder_.resume && is_first()) resume();
    if (group_ != nullptr) join_first();
    resumed_ = last_saved_ = began_ = now();
    try {
      while (epoch_ < config_.train.epochs) {
        run_epoch();
        const bool over = epoch_ == config_.train.epochs;
        if (!over && stop_is_agreed()) throw Stopped{};
        if (over || now() - last_saved_ >= folder_.checkpoint_seconds) save();
      }
      finish();
    } catch (const Stopped&) {
      if (epoch_ < config_.train.epochs) save();  // else the end of training is saved already
    }
    return result_;
  }

  /// Of a teacher at its end.
  void tell(AnswersOfTeachers& all) {
    Answers own;
    own.add(answers_of(*network_, images_, kEvaluationBatch, config_.train));
    all.training.add(own.mean());
    all.validation.add(answers_of(*network_, validation_, kEvaluationBatch, config_.train));
    note(format("knows %.2f%% of the training images", 100 * own.accuracy(images_)));
    if (role_.teacher < role_.teachers || !callbacks_.on_note) return;
    callbacks_.on_note(format("%lld teachers together: training %.2f%%, validation %.2f%%",
                              static_cast<long long>(role_.teachers), 100 * all.training.accuracy(images_),
                              100 * all.validation.accuracy(validation_)));
  }

 private:
  bool is_teacher() const { return role_.teacher > 0; }

  at::Generator stream(Purpose purpose, int64_t index) const {
    return random_stream(run_seed(config_), purpose, index);
  }

  bool is_first() const { return group_ == nullptr || group_->is_first(); }
  bool stop_requested() const { return callbacks_.stop && callbacks_.stop(); }

  /// Whether any rank was asked to stop; all learn the same.
  bool stop_is_agreed() const { return group_ == nullptr ? stop_requested() : on_any_rank(*group_, stop_requested()); }

  /// The same after a step, with which the wishes of all ranks went round. A GPU is asked now and then only: it would
  /// have to wait.
  bool stop_is_agreed_in_step() const {
    if (group_ == nullptr) return stop_requested();
    constexpr int64_t kStepsUnasked = 16;
    return (device_.is_cpu() || step_in_epoch_ % kStepsUnasked == 0) && step_.stop_is_agreed();
  }

  /// Several runs of one group, one after the other, must not find what the one before said.
  std::string subject(const char* what) const {
    const auto of_run = std::string(what) + " " + std::to_string(config_.data.realisation);
    return is_teacher() ? of_run + " " + role_.name() : of_run;
  }

  /// Nobody but rank 0 reads checkpoints.
  void join_first() {
    const auto there =
        nlohmann::ordered_json::parse(group_->from_first(subject("progress"), is_first() ? progress().dump() : ""));
    take_state_of_first(*group_, *network_, optimizer_);
    if (!is_first()) set_progress(there);
    if (result_.best_epoch == 0) return;
    if (!is_first()) best_weights_ = weights_of(*network_);  // another set of the same tensors
    take_weights_of_first(*group_, best_weights_);
  }

  /// Seconds since it was called last.
  double lap() {
    const double before = std::exchange(lap_, now());
    return lap_ - before;
  }

  /// Goes on to the end of the epoch, which is validated unless it is a teacher's; throws Stopped where the run is to
  /// stop, at the end of a step or in validation, which then begins anew.
  void run_epoch() {
    const double started = now();
    lap();
    network_->train();
    // Order and augmentation of a whole epoch are drawn and moved to the device at once.
    const int64_t count = images_.count(), batch = config_.train.batch;
    torch::Tensor order, draws;
    {
      const DeviceWork no_capture;
      order = torch::randperm(count, stream(Purpose::order, epoch_), torch::kLong).to(device_);
      if (config_.train.augment.any())
        draws = draw_augmentation(count, stream(Purpose::augmentation, epoch_)).to(device_);
    }
    const double drawing = now() - started;
    const int64_t first_step = step_in_epoch_;
    if (first_step == 0) step_.reset_totals();
    while (step_in_epoch_ < steps_per_epoch_) {
      const int64_t first = step_in_epoch_ * batch, size = std::min(batch, count - first);
      const auto indices = order.narrow(0, first, size);
      set_learning_rate();
      if (group_ != nullptr && stop_requested()) step_.ask_to_stop();
      const auto step = static_cast<uint64_t>(epoch_ * steps_per_epoch_ + step_in_epoch_);
      step_.run(indices, draws.defined() ? draws.narrow(0, first, size) : draws,
                stream_seed(run_seed(config_), Purpose::dropout, step));
      // On a GPU asking every step would make the host wait.
      if (device_.is_cpu()) check_loss(order, draws, first_step);
      ++step_in_epoch_;
      estimate_.add_step(lap());
      const double per_step = (now() - started) / static_cast<double>(step_in_epoch_ - first_step);
      images_per_second_ = static_cast<double>(batch) / per_step;
      report(0, 0);
      if (step_in_epoch_ < steps_per_epoch_ && stop_is_agreed_in_step()) throw Stopped{};
    }
    check_loss(order, draws, first_step);
    estimate_.add_wait(lap());
    if (is_teacher())
      take_statistics_of_first();
    else
      record_epoch(started, drawing, first_step);
    ++epoch_;
    step_in_epoch_ = 0;
  }

  void record_epoch(double started, double drawing, int64_t first_step) {
    const int64_t count = images_.count(), batch = config_.train.batch;
    EpochRecord record;
    const auto totals = step_.totals();
    const double trained = now() - started;
    record.epoch = epoch_ + 1;
    record.learning_rate = learning_rate(config_.train, epoch_, first_step, steps_per_epoch_);
    record.train_loss = totals.loss / static_cast<double>(totals.count);
    record.train_accuracy = static_cast<double>(totals.correct) / static_cast<double>(totals.count);
    const int64_t images = std::max<int64_t>(0, std::min(steps_per_epoch_ * batch, count) - first_step * batch);
    record.images_per_second = static_cast<double>(images) / trained;
    if (device_.is_cpu()) record.data_share = (drawing + totals.data_seconds) / trained;
    validate(record);
    record.seconds = now() - started;
    result_.history.push_back(record);
    write_metrics();
    if (callbacks_.on_epoch) callbacks_.on_epoch(record);
  }

  /// Of the next step.
  void set_learning_rate() {
    const double rate = learning_rate(config_.train, epoch_, step_in_epoch_, steps_per_epoch_);
    if (rate != learning_rate_) optimizer_.set_learning_rate(rate);
    learning_rate_ = rate;
  }

  void check_loss(const torch::Tensor& order, const torch::Tensor& draws, int64_t first_step) {
    const auto totals = step_.totals();
    if (totals.first_bad_step < 0) return;
    const int64_t step = first_step + totals.first_bad_step, first = step * config_.train.batch;
    const int64_t size = std::min(config_.train.batch, images_.count() - first);
    auto images = images_.images(order.narrow(0, first, size));
    if (draws.defined()) images = augment(images, draws.narrow(0, first, size), config_.train.augment, images_.black());
    fail_at(group_ == nullptr ? "the loss" : "the loss of rank " + std::to_string(totals.bad_rank), step, images);
  }

  /// `step` counts from the beginning of the epoch.
  [[noreturn]] void fail_at(const std::string& what, int64_t step, const torch::Tensor& images) {
    detail::fail("training: ", what, " is not finite at step ", epoch_ * steps_per_epoch_ + step + 1, " (epoch ",
                 epoch_ + 1, "), learning rate ", learning_rate(config_.train, epoch_, step, steps_per_epoch_),
                 ", first in ", first_bad_layer(*network_, images));
  }

  /// Of the evaluation under way `validated` or `tested` images are done.
  void report(int64_t validated, int64_t tested) const {
    if (!callbacks_.on_step) return;
    const int64_t epochs = config_.train.epochs, epochs_left = epochs - epoch_, tests = splits_.test.count();
    const int64_t networks_after = is_teacher() ? role_.teachers - role_.teacher + 1 : 0;
    const int64_t steps = (networks_after * epochs + epochs_left) * steps_per_epoch_ - step_in_epoch_;
    const int64_t calibration = folder_.folder.empty() ? 0 : validation_.count();
    const int64_t validations = is_teacher() ? epochs : epochs_left;  // of the one that is kept
    const int64_t images = validations * validation_.count() - validated + tests - tested + calibration;
    const bool testing = epochs_left == 0;
    callbacks_.on_step({role_.teacher, role_.teachers, testing ? epochs : epoch_ + 1, epochs,
                        testing ? steps_per_epoch_ : step_in_epoch_, steps_per_epoch_, tested, testing ? tests : 0,
                        now() - began_, estimate_.seconds_left(steps, images), images_per_second_});
  }

  /// Predictions for validation or test images; throws Stopped between two batches where the run is to stop.
  Predictions look_at(const DeviceImages& images, bool test) {
    int64_t before = 0;
    const auto after_batch = [&](int64_t done) {
      estimate_.add_images(done - std::exchange(before, done), lap());
      report(test ? 0 : done, test ? done : 0);
      // Ranks that share the images come to their end together.
      if (group_ == nullptr && done < images.count() && stop_requested()) throw Stopped{};
    };
    return predict(*network_, images, kEvaluationBatch, config_.train.precision == "bfloat16", after_batch, group_);
  }

  /// Statistics of the parts differ from rank to rank: those of rank 0 are the network's.
  void take_statistics_of_first() {
    if (group_ != nullptr && !config_.train.sync_norm)
      for (const auto& buffer : network_->buffers()) group_->broadcast(buffer);
  }

  /// Validates the weights of the epoch's end and keeps them where they are the best, or the last are to be kept.
  void validate(EpochRecord& record) {
    take_statistics_of_first();
    const auto validation = look_at(validation_, /*test=*/false);
    // The last step of an epoch may spoil weights whose loss nobody has seen yet.
    if (!std::isfinite(validation.loss)) {
      network_->eval();
      fail_at("the validation loss", steps_per_epoch_ - 1, validation_.images(validation_.range(0, kEvaluationBatch)));
    }
    record.validation_loss = validation.loss;
    record.validation_accuracy = validation.accuracy;
    const bool better = config_.train.keep == "last" || result_.best_epoch == 0 ||
                        validation.accuracy > result_.best_validation ||
                        (validation.accuracy == result_.best_validation && validation.loss < best_loss_);
    if (!better) return;
    result_.best_epoch = record.epoch;
    result_.best_validation = validation.accuracy;
    best_loss_ = validation.loss;
    best_weights_ = weights_of(*network_);
  }

  void write_metrics() const {
    if (folder_.folder.empty() || !is_first()) return;
    std::string lines;
    for (const auto& record : result_.history) lines += to_json(record).dump() + "\n";
    files::write_file_atomically(folder_.folder / "metrics.jsonl", lines);
  }

  nlohmann::ordered_json about() const {
    nlohmann::ordered_json about;
    about["config"] = to_json(config_);
    about["class_names"] = splits_.train.class_names;
    about["mean"] = splits_.mean;
    about["deviation"] = splits_.deviation;
    about["data_checksum"] = result_.data_checksum;
    about["data_counts"] = {splits_.train.count(), splits_.validation.count(), splits_.test.count()};
    about["scdcf"] = version();
    about["commit"] = commit();
    about["torch"] = TORCH_VERSION;
    return about;
  }

  void save() {
    result_.seconds += now() - resumed_;
    resumed_ = last_saved_ = now();
    if (folder_.folder.empty() || !is_first()) return;
    Checkpoint checkpoint;
    checkpoint.about = about();
    checkpoint.about["progress"] = progress();
    checkpoint.tensors["weights"] = weights_of(*network_);
    checkpoint.tensors["best_weights"] = best_weights_;
    checkpoint.tensors["optimizer"] = optimizer_.state();
    checkpoints_.save(checkpoint, epoch_ * steps_per_epoch_ + step_in_epoch_);
  }

  nlohmann::ordered_json progress() const {
    const auto totals = step_.totals();
    nlohmann::ordered_json progress = {{"epoch", epoch_},
                                       {"step_in_epoch", step_in_epoch_},
                                       {"loss", totals.loss},
                                       {"correct", totals.correct},
                                       {"count", totals.count},
                                       {"best_epoch", result_.best_epoch},
                                       {"best_validation", result_.best_validation},
                                       {"best_loss", best_loss_},
                                       {"seconds", result_.seconds},
                                       {"history", nlohmann::ordered_json::array()}};
    for (const auto& record : result_.history) progress["history"].push_back(to_json(record));
    return progress;
  }

  void set_progress(const nlohmann::ordered_json& progress) {
    epoch_ = progress.at("epoch");
    step_in_epoch_ = progress.at("step_in_epoch");
    step_.reset_totals({progress.at("loss"), progress.at("correct"), progress.at("count")});
    result_.best_epoch = progress.at("best_epoch");
    result_.best_validation = progress.at("best_validation");
    best_loss_ = progress.at("best_loss");
    result_.seconds = progress.at("seconds");
    result_.history.clear();
    for (const auto& record : progress.at("history")) result_.history.push_back(record_from_json(record));
  }

  void resume() {
    const auto found = checkpoints_.newest();
    if (!found) {
      note("nothing to resume from yet: starting from the beginning");
      return;
    }
    for (const auto& reason : found->refused) note("refused: " + reason);
    const auto& about = found->checkpoint.about;
    const auto file = found->file.string();
    try {
      require(about.at("data_checksum") == result_.data_checksum, file, ": was trained on data with checksum ",
              about.at("data_checksum").get<std::string>(), ", got data with checksum ", result_.data_checksum);
      load_weights(*network_, found->checkpoint.tensors.at("weights"), file);
      optimizer_.load_state(found->checkpoint.tensors.at("optimizer"));
      best_weights_ = found->checkpoint.tensors.at("best_weights");
      set_progress(about.at("progress"));
      require(
          epoch_ >= 0 && epoch_ <= config_.train.epochs && step_in_epoch_ >= 0 && step_in_epoch_ <= steps_per_epoch_,
          file, ": got epoch ", epoch_, " and step ", step_in_epoch_, ", which the run does not have");
    } catch (const std::out_of_range&) {
      detail::fail(file, ": lacks weights or optimizer state");
    } catch (const nlohmann::json::exception& error) {
      detail::fail(file, ": its description is incomplete: ", error.what());
    }
    note("resumed from " + file + " at epoch " + std::to_string(epoch_ + 1) + ", step " +
         std::to_string(step_in_epoch_ + 1));
  }

  void note(const std::string& text) const {
    if (callbacks_.on_note) callbacks_.on_note(is_teacher() ? role_.name() + ": " + text : text);
  }

  void finish() {
    result_.finished = is_teacher();
    if (is_teacher()) return;
    load_weights(*network_, best_weights_, "best epoch");
    const DeviceImages test(splits_.test, splits_.mean, splits_.deviation, device_);
    lap();
    result_.test = evaluate(splits_.test, look_at(test, /*test=*/true));
    network_->eval();
    if (!folder_.folder.empty() && is_first()) save_model();
    result_.finished = true;
  }

  void save_model() {
    const auto stop = [&] {
      if (stop_requested()) throw Stopped{};
    };
    Checkpoint model;
    model.about = about();
    model.about["best_epoch"] = result_.best_epoch;
    model.about["best_validation"] = result_.best_validation;
    if (const auto calibration =
            calibrate_scale(*network_, validation_, splits_.validation.scales, kEvaluationBatch, stop))
      model.about["scale_calibration"] = to_json(*calibration);
    model.tensors["weights"] = best_weights_;
    save_checkpoint(model, folder_.folder / "model.pt");
  }

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

TrainFolder folder_of_teacher(TrainFolder whole, int64_t number) {
  if (!whole.folder.empty()) whole.folder = whole.folder / "teachers" / std::to_string(number);
  return whole;
}

}  // namespace

TrainResult train(const RunConfig& config, const data::Splits& splits, const TrainFolder& folder,
                  const TrainCallbacks& callbacks, distributed::Group* group) {
  check(config.train);
  apply_precision(config.train, device_of(config.train));
  const auto fitted = fit_to_data(config, splits);
  Role kept;
  kept.teachers = fitted.train.teachers;
  double seconds = 0;
  AnswersOfTeachers answers;
  for (int64_t number = 1; number <= kept.teachers; ++number) {
    Run teacher(teacher_config(fitted, number), splits, folder_of_teacher(folder, number), callbacks, group,
                {number, kept.teachers, {}});
    if (number == 1) teacher.announce(fitted);
    const auto result = teacher.run();
    if (!result.finished) return result;
    seconds += result.seconds;
    teacher.tell(answers);
  }
  if (kept.teachers > 0) kept.answers = answers.training.mean();
  Run run(fitted, splits, folder, callbacks, group, kept);
  if (kept.teachers == 0) run.announce(fitted);
  auto result = run.run();
  result.seconds += seconds;
  return result;
}

}  // namespace scdcf::train
