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
  double test_accuracy = 0;                                         ///< this and the next in percent
  std::vector<double> accuracy_by_scale;                            ///< one for every ScaleRange
  std::vector<double> training_accuracy, validation_accuracy;       ///< one for every epoch
  std::vector<std::pair<std::string, std::vector<double>>> errors;  ///< equivariance: of each block, at each plane
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

/// First-layer features of one picture and of the same picture enlarged, at every plane of the scale axis.
struct ScaleStory {
  double octaves = 0;                 ///< of the enlargement
  int shift = 0;                      ///< planes that the response has to move by
  std::vector<double> filter_widths;  ///< of the planes, in pixels
  std::string truth;
  double factor = 0;
  std::vector<pixels::Canvas> pictures;  ///< original, enlarged
  struct Channel {
    std::int64_t index = 0;
    std::vector<std::vector<pixels::Canvas>> maps;  ///< [2][planes], one intensity scale for all
    std::vector<std::size_t> strongest;             ///< [2], the plane with the highest peak
  };
  std::vector<Channel> channels;
  std::int64_t images = 0;                    ///< that the next is a mean over
  std::vector<std::vector<double>> response;  ///< [2][planes], mean over images and channels of the maps' peaks
};

struct DemoFindings {
  std::string data;  ///< its name, as data::load takes it
  std::int64_t training_images = 0, validation_images = 0, test_images = 0;
  int image_side = 0;
  std::size_t classes = 0;
  double smallest_factor = 0, largest_factor = 0;
  std::int64_t epochs = 0;
  std::vector<TrainedNetwork> networks;
  std::vector<ScaleRange> scales;
  std::vector<Sample> first_samples, disagreements;
  double typical_size_error = 0;  ///< median of |estimate - truth| / truth, in percent
  std::int64_t size_images = 0;   ///< that it was taken over
  double equivariance_octaves = 0;
  std::int64_t equivariance_images = 0;
  ScaleStory story;
  double seconds = 0;
  std::string command;  ///< that repeats it
};

}  // namespace scdcf::demo
