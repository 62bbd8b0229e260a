#include "scdcf/train/network_run.h"

#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "scdcf/core/error.h"
#include "scdcf/core/format.h"
#include "scdcf/models/registry.h"
#include "scdcf/train/augment.h"
#include "scdcf/train/device_work.h"
#include "scdcf/train/diagnosis.h"

namespace scdcf::train {
namespace {

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

/// None where labels alone are learned: Step has one for that.
Loss loss_of(const TrainOptions& options, const Role& role, torch::Device device) {
  if (!role.answers.defined()) return nullptr;
  const DeviceWork no_capture;
  return taught_loss(role.answers.to(device), options);
}

}  // namespace

NetworkRun::NetworkRun(const RunConfig& config, const data::Splits& splits, const TrainFolder& folder,
                       const TrainCallbacks& callbacks, distributed::Group* group, const Role& role)
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
  require(validation_.count() > 0 || config.train.keep == "last", "keep: got ", config.train.keep,
          " and no validation images, expected last");
  require(splits.test.count() > 0, "training: got no test images, expected at least one");
  result_.data_checksum = data::checksum(splits);
  result_.network = network_;
  if (group_ == nullptr) return;
  parallel_.emplace(*group_, config.train.sync_norm, optimizer_.parameters(), Step::numbers_told(group_->size()));
  step_.share(*parallel_);
  require_same_data(*group_, subject("data"), result_.data_checksum);
}

void NetworkRun::announce(const RunConfig& whole) const {
  if (callbacks_.on_start) callbacks_.on_start(whole);
  if (const auto about = network_->about(); !about.empty() && callbacks_.on_note)
    callbacks_.on_note(config_.model.name + " " + about);
}

