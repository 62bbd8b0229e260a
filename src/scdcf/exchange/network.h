// A network as others use it: pictures in, as they are read from files, and what the program would say of them out.
#pragma once

#include "scdcf/exchange/trace.h"
#include "scdcf/models/network.h"

namespace scdcf::exchange {

/// What lies between pictures and a network, and behind it.
struct Surroundings {
  std::vector<double> mean, deviation;  ///< of each channel: the network sees (images - mean) / deviation
  double size_factor = 1;               ///< what sizes that it reads are multiplied with (train::ScaleCalibration)
};

/// Images [N, C, H, W] with values from 0 to 1 to the scores of the classes and, of networks that read them, size and
/// beyond (models::Reading).
Function pictures_to_answers(const std::shared_ptr<models::Network>& network, const Surroundings& surroundings);

/// The graph of that function, its outputs named "scores", "size", "beyond". `example` as for trace.
Graph trace_network(const std::shared_ptr<models::Network>& network, const Surroundings& surroundings,
                    const torch::Tensor& example);

/// The largest difference between the entries of two tensors, over the largest entry of the first.
double relative_difference(const torch::Tensor& expected, const torch::Tensor& got);

}  // namespace scdcf::exchange
