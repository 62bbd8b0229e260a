// Training in several ranks: the same network as with one, whoever begins and whoever goes on.
#include <gtest/gtest.h>

#include <atomic>

#include "support/ranks.h"
#include "support/scratch_folder.h"
#include "train/tiny.h"

namespace scdcf::train {
namespace {

class Ranks : public testing::WithRanks<testing::ScratchFolder> {
 protected:
  Ranks() {
    config_.model.channels = {3, 3, 3};
    config_.train.batch = 24;  // of 57 images: the last step has 9
    config_.train.augment = {0.3, 1, true, 3};
    config_.train.sync_norm = true;
    config_.train.device = "cpu";
  }

  TensorMap alone() const { return weights_of(*train::train(config_, splits_, {}, {}).network); }

  /// The weights of rank 0; `stop_after` steps it is asked to stop, by its last rank.
  TensorMap together(int ranks, const TrainFolder& folder = {}, int stop_after = -1) const {
    TensorMap weights;
    testing::in_ranks(ranks, [&](distributed::Group& group) {
      TrainCallbacks callbacks;
      int steps = 0;
      callbacks.on_step = [&](const StepProgress&) { ++steps; };
      callbacks.stop = [&] { return group.rank() == ranks - 1 && steps == stop_after; };
      const auto result = train::train(config_, splits_, folder, callbacks, &group);
      EXPECT_EQ(result.finished, stop_after < 0);
      if (group.is_first()) weights = weights_of(*result.network);
    });
    return weights;
  }

  static double difference(const TensorMap& a, const TensorMap& b) {
    double largest = 0;
    for (const auto& [name, tensor] : a)
      largest =
          std::max(largest, (tensor.to(torch::kDouble) - b.at(name).to(torch::kDouble)).abs().max().item<double>());
    return largest;
  }

  data::Splits splits_ = testing::tiny_splits(57, 20, 20, 12);
  RunConfig config_ = testing::tiny_config();
};

TEST_F(Ranks, two_and_four_train_the_network_of_one_and_the_same_every_time) {
  config_.train.epochs = 1;
  const auto one = alone();
  // Adam moves each weight by about the rate, whatever its gradient: another one by 0.01, one that rounding has changed
  // by that share of it, which is largest where next to nothing is left of a sum.
  const double rounding = 0.003 * config_.train.learning_rate;
  for (const int ranks : {2, 4}) {
    const auto first = together(ranks), second = together(ranks);
    EXPECT_LT(difference(one, first), rounding) << ranks;
    EXPECT_EQ(difference(first, second), 0) << ranks;
  }
}

TEST_F(Ranks, any_number_goes_on_with_what_another_has_begun) {
  const auto whole = together(2);
  const TrainFolder folder{folder_, true, 0};
  together(2, folder, 4);  // in the second epoch
  EXPECT_LT(difference(whole, together(3, folder)), 1e-4);
  // The same number goes on as if nothing had happened.
  const TrainFolder other{folder_ / "other", true, 0};
  std::filesystem::create_directory(other.folder);
  together(2, other, 2);
  EXPECT_EQ(difference(whole, together(2, other)), 0);
}

TEST_F(Ranks, without_common_norms_they_learn_too_and_are_resumed_exactly) {
  config_.train.sync_norm = false;
  const auto whole = together(3);
  const TrainFolder folder{folder_, true, 0};
  together(3, folder, 4);
  EXPECT_EQ(difference(whole, together(3, folder)), 0);
}

TEST_F(Ranks, other_data_is_refused) {
  const auto other = testing::tiny_splits(57, 20, 21, 12);
  std::atomic<int> refused{0};
  testing::in_ranks(2, [&](distributed::Group& group) {
    try {
      train::train(config_, group.is_first() ? splits_ : other, {}, {}, &group);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("rank 1 has other data than rank 0"), std::string::npos) << error.what();
      ++refused;
    }
  });
  EXPECT_EQ(refused, 2);
}

TEST_F(Ranks, a_loss_that_is_not_finite_ends_all_and_names_the_rank) {
  config_.train.learning_rate = 1e30;
  std::atomic<int> ended{0};
  testing::in_ranks(2, [&](distributed::Group& group) {
    try {
      train::train(config_, splits_, {}, {}, &group);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("loss of rank 0 is not finite"), std::string::npos) << error.what();
      ++ended;
    }
  });
  EXPECT_EQ(ended, 2);
}

}  // namespace
}  // namespace scdcf::train