TrainResult NetworkRun::run() {
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

void NetworkRun::tell(AnswersOfTeachers& all) {
  Answers own;
  own.add(answers_of(*network_, images_, kEvaluationBatch, config_.train));
  all.training.add(own.mean());
  const bool validated = validation_.count() > 0;
  if (validated) all.validation.add(answers_of(*network_, validation_, kEvaluationBatch, config_.train));
  note(format("knows %.2f%% of the training images", 100 * own.accuracy(images_)));
  if (role_.teacher < role_.teachers || !callbacks_.on_note) return;
  callbacks_.on_note(format("%lld %s together: training %.2f%%", static_cast<long long>(role_.teachers),
                            role_.teachers == 1 ? "teacher" : "teachers", 100 * all.training.accuracy(images_)) +
                     (validated ? format(", validation %.2f%%", 100 * all.validation.accuracy(validation_)) : ""));
}

bool NetworkRun::stop_is_agreed_in_step() const {
  if (group_ == nullptr) return stop_requested();
  constexpr int64_t kStepsUnasked = 16;
  return (device_.is_cpu() || step_in_epoch_ % kStepsUnasked == 0) && step_.stop_is_agreed();
}

std::string NetworkRun::subject(const char* what) const {
  const auto of_run = std::string(what) + " " + std::to_string(config_.data.realisation);
  return is_teacher() ? of_run + " " + role_.name() : of_run;
}

at::Generator NetworkRun::stream(Purpose purpose, int64_t index) const {
  return random_stream(run_seed(config_), purpose, index);
}

void NetworkRun::run_epoch() {
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

void NetworkRun::record_epoch(double started, double drawing, int64_t first_step) {
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

void NetworkRun::set_learning_rate() {
  const double rate = learning_rate(config_.train, epoch_, step_in_epoch_, steps_per_epoch_);
  if (rate != learning_rate_) optimizer_.set_learning_rate(rate);
  learning_rate_ = rate;
}

void NetworkRun::check_loss(const torch::Tensor& order, const torch::Tensor& draws, int64_t first_step) {
  const auto totals = step_.totals();
  if (totals.first_bad_step < 0) return;
  const int64_t step = first_step + totals.first_bad_step, first = step * config_.train.batch;
  const int64_t size = std::min(config_.train.batch, images_.count() - first);
  auto images = images_.images(order.narrow(0, first, size));
  if (draws.defined()) images = augment(images, draws.narrow(0, first, size), config_.train.augment, images_.black());
  fail_at(group_ == nullptr ? "the loss" : "the loss of rank " + std::to_string(totals.bad_rank), step, images);
}

void NetworkRun::fail_at(const std::string& what, int64_t step, const torch::Tensor& images) {
  const int64_t all_steps = epoch_ * steps_per_epoch_ + step, epoch = all_steps / steps_per_epoch_;
  detail::fail("training: ", what, " is not finite at step ", all_steps + 1, " (epoch ", epoch + 1, "), learning rate ",
               learning_rate(config_.train, epoch, all_steps % steps_per_epoch_, steps_per_epoch_), ", first in ",
               first_bad_layer(*network_, images));
}

void NetworkRun::take_statistics_of_first() {
  if (group_ != nullptr && !config_.train.sync_norm)
    for (const auto& buffer : network_->buffers()) group_->broadcast(buffer);
}

Predictions NetworkRun::look_at(const DeviceImages& images, bool test) {
  int64_t before = 0;
  const auto after_batch = [&](int64_t done) {
    estimate_.add_images(done - std::exchange(before, done), lap());
    report(test ? 0 : done, test ? done : 0);
    // Ranks that share the images come to their end together.
    if (group_ == nullptr && done < images.count() && stop_requested()) throw Stopped{};
  };
  return predict(*network_, images, kEvaluationBatch, config_.train.precision == "bfloat16", after_batch, group_);
}

void NetworkRun::validate(EpochRecord& record) {
  take_statistics_of_first();
  Predictions validation;
  if (validation_.count() > 0) {
    validation = look_at(validation_, /*test=*/false);
    check_finite(validation, "the validation loss", validation_);
    record.validation_loss = validation.loss;
    record.validation_accuracy = validation.accuracy;
  }
  const bool better = config_.train.keep == "last" || result_.best_epoch == 0 ||
                      validation.accuracy > result_.best_validation ||
                      (validation.accuracy == result_.best_validation && validation.loss < best_loss_);
  if (!better) return;
  result_.best_epoch = record.epoch;
  result_.best_validation = validation.accuracy;
  best_loss_ = validation.loss;
  best_weights_ = weights_of(*network_);
}

void NetworkRun::check_finite(const Predictions& predictions, const char* what, const DeviceImages& images) {
  if (std::isfinite(predictions.loss)) return;
  network_->eval();
  const bool is_over = epoch_ == config_.train.epochs;
  fail_at(what, is_over ? -1 : steps_per_epoch_ - 1, images.images(images.range(0, kEvaluationBatch)));
}

void NetworkRun::finish() {
  result_.finished = is_teacher();
  if (is_teacher()) return;
  load_weights(*network_, best_weights_, "best epoch");
  const DeviceImages test(splits_.test, splits_.mean, splits_.deviation, device_);
  lap();
  const auto predictions = look_at(test, /*test=*/true);
  check_finite(predictions, "the test loss", test);
  const auto calibration = calibration_of_best();
  result_.test = evaluate(splits_.test, predictions, calibration ? calibration->estimate(0) : 1);
  network_->eval();
  if (!folder_.folder.empty() && is_first()) save_model(calibration);
  result_.finished = true;
}

double NetworkRun::now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double NetworkRun::lap() {
  const double before = std::exchange(lap_, now());
  return lap_ - before;
}

void NetworkRun::report(int64_t validated, int64_t tested) const {
  if (!callbacks_.on_step) return;
  const int64_t epochs = config_.train.epochs, epochs_left = epochs - epoch_, tests = splits_.test.count();
  const int64_t networks_after = is_teacher() ? role_.teachers - role_.teacher + 1 : 0;
  const int64_t steps = (networks_after * epochs + epochs_left) * steps_per_epoch_ - step_in_epoch_;
  const int64_t calibration = validation_.count();
  const int64_t validations = is_teacher() ? epochs : epochs_left;  // of the one that is kept
  const int64_t images = validations * validation_.count() - validated + tests - tested + calibration;
  const bool testing = epochs_left == 0;
  callbacks_.on_step({role_.teacher, role_.teachers, testing ? epochs : epoch_ + 1, epochs,
                      testing ? steps_per_epoch_ : step_in_epoch_, steps_per_epoch_, tested, testing ? tests : 0,
                      now() - began_, estimate_.seconds_left(steps, images), images_per_second_});
}

void NetworkRun::note(const std::string& text) const {
  if (callbacks_.on_note) callbacks_.on_note(is_teacher() ? role_.name() + ": " + text : text);
}

}  // namespace scdcf::train
