// Teachers: what they say, what is learned from it, and a run with them that is stopped anywhere.
#include "scdcf/train/teachers.h"

#include <gtest/gtest.h>

#include "scdcf/runs/run_folder.h"
#include "support/expect_error.h"
#include "support/scratch_folder.h"
#include "train/tiny.h"

namespace {

using namespace scdcf;
using scdcf::testing::expect_error;

class Teachers : public scdcf::testing::ScratchFolder {
 protected:
  static constexpr int kNever = 1 << 30;

  void SetUp() override {
    ScratchFolder::SetUp();
    config_.model.channels = {3, 3, 3};
    config_.train.epochs = 1;
    config_.train.teachers = 2;
  }

  /// Trains into `name`, at most `steps` steps of all networks.
  train::TrainResult train_for(int steps, const char* name, bool resume = false) {
    std::optional<files::FolderLock> lock;
    train::TrainCallbacks callbacks;
    callbacks.on_start = [&](const auto& config) {
      lock.emplace(runs::prepare_run_folder(folder_ / name, config, resume));
    };
    callbacks.on_note = [&](const std::string& note) { notes_ += note + "\n"; };
    callbacks.on_step = [&](const train::StepProgress& progress) { steps_.push_back(progress); };
    callbacks.stop = [&steps] { return --steps <= 0; };
    return train::train(config_, splits_, {folder_ / name, resume, 0}, callbacks);
  }

  data::Splits splits_ = scdcf::testing::tiny_splits(60, 40, 40, 16);
  train::RunConfig config_ = scdcf::testing::tiny_config();
  std::string notes_;
  std::vector<train::StepProgress> steps_;
};

TEST_F(Teachers, are_networks_of_other_seeds_whose_mean_answers_are_learned) {
  const train::DeviceImages images(splits_.train, splits_.mean, splits_.deviation, scdcf::testing::device());
  train::Answers answers;
  for (const int number : {1, 2}) {
    const auto teacher = train::teacher_config(train::fit_to_data(config_, splits_), number);
    EXPECT_NE(teacher.train.seed, config_.train.seed);
    EXPECT_EQ(teacher.train.teachers, 0);
    answers.add(train::answers_of(*train::train(teacher, splits_, {}, {}).network, images, 25, config_.train));
  }
  const auto said = answers.mean().to(scdcf::testing::device());
  EXPECT_TRUE(torch::allclose(said.sum(1), torch::ones_like(said.select(1, 0))));
  const auto result = train_for(kNever, "run");
  ASSERT_TRUE(result.finished);
  EXPECT_NE(notes_.find("teacher 2 of 2: knows "), std::string::npos) << notes_;
  EXPECT_NE(notes_.find("2 teachers together: training "), std::string::npos) << notes_;
  const auto teacher = runs::load_model(folder_ / "run/teachers/1", torch::kCPU);
  EXPECT_FALSE(scdcf::testing::same_weights(*teacher.network, *runs::load_model(folder_ / "run", torch::kCPU).network));
  // 60 images in batches of 25: three steps for each network, then validation and test.
  ASSERT_EQ(steps_.size(), 11U);
  EXPECT_EQ(steps_[2].teacher, 1);
  EXPECT_EQ(steps_[3].teacher, 2);
  EXPECT_EQ(steps_[6].teacher, 0);
  EXPECT_EQ(steps_[6].teachers, 2);

  train_for(2, "stopped");
  expect_error([&] { runs::load_model(folder_ / "stopped/teachers/1", torch::kCPU); }, "has no weights yet");

  // The first epoch's loss, of weights that hardly change.
  config_.train.learning_rate = 1e-30;
  config_.train.batch = 60;
  config_.model.dropout = 0;
  auto network = models::make_model(train::fit_to_data(config_, splits_).model);
  network->to(scdcf::testing::device());
  train::Optimizer optimizer(*network, config_.train);
  train::Step step(*network, optimizer, images, config_.train, train::taught_loss(said, config_.train));
  network->train();
  const auto order = torch::randperm(60, said.options().dtype(torch::kLong));
  step.run(order, {}, 0);
  const auto scores = network->forward(images.images(order)).detach();
  const auto of_labels = torch::nll_loss(scores.log_softmax(1), images.labels(order));
  const auto of_teachers = torch::kl_div((scores / 2).log_softmax(1), said.index_select(0, order), at::Reduction::Sum);
  EXPECT_NEAR(step.totals().loss, 60 * (0.3 * of_labels + 0.7 * 4 * of_teachers / 60).item<double>(), 1e-2);
}

TEST_F(Teachers, a_run_goes_on_as_if_it_had_not_been_stopped_in_any_of_its_networks) {
  if (!scdcf::testing::device().is_cpu()) GTEST_SKIP() << "exact on the CPU alone";
  const auto whole = train_for(kNever, "whole");
  auto untaught = config_;
  untaught.train.teachers = 0;
  EXPECT_FALSE(scdcf::testing::same_weights(*whole.network, *train::train(untaught, splits_, {}, {}).network));
  for (const char* first : {"1", "3", "4", "5", "7"}) {
    EXPECT_FALSE(train_for(std::stoi(first), first).finished);
    const auto resumed = train_for(kNever, first, true);
    ASSERT_TRUE(resumed.finished);
    EXPECT_TRUE(scdcf::testing::same_weights(*whole.network, *resumed.network)) << "stopped after step " << first;
  }
  train_for(7, "told");  // both teachers are done: three steps each
  notes_.clear();
  train_for(kNever, "told", true);
  EXPECT_NE(notes_.find(".safetensors, the end of its training"), std::string::npos) << notes_;
  EXPECT_EQ(notes_.find("starting from the beginning"), std::string::npos) << notes_;
}

TEST_F(Teachers, are_refused_with_images_that_change) {
  config_.train.augment.flip = true;
  expect_error([&] { train::check(config_.train); }, "teachers: got 2", "expected 0");
}

TEST_F(Teachers, the_last_epoch_is_kept_where_that_is_asked_for) {
  config_.train.teachers = 0;
  config_.train.epochs = 4;
  config_.train.keep = "last";
  const auto result = train_for(kNever, "run");
  EXPECT_EQ(result.best_epoch, 4);
  EXPECT_EQ(result.best_validation, result.history.back().validation_accuracy);
  const auto last =
      train::load_checkpoint(folder_ / "run/checkpoints/step-000000012.safetensors").tensors.at("weights");
  for (const auto& [name, tensor] : train::weights_of(*result.network))
    EXPECT_TRUE(torch::equal(tensor, last.at(name))) << name;
}

}  // namespace
