// A run before it is made: what is trained, what is measured of it, and the name it has in the results
// store.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "scdcf/train/config.h"

namespace scdcf::runs {

/// What is measured beside the accuracy on the test set.
enum class Measure {
  accuracy,     ///< nothing else
  scales,       ///< accuracy at every size of objects that the set has, seen in training or not
  deformation,  ///< accuracy and equivariance error under growing deformation of the test images
  cost,         ///< time, multiply-adds and memory of the untrained network; nothing is trained
};
const char* name_of(Measure measure);
/// Throws Error for a name that is none.
Measure measure_of(const std::string& name);

struct PlannedRun {
  train::RunConfig config;
  Measure measure = Measure::accuracy;
  std::string machine;  ///< where the machine is part of what is measured (cost); else empty
};

/// 16 hex digits of the SHA-256 of all that can change the result: the configuration without the device and the folder
/// of the data (a run is the same wherever it is made), the measure, and the machine where that counts.
std::string key_of(const PlannedRun& run);

/// For people: "scdcfnet smnist 28+ N=2000 realisation 0".
std::string label_of(const PlannedRun& run);

/// How much there is to do, for estimates of time: images of 28 x 28 that pass through training, or 1 for a measurement
/// of cost.
double work_of(const PlannedRun& run);

}  // namespace scdcf::runs
