// A run from its first step to its end, stopped, resumed, broken.
#include "scdcf/train/trainer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <sstream>

#include "scdcf/core/for_each.h"
#include "scdcf/runs/run_folder.h"
#include "support/expect_error.h"
#include "support/scratch_folder.h"
#include "train/tiny.h"

namespace {

namespace fs = std::filesystem;
using namespace scdcf;
using scdcf::testing::expect_error;

class Trainer : public scdcf::testing::ScratchFolder {
 protected:
  void SetUp() override {
    ScratchFolder::SetUp();
    run_ = folder_ / "run";
    config_ = scdcf::testing::tiny_config();
    splits_ = scdcf::testing::tiny_splits();
  }

  /// Trains into run_, at most `steps` steps.
  train::TrainResult train_for(int steps, bool resume) {
    return train_until([steps](const train::StepProgress&) mutable { return --steps <= 0; }, resume);
  }

  /// Trains into run_ until it is asked whether to stop where `there` holds.
  train::TrainResult train_until(std::function<bool(const train::StepProgress&)> there, bool resume) {
    std::optional<files::FolderLock> lock;
    train::TrainCallbacks callbacks;
    callbacks.on_start = [&](const auto& config) { lock.emplace(runs::prepare_run_folder(run_, config, resume)); };
    callbacks.on_note = [&](const std::string& note) { notes_ += note + "\n"; };
    callbacks.on_step = [&](const train::StepProgress& progress) { steps_.push_back(progress); };
    callbacks.stop = [&] { return there(steps_.back()); };
    return train::train(config_, splits_, {run_, resume, 0}, callbacks);
  }

