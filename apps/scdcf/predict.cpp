#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "commands.h"
#include "scdcf/core/error.h"
#include "scdcf/pixels/image_file.h"
#include "scdcf/pixels/resize.h"
#include "scdcf/report/table.h"
#include "scdcf/runs/run_folder.h"

namespace scdcf::app {
namespace {

struct PredictArguments {
  std::string run, device = "cpu";
  std::vector<std::string> images;
  bool invert = false, json = false;
};

/// The picture with black bars that make it square, so that nothing is stretched.
pixels::Image squared(const pixels::Image& image) {
  const int side = std::max(image.height, image.width);
  if (image.height == side && image.width == side) return image;
  pixels::Image square;
  square.channels = image.channels;
  square.height = square.width = side;
  square.pixels.assign(static_cast<size_t>(image.channels) * static_cast<size_t>(side) * static_cast<size_t>(side), 0);
  const int top = (side - image.height) / 2, left = (side - image.width) / 2;
  for (int c = 0; c < image.channels; ++c)
    for (int y = 0; y < image.height; ++y) {
      const auto* row = image.pixels.data() + (static_cast<size_t>(c) * image.height + y) * image.width;
      std::copy(row, row + image.width, square.pixels.data() + (static_cast<size_t>(c) * side + top + y) * side + left);
    }
  return square;
}

/// All pictures as one set, as the network wants them. A picture that cannot be read stops before anything is printed.
data::ImageSet read_all(const PredictArguments& arguments, const models::ModelOptions& model) {
  data::ImageSet set;
  set.channels = static_cast<int>(model.in_channels);
  set.height = set.width = static_cast<int>(model.image_size);
  for (const auto& path : arguments.images) {
    auto image = pixels::with_channels(pixels::read_image(path), set.channels);
    if (arguments.invert)
      for (auto& pixel : image.pixels) pixel = static_cast<std::uint8_t>(255 - pixel);
    image = pixels::resize(squared(image), set.height, set.width);
    set.pixels.insert(set.pixels.end(), image.pixels.begin(), image.pixels.end());
    set.labels.push_back(0);
  }
  return set;
}

void predict(const PredictArguments& arguments) {
  constexpr int64_t kBatch = 100;
  const auto device = train::device_of(arguments.device);
  auto model = runs::load_model(arguments.run, device);
  const train::DeviceImages images(read_all(arguments, model.config.model), model.mean, model.deviation, device);
  const auto predictions = train::predict(*model.network, images, kBatch);
  torch::Tensor responses;
  if (model.calibration) responses = train::scale_response(*model.network, images, kBatch);
  report::Table table({"image", "label", "confidence (%)", "size of the object"});
  for (size_t i = 0; i < arguments.images.size(); ++i) {
    const auto index = static_cast<int64_t>(i);
    report::Table::Cell size = std::string("-");
    if (responses.defined()) size = model.calibration->estimate(responses[index].item<double>());
    table.add({arguments.images[i],
               model.class_names.at(static_cast<size_t>(predictions.labels[index].item<int64_t>())),
               100 * predictions.confidence[index].item<double>(), size});
  }
  if (arguments.json) {
    std::cout << table.to_json().dump(2) << '\n';
  } else {
    table.print(std::cout);
  }
}

}  // namespace

void add_predict(CLI::App& app) {
  auto* command = app.add_subcommand("predict", "Labels pictures with a trained network");
  auto arguments = std::make_shared<PredictArguments>();
  command->add_option("run", arguments->run, "Folder of a run, or a model file")->required();
  command->add_option("images", arguments->images, "PNG or JPEG files, of any size")->required();
  command->add_flag("--invert", arguments->invert, "Dark objects on light ground, where training had light on dark");
  command->add_option("--device", arguments->device, "cpu, cuda or cuda:N")->capture_default_str();
  command->add_flag("--json", arguments->json, "Print JSON instead of a table");
  command->footer(
      "The size of the object is read off the scale axis of the network (the plane where features are largest),\n"
      "calibrated on the validation images of its training; \"-\" for networks without a scale axis.");
  command->callback([arguments] { predict(*arguments); });
}

}  // namespace scdcf::app
