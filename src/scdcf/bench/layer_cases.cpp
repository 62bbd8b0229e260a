#include "scdcf/bench/layer_cases.h"

#include <algorithm>

namespace scdcf::bench {

std::vector<LayerCase> layer_cases(int64_t batch) {
  const basis::ScaleGrid small(5, 0.25, 5.0), large(5, 0.25, 10.0);
  const int64_t fewer = std::max<int64_t>(1, batch / 4);
  std::vector<LayerCase> cases{
      {"smnist28", "28x28 1->32 lifting", batch, 1, 32, 28, small, 15, 1, true},
      {"smnist28", "14x14 32->64", batch, 32, 64, 14, small, 15, 3},
      {"smnist28", "7x7 64->96", batch, 64, 96, 7, small, 15, 3},
      {"smnist56", "56x56 1->32 lifting", batch, 1, 32, 56, large, 15, 1, true},
      {"smnist56", "28x28 32->64", batch, 32, 64, 28, large, 15, 3},
      {"smnist56", "14x14 64->96", batch, 64, 96, 14, large, 15, 3},
      {"autoencoder", "56x56 1->4 lifting", batch, 1, 4, 56, basis::ScaleGrid::ending_at(15, 0.1, 13.0), 8, 1, true},
      {"autoencoder", "28x28 4->8", batch, 4, 8, 28, basis::ScaleGrid::ending_at(15, 0.1, 13.0), 8, 3},
      {"resnet96", "96x96 32->32", fewer, 32, 32, 96, basis::ScaleGrid(4, 0.33, 5.0), 12, 2},
  };
  for (const int kernel : {5, 7, 11, 15, 21, 31})  // every scale near the same size, so that L is one number
    cases.push_back({"filter size", "28x28 32->64, L = " + std::to_string(kernel), fewer, 32, 64, 28,
                     basis::ScaleGrid(3, 0.01, kernel - 0.5), 15, 3, false, static_cast<double>(kernel)});
  for (const int scales : {3, 5, 9, 13, 17})
    cases.push_back({"scales", "28x28 16->16, N_s = " + std::to_string(scales), fewer, 16, 16, 28,
                     basis::ScaleGrid(scales, 0.125, 5.0), 15, 3, false, static_cast<double>(scales)});
  for (const int channels : {16, 32, 64, 128})
    cases.push_back({"channels", "14x14 " + std::to_string(channels) + "->" + std::to_string(channels), fewer, channels,
                     channels, 14, small, 15, 3, false, static_cast<double>(channels)});
  return cases;
}

}  // namespace scdcf::bench
