// What a run keeps and goes on from: checkpoints, the list of epochs, the trained model.
#include "scdcf/core/error.h"
#include "scdcf/core/runtime.h"
#include "scdcf/files/atomic_file.h"
#include "scdcf/train/network_run.h"

namespace scdcf::train {

void NetworkRun::join_first() {
  const auto there =
      nlohmann::ordered_json::parse(group_->from_first(subject("progress"), is_first() ? progress().dump() : ""));
  take_state_of_first(*group_, *network_, optimizer_);
  if (!is_first()) set_progress(there);
  if (result_.best_epoch == 0) return;
  if (!is_first()) best_weights_ = weights_of(*network_);  // another set of the same tensors
  take_weights_of_first(*group_, best_weights_);
}

void NetworkRun::write_metrics() const {
  if (folder_.folder.empty() || !is_first()) return;
  std::string lines;
  for (const auto& record : result_.history) lines += to_json(record).dump() + "\n";
  files::write_file_atomically(folder_.folder / "metrics.jsonl", lines);
}

nlohmann::ordered_json NetworkRun::about() const {
  nlohmann::ordered_json about;
  about["config"] = to_json(config_);
  about["class_names"] = splits_.train.class_names;
  about["mean"] = splits_.mean;
  about["deviation"] = splits_.deviation;
  about["background"] = splits_.black_ground ? 0 : 255;  // behind transparent pixels
  about["data_checksum"] = result_.data_checksum;
  about["data_counts"] = {splits_.train.count(), splits_.validation.count(), splits_.test.count()};
  about["scdcf"] = version();
  about["commit"] = commit();
  about["torch"] = TORCH_VERSION;
  return about;
}

void NetworkRun::save() {
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

nlohmann::ordered_json NetworkRun::progress() const {
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

void NetworkRun::set_progress(const nlohmann::ordered_json& progress) {
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

void NetworkRun::resume() {
  auto found = checkpoints_.newest();
  if (!found) {
    note(role_.answers.defined() ? "what the teachers teach begins"
                                 : "nothing to resume from yet: starting from the beginning");
    return;
  }
  for (const auto& reason : found->refused) note("refused: " + reason);
  const auto& about = found->checkpoint.about;
  const auto file = found->file.string();
  try {
    require_same_options(config_, config_from_json(about.at("config"), file + ": its configuration"),
                         file + " was written with", "config.json was edited, or this is a checkpoint of another run");
    require(about.at("data_checksum") == result_.data_checksum, file, ": was trained on data with checksum ",
            about.at("data_checksum").get<std::string>(), ", got data with checksum ", result_.data_checksum);
    load_weights(*network_, found->checkpoint.tensors.at("weights"), file);
    optimizer_.load_state(found->checkpoint.tensors.at("optimizer"));
    best_weights_ = found->checkpoint.tensors["best_weights"];  // none of a teacher, which is not validated
    set_progress(about.at("progress"));
    require(epoch_ >= 0 && epoch_ <= config_.train.epochs && step_in_epoch_ >= 0 && step_in_epoch_ <= steps_per_epoch_,
            file, ": got epoch ", epoch_, " and step ", step_in_epoch_, ", which the run does not have");
  } catch (const std::out_of_range&) {
    detail::fail(file, ": lacks weights or optimizer state");
  } catch (const nlohmann::json::exception& error) {
    detail::fail(file, ": its description is incomplete: ", error.what());
  }
  note("resumed from " + file +
       (epoch_ == config_.train.epochs
            ? ", the end of its training"
            : " at epoch " + std::to_string(epoch_ + 1) + ", step " + std::to_string(step_in_epoch_ + 1)));
}

std::optional<ScaleCalibration> NetworkRun::calibration_of_best() {
  if (validation_.count() == 0) return std::nullopt;
  return calibrate_scale(*network_, validation_, splits_.validation.scales, kEvaluationBatch, [&] {
    if (group_ == nullptr && stop_requested()) throw Stopped{};
  });
}

void NetworkRun::save_model(const std::optional<ScaleCalibration>& calibration) {
  Checkpoint model;
  model.about = about();
  model.about["best_epoch"] = result_.best_epoch;
  model.about["best_validation"] = result_.best_validation;
  if (calibration) model.about["scale_calibration"] = to_json(*calibration);
  model.tensors["weights"] = best_weights_;
  save_checkpoint(model, folder_.folder / kModelFile);
}

}  // namespace scdcf::train
