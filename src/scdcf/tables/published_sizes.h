// What others have printed of networks that are trained at some sizes and tested at others: test accuracy in percent.
#pragma once

#include <string>
#include <vector>

namespace scdcf::tables {

/// Sizes of objects in training, in pixels.
struct SizeRange {
  int smallest = 0, largest = 0;
};
/// Of STIR: small to large, middle to rest, large to small.
const std::vector<SizeRange>& stir_scenarios();

/// STIR-MNIST, the mean over the sizes that were not trained on.
struct PublishedStir {
  std::string network;
  std::vector<double> unseen;  ///< one for each scenario
};
/// Altstidl et al. 2023: means over 25 seeds, of networks with two convolutions of 16 and 32 channels.
const std::vector<PublishedStir>& published_stir();

/// MNIST Large Scale, at some of the scales.
struct PublishedLargeScale {
  std::string network;
  double train_scale = 0;
  std::vector<double> scales, accuracies;
};
/// RieszNet, trained on 50,000 pictures.
const std::vector<PublishedLargeScale>& published_large_scale();

}  // namespace scdcf::tables
