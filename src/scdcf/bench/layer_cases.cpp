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

std::vector<LayerCase> shape_cases(int64_t batch) {
  const basis::ScaleGrid nine(9, 0.25, 6.0), narrow(9, 0.0625, 5.0);
  std::vector<LayerCase> cases{
      {"rows", "112x112 1->16 lifting, K 8", batch, 1, 16, 112, nine, 8, 1, true},
      {"rows", "56x56 16->32, K 8", batch, 16, 32, 56, nine, 8, 1},
      {"rows", "28x28 32->48, K 8", batch, 32, 48, 28, nine, 8, 1},
      {"rows", "28x28 48->128, K 20", batch, 48, 128, 28, nine, 20, 1},
      {"rows", "56x56 64->96, K 15, 3 taps", batch, 64, 96, 56, nine, 15, 3},
  };
  const auto add = [&](const char* group, int number, int64_t images, int64_t channels, int64_t lines,
                       const basis::ScaleGrid& grid, int modes, int taps) {
    cases.push_back({group, std::string(group) + " " + std::to_string(number), images, channels, channels, lines, grid,
                     modes, taps, false, static_cast<double>(number)});
  };
  for (const int lines : {4, 7, 14, 28, 56, 112, 256})
    add("lines", lines, std::clamp<int64_t>(batch * 56 * 56 / (lines * lines), 1, batch), 32, lines, narrow, 8, 1);
  for (const int planes : {1, 2, 4, 9, 16, 32})
    add("planes", planes, batch, 32, 28, basis::ScaleGrid(planes, 0.0625, 5.0), 8, 1);
  for (const int modes : {3, 5, 8, 15, 20, 32, 64}) add("modes", modes, batch, 32, 14, narrow, modes, 1);
  for (const int channels : {1, 3, 8, 15, 16, 17, 31, 32, 33, 48, 49, 64, 65, 96, 128, 129, 256, 512})
    add("width", channels, batch, channels, 14, narrow, 8, 1);
  for (const int taps : {1, 2, 3, 5}) add("taps", taps, batch, 32, 14, narrow, 8, taps);
  return cases;
}

}  // namespace scdcf::bench
