// What a demonstration found out: all that its page shows, free of torch.
#pragma once

#include <string>
#include <vector>

#include "scdcf/pixels/canvas.h"

namespace scdcf::demo {

/// One of the networks, trained.
struct TrainedNetwork {
  std::string name;  ///< "ScDCFNet"
  std::string run;   ///< its folder inside the demonstration's
  std::int64_t parameters = 0;
  std::int64_t best_epoch = 0;
  double seconds = 0;                                               ///< of training
  double milliseconds = 0;                                          ///< of prediction, per picture
  double trained_accuracy = 0;                                      ///< at the size it was trained on; in percent
  std::vector<double> accuracy_by_scale;                            ///< one for every ScaleRange, in percent
  std::vector<std::pair<std::string, std::vector<double>>> errors;  ///< equivariance: of each layer, at each plane
};

struct ScaleRange {
  std::string name;
  double middle = 0;
  std::int64_t images = 0;
};

/// One test picture and what each network said.
struct Sample {
  pixels::Canvas picture;
  std::string file;  ///< inside the demonstration's folder
  std::string truth;
  double factor = 0, estimated_factor = 0;
  std::vector<std::string> answers;  ///< one for every network
  std::vector<double> confidence;    ///< in percent
};

/// The score of the right class at every plane, for one object at several sizes.
struct ScaleStory {
  std::string truth;
  std::vector<double> home_factors;  ///< of the planes: the factor of objects that are at home there, to two digits
  struct Size {
    double factor = 0;
    pixels::Canvas picture;
    std::vector<double> scores;  ///< one for every plane
  };
  std::vector<Size> sizes;
};

struct DemoFindings {
  std::string data;  ///< its name, as data::load takes it
  std::int64_t training_images = 0, validation_images = 0, test_images = 0;
  int image_side = 0;
  std::size_t classes = 0;
  double trained_factor = 0, smallest_factor = 0, largest_factor = 0;
  std::int64_t epochs = 0;
  std::string range;  ///< what the first network was planned for, in its words
  std::vector<TrainedNetwork> networks;
  std::vector<ScaleRange> scales;
  std::vector<Sample> samples;
  double typical_size_error = 0;  ///< median of |estimate - truth| / truth, in percent
  std::int64_t size_images = 0;   ///< that it was taken over
  double equivariance_octaves = 0;
  std::int64_t equivariance_images = 0;
  ScaleStory story;
  double seconds = 0;
  std::string command;  ///< that repeats it
};

}  // namespace scdcf::demo