  fs::path run_;
  train::RunConfig config_;
  data::Splits splits_;
  std::string notes_;
  std::vector<train::StepProgress> steps_;
};

constexpr int kNever = 1 << 30;

TEST_F(Trainer, keeps_the_best_epoch_and_tells_about_every_one) {
  config_.train.epochs = 4;
  const auto result = train_for(kNever, false);
  EXPECT_TRUE(result.finished);
  ASSERT_EQ(result.history.size(), 4U);
  double best = 0;
  for (const auto& record : result.history) best = std::max(best, record.validation_accuracy.value());
  EXPECT_EQ(result.best_validation, best);
  EXPECT_EQ(result.history[static_cast<size_t>(result.best_epoch - 1)].validation_accuracy, best);
  const train::DeviceImages images(splits_.validation, splits_.mean, splits_.deviation, scdcf::testing::device());
  EXPECT_EQ(train::predict(*result.network, images, 500).accuracy, best);
  EXPECT_EQ(result.test.classes.size(), 10U);

  std::istringstream lines(read(run_ / "metrics.jsonl"));
  size_t epoch = 0;
  for (std::string line; std::getline(lines, line); ++epoch) {
    const auto json = nlohmann::ordered_json::parse(line);
    EXPECT_EQ(json, train::to_json(result.history.at(epoch)));
    EXPECT_EQ(train::to_json(train::record_from_json(json)), json);
    if (scdcf::testing::device().is_cpu()) {
      EXPECT_GT(json.at("data_share").get<double>(), 0);
      EXPECT_LT(json.at("data_share").get<double>(), 1);
    }
  }
  EXPECT_EQ(epoch, 4U);
}

TEST_F(Trainer, goes_on_as_if_it_had_not_been_stopped) {
  if (!scdcf::testing::device().is_cpu()) GTEST_SKIP() << "exact on the CPU alone";
  config_.train.augment = {0.5, 2, true, 4};
  const auto whole = train_for(kNever, false);
  // 60 images in batches of 25: three steps an epoch, two epochs.
  for (const int first : {1, 3, 4}) {
    run_ = folder_ / std::to_string(first);
    EXPECT_FALSE(train_for(first, false).finished);
    EXPECT_FALSE(fs::exists(run_ / "model.safetensors"));
    EXPECT_FALSE(train_for(1, true).finished);
    const auto resumed = train_for(kNever, true);
    EXPECT_TRUE(resumed.finished);
    EXPECT_TRUE(scdcf::testing::same_weights(*whole.network, *resumed.network)) << "stopped after step " << first;
    ASSERT_EQ(resumed.history.size(), 2U);
    EXPECT_EQ(resumed.history[0].train_loss, whole.history[0].train_loss);
    EXPECT_EQ(resumed.history[1].train_accuracy, whole.history[1].train_accuracy);
  }
  EXPECT_TRUE(scdcf::testing::same_weights(*whole.network, *train_for(kNever, true).network)) << "resumed at its end";
}

TEST_F(Trainer, stops_within_validation_test_and_calibration_and_goes_on_with_them) {
  splits_ = scdcf::testing::tiny_splits(60, 600, 600, 16);  // 600 images are two batches to look at
  config_.train.epochs = 1;
  const auto whole = train_for(kNever, false);
  run_ = folder_ / "stopped";
  const auto validating = [](const train::StepProgress& p) { return p.step == p.steps && p.tests == 0; };
  EXPECT_FALSE(train_until(validating, false).finished);
  EXPECT_TRUE(fs::exists(run_ / "checkpoints/step-000000003.safetensors"));
  EXPECT_FALSE(fs::exists(run_ / "metrics.jsonl"));
  const auto testing = [](const train::StepProgress& p) { return p.tested > 0; };
  EXPECT_FALSE(train_until(testing, true).finished);
  EXPECT_TRUE(fs::exists(run_ / "metrics.jsonl"));
  const auto tested = [](const train::StepProgress& p) { return p.tests > 0 && p.tested == p.tests; };
  EXPECT_FALSE(train_until(tested, true).finished);
  EXPECT_FALSE(fs::exists(run_ / "model.safetensors"));
  const auto resumed = train_for(kNever, true);
  ASSERT_TRUE(resumed.finished);
  if (!scdcf::testing::device().is_cpu()) return;
  EXPECT_EQ(read(run_ / "model.safetensors"), read(folder_ / "run/model.safetensors"));
  EXPECT_EQ(resumed.history[0].train_loss, whole.history[0].train_loss);
  EXPECT_EQ(resumed.test.loss, whole.test.loss);
}

TEST_F(Trainer, tells_of_validation_and_test_and_estimates_them_too) {
  splits_ = scdcf::testing::tiny_splits(60, 600, 600, 16);
  train_for(kNever, false);
  // Two epochs of three steps and two batches of validation; two batches of the test.
  ASSERT_EQ(steps_.size(), 12U);
  EXPECT_LT(steps_[0].seconds_left, 0) << "one step tells nothing yet";
  for (size_t i = 1; i < steps_.size(); ++i) EXPECT_GE(steps_[i].seconds_left, 0) << i;
  EXPECT_GT(steps_[9].seconds_left, 0) << "the test is still to come";
  EXPECT_EQ(steps_[10].tested, 500);
  EXPECT_EQ(steps_[11].tested, 600);
  EXPECT_EQ(steps_[11].tests, 600);
}

TEST_F(Trainer, realisations_and_seeds_start_from_other_weights) {
  config_.train.epochs = 1;
  const auto first = train_for(kNever, false);
  config_.train.seed = 1;
  const auto second = train::train(config_, splits_, {}, {});
  config_.train.seed = 0;
  config_.data.realisation = 1;
  const auto third = train::train(config_, splits_, {}, {});
  EXPECT_FALSE(scdcf::testing::same_weights(*first.network, *second.network));
  EXPECT_FALSE(scdcf::testing::same_weights(*first.network, *third.network));
}

// Products of matrices, small and large, at several sizes: their graphs are replayed side by side.
TEST_F(Trainer, runs_side_by_side_do_not_disturb_each_other) {
  if (scdcf::testing::device().is_cpu()) GTEST_SKIP() << "one at a time on the CPU";
  config_.model = {};
  config_.model.name = "scdcfnet-full";
  config_.model.read_out = "anywhere";
  config_.train.precision = "tf32";
  config_.train.epochs = 6;
  // cuDNN's fastest algorithm is found by the clock, in every thread anew, and algorithms round differently. Left to
  // its rules, nothing differs to the last bit, alone or together.
  train::apply_precision(config_.train, scdcf::testing::device());
  at::globalContext().setBenchmarkCuDNN(false);
  const auto alone = train::train(config_, splits_, {}, {});
  std::vector<train::TrainResult> together(8);
  for_each(8, 4, [&](std::int64_t i) { together[static_cast<size_t>(i)] = train::train(config_, splits_, {}, {}); });
  at::globalContext().setBenchmarkCuDNN(true);
  for (const auto& result : together)
    for (size_t epoch = 0; epoch < alone.history.size(); ++epoch) {
      EXPECT_EQ(result.history.at(epoch).train_loss, alone.history[epoch].train_loss) << "epoch " << epoch;
      EXPECT_EQ(result.history.at(epoch).validation_loss, alone.history[epoch].validation_loss) << "epoch " << epoch;
    }
}

TEST_F(Trainer, refuses_to_go_on_with_other_data) {
  train_for(1, false);
  splits_.train.pixels[0] = static_cast<uint8_t>(splits_.train.pixels[0] ^ 1);
  expect_error([&] { train_for(kNever, true); }, "checksum", "checkpoints/step-000000001.safetensors");
}

TEST_F(Trainer, refuses_to_go_on_from_a_checkpoint_of_another_run) {
  const auto own = run_;
  train_for(1, false);
  run_ = folder_ / "other";
  config_.train.seed = 7;
  train_for(2, false);
  const auto stranger = own / "checkpoints/step-000000002.safetensors";
  fs::copy(run_ / "checkpoints" / stranger.filename(), stranger);
  run_ = own;
  config_.train.seed = 0;
  expect_error([&] { train_for(kNever, true); }, "seed: got 0, but " + stranger.string() + " was written with 7");
  EXPECT_FALSE(fs::exists(run_ / "model.safetensors"));
  fs::remove(stranger);
  EXPECT_TRUE(train_for(kNever, true).finished);
}

TEST_F(Trainer, uses_the_older_checkpoint_where_the_newest_is_damaged) {
  const auto whole = train_for(kNever, false);
  const auto newest = run_ / "checkpoints/step-000000006.safetensors",
             older = run_ / "checkpoints/step-000000003.safetensors";
  write(newest, "x" + read(newest));
  const auto resumed = train_for(kNever, true);
  EXPECT_NE(notes_.find(newest.string() + ": is damaged"), std::string::npos) << notes_;
  EXPECT_NE(notes_.find("resumed from " + older.string()), std::string::npos) << notes_;
  if (scdcf::testing::device().is_cpu()) {
    EXPECT_TRUE(scdcf::testing::same_weights(*whole.network, *resumed.network));
  }
  for (const auto& file : {newest, older}) write(file, "x");
  expect_error([&] { train_for(kNever, true); }, newest.string(), "no older one");
}

TEST_F(Trainer, stops_where_the_loss_breaks_and_names_step_rate_and_layer) {
  config_.train.learning_rate = 1e30;
  expect_error([&] { train_for(kNever, false); }, "loss is not finite at step 2 (epoch 1)", "learning rate 1e+30",
               "first in block");
  EXPECT_FALSE(fs::exists(run_ / "model.safetensors"));
  EXPECT_FALSE(fs::exists(run_ / "checkpoints"));
}

TEST_F(Trainer, does_not_take_weights_for_good_that_the_last_step_of_an_epoch_spoiled) {
  config_.train.learning_rate = 1e30;
  config_.train.batch = 60;
  config_.train.epochs = 1;
  expect_error([&] { train_for(kNever, false); }, "validation loss is not finite at step 1 (epoch 1)",
               "learning rate 1e+30");
  EXPECT_FALSE(fs::exists(run_ / "model.safetensors"));
}

TEST_F(Trainer, refuses_what_cannot_be_trained_before_anything_is_written) {
  const auto refused = [&](auto change, const char* word) {
    config_ = scdcf::testing::tiny_config();
    splits_ = scdcf::testing::tiny_splits();
    change();
    expect_error([&] { train_for(kNever, false); }, word);
    EXPECT_TRUE(names_in(folder_).empty()) << word;
  };
  refused([&] { config_.train.batch = 1; }, "batch");
  refused([&] { config_.train.device = "tpu"; }, "device");
  refused([&] { config_.train.device = "cuda:99"; }, "device");
  refused([&] { config_.model.modes = -3; }, "modes");
  refused([&] { config_.model.channels = {1, 2}; }, "channels");
  refused([&] { splits_.train = data::prefix(splits_.train, 1); }, "1 training images");
  refused([&] { splits_.test = {}; }, "test images");
  refused([&] { splits_.validation = {}; }, "keep: got best and no validation images, expected last");
  if (scdcf::testing::device().is_cpu()) refused([&] { config_.train.precision = "bfloat16"; }, "precision");
}

TEST_F(Trainer, without_validation_images_the_last_epoch_is_kept_and_nothing_is_said_of_them) {
  const auto whole = train_for(kNever, false);
  run_ = folder_ / "all";
  splits_.validation = data::without_pictures(splits_.validation);
  config_.train.keep = "last";
  train_for(4, false);
  const auto result = train_for(kNever, true);  // resumed: the epochs before are read again
  ASSERT_TRUE(result.finished);
  EXPECT_EQ(result.best_epoch, config_.train.epochs);
  ASSERT_EQ(result.history.size(), 2U);
  EXPECT_FALSE(result.history.back().validation_accuracy.has_value());
  EXPECT_EQ(result.history.back().train_loss, whole.history.back().train_loss) << "the same training otherwise";
  EXPECT_EQ(read(run_ / "metrics.jsonl").find("validation"), std::string::npos);
  EXPECT_NO_THROW(runs::load_model(run_, scdcf::testing::device()));
  run_ = folder_ / "taught";
  config_.train.teachers = 1;
  config_.train.epochs = 1;
  EXPECT_TRUE(train_for(kNever, false).finished);
  EXPECT_EQ(notes_.find("validation"), std::string::npos) << notes_;
}

TEST_F(Trainer, without_validation_images_weights_that_the_last_step_spoiled_are_found_in_the_test) {
  splits_.validation = {};
  config_.train.keep = "last";
  config_.train.learning_rate = 1e30;
  config_.train.batch = 60;
  config_.train.epochs = 1;
  expect_error([&] { train_for(kNever, false); }, "test loss is not finite at step 1 (epoch 1)", "learning rate 1e+30");
  EXPECT_FALSE(fs::exists(run_ / "model.safetensors"));
}

TEST_F(Trainer, a_single_image_left_over_is_dropped) {
  config_.train.batch = 59;  // of 60 images
  config_.train.epochs = 1;
  EXPECT_NO_THROW(train_for(kNever, false));
}

TEST_F(Trainer, a_run_folder_is_kept_and_refuses_other_options) {
  train_for(1, false);
  const auto before = read(run_ / "config.json");
  expect_error([&] { train_for(1, false); }, "resume: ", run_.string());
  config_.train.learning_rate = 0.5;
  expect_error([&] { train_for(1, true); }, run_.string(), "learning_rate: got 0.5", "0.01");
  EXPECT_EQ(read(run_ / "config.json"), before);
  expect_error([&] { runs::read_run_config(folder_); }, folder_.string(), "config.json");
  write(run_ / "config.json", "{");
  expect_error([&] { runs::read_run_config(run_); }, "config.json", "JSON");
}

TEST_F(Trainer, a_run_from_before_an_option_came_is_resumed) {
  train_for(4, false);
  auto json = nlohmann::ordered_json::parse(read(run_ / "config.json"));
  json["model"].erase("block");
  write(run_ / "config.json", json.dump());
  EXPECT_TRUE(train_for(kNever, true).finished);
}

TEST_F(Trainer, a_trained_model_is_loaded_from_folder_file_or_checkpoint) {
  expect_error([&] { runs::load_model(run_, scdcf::testing::device()); }, run_.string(), "missing");
  train_for(1, false);
  expect_error([&] { runs::load_model(run_, scdcf::testing::device()); }, run_.string(), "no weights yet");
  train_for(4, true);
  EXPECT_NO_THROW(runs::load_model(run_, scdcf::testing::device()));  // the best epoch so far
  const auto result = train_for(kNever, true);
  for (const auto& path : {run_, run_ / "model.safetensors"}) {
    const auto model = runs::load_model(path, scdcf::testing::device());
    EXPECT_TRUE(scdcf::testing::same_weights(*model.network, *result.network));
    EXPECT_FALSE(model.network->is_training());
    EXPECT_EQ(model.class_names, splits_.train.class_names);
    EXPECT_EQ(model.mean, splits_.mean);
    EXPECT_EQ(model.data_checksum, data::checksum(splits_));
    EXPECT_TRUE(model.calibration.has_value());
  }
  fs::copy(run_ / "model.safetensors", folder_ / "alone.safetensors");
  EXPECT_NO_THROW(runs::load_model(folder_ / "alone.safetensors", scdcf::testing::device()));
  write(run_ / "model.safetensors", "something else");
  expect_error([&] { runs::load_model(run_, scdcf::testing::device()); }, "model.safetensors", "not a scdcf model");
}

TEST_F(Trainer, without_a_folder_nothing_is_written) {
  const auto before = fs::current_path();
  fs::current_path(folder_);
  config_.train.epochs = 1;
  train::train(config_, splits_, {}, {});
  fs::current_path(before);
  EXPECT_TRUE(names_in(folder_).empty());
}

}  // namespace
