#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>

#include "commands.h"
#include "json_output.h"
#include "message.h"
#include "out_file.h"
#include "run_data.h"
#include "run_options.h"
#include "scdcf/core/error.h"
#include "scdcf/core/format.h"
#include "scdcf/core/printable.h"
#include "scdcf/core/runtime.h"
#include "scdcf/exchange/network.h"
#include "scdcf/exchange/onnx.h"
#include "scdcf/exchange/torchscript.h"
#include "scdcf/files/atomic_file.h"
#include "scdcf/runs/run_folder.h"

namespace scdcf::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kMark = "scdcf.export";  // in every file that this command writes
constexpr double kLargestDifference = 1e-5;
constexpr int64_t kRandomImages = 16, kRealImages = 100, kImagesAtOnce = 8;

struct ExportArguments {
  std::string run, to = "onnx", out, filters, operators = "torch", data_dir;
  bool json = false;
  runs::RangeOfSizes range;
};

/// What goes with the network in the file.
Json about(const runs::TrainedModel& model, const exchange::Graph& graph) {
  const auto& options = model.config.model;
  const auto format = model.input_format();
  Json outputs = {{"scores", "of the classes, [N, " + std::to_string(options.classes) + "], larger is likelier"}};
  if (graph.outputs.size() > 1) {
    outputs["size"] = "[N], of the object, as share of the side of the image";
    outputs["beyond"] = "[N], -1 or 1 where it may be smaller or larger than the network looks for";
  }
  return {{"model", options.name},
          {"options", train::to_json(model.config, train::Stored::all).at("model")},
          {"data", model.config.data.name},
          {"classes", model.class_names},
          {"input", "images [N, " + std::to_string(options.in_channels) + ", " + std::to_string(options.image_size) +
                        ", " + std::to_string(options.image_size) +
                        "], pixel / 255, from 0 to 1; (images - mean) / deviation is part of the network"},
          {"size", format.size},
          {"channels", format.channels},
          {"fit", model.config.data.fit},
          {"resize", "area average where a side shrinks, bicubic (a = -0.75) where it grows"},
          {"background", format.background},
          {"scaling", "pixel / 255"},
          {"mean", model.mean},
          {"deviation", model.deviation},
          {"outputs", outputs},
          {"version", version()}};
}

/// Images of the run's data as the exported network takes them, or why there are none.
struct RealImages {
  torch::Tensor images;
  std::string missing;
};

RealImages real_images(const runs::TrainedModel& model, const std::string& data_dir) {
  auto options = model.config.data;
  if (!data_dir.empty()) options.data_dir = data_dir;
  options.size = static_cast<int>(model.config.model.image_size);
  options.train_size = options.validation_size = 1;
  options.test_size = kRealImages;
  try {
    const auto splits = data::load(options);
    const std::vector<double> none(model.mean.size(), 0), one(model.mean.size(), 1);
    const train::DeviceImages set(splits.test, none, one, torch::kCPU);
    return {set.images(set.range(0, kRealImages)), ""};
  } catch (const Error& error) {
    return {{}, error.what()};
  }
}

/// Scores of what was written. There is no runtime for ONNX here: its graph is what is run, and the tests run the file.
torch::Tensor scores_of(const ExportArguments& arguments, const exchange::Graph& graph, const std::string& bytes,
                        const torch::Tensor& images) {
  if (arguments.to == "onnx") return exchange::run(graph, images).front();
  return exchange::run_torchscript(bytes, images).front();
}

/// A few at a time: a graph that is run as it stands keeps all that it computes.
torch::Tensor by_parts(const torch::Tensor& images, const std::function<torch::Tensor(const torch::Tensor&)>& scores) {
  std::vector<torch::Tensor> parts;
  for (const auto& part : images.split(kImagesAtOnce)) parts.push_back(scores(part));
  return torch::cat(parts);
}

exchange::Graph graph_to_write(const ExportArguments& arguments, exchange::Graph graph) {
  if (arguments.operators == "torch") graph = exchange::with_torch_operators(graph);
  // Whoever runs TorchScript would multiply for every batch.
  const auto filters = !arguments.filters.empty() ? arguments.filters
                       : arguments.to == "onnx"   ? "factored"
                                                  : "composed";
  return filters == "composed" ? exchange::with_composed_filters(graph) : graph;
}

std::string bytes_of(const ExportArguments& arguments, const exchange::Graph& graph, const Json& about) {
  if (arguments.to == "torchscript")
    return exchange::to_torchscript(graph, {{std::string(kMark) + ".json", about.dump(2)}});
  exchange::Metadata metadata = {{kMark, "1"}};
  for (const auto& [key, value] : about.items())
    metadata[key] = value.is_string() ? value.get<std::string>() : value.dump();
  return exchange::to_onnx(graph, metadata);
}

void export_network(const ExportArguments& arguments) {
  require(arguments.to == "torchscript" || arguments.operators == "torch",
          "operators: got scdcf, ONNX expects torch: its runtimes know no others");
  const bool named_as_torch = std::filesystem::path(arguments.out).extension() == ".pt";
  require(!named_as_torch || arguments.to == "torchscript", "out: got ", arguments.out,
          " for ONNX, expected another ending than .pt, or --to torchscript");
  const auto beside = arguments.out + ".json";
  for (const auto& file : {arguments.out, beside}) check_target(file, "export", kMark);
  auto model = runs::load_model(arguments.run, torch::kCPU, arguments.range);
  if (!model.unfinished.empty()) print_message(model.unfinished);
  const torch::NoGradGuard no_grad;
  const auto& options = model.config.model;
  const auto random = [&](int64_t count) {
    return torch::rand({count, options.in_channels, options.image_size, options.image_size});
  };
  const exchange::Surroundings surroundings{model.mean, model.deviation,
                                            model.calibration ? model.calibration->estimate(0) : 1};
  const auto graph = graph_to_write(arguments, exchange::trace_network(model.network, surroundings, random(2)));
  const auto description = about(model, graph);
  const auto bytes = bytes_of(arguments, graph, description);

  const auto real = real_images(model, arguments.data_dir);
  auto images = random(kRandomImages);
  const int64_t real_count = real.images.defined() ? real.images.size(0) : 0;
  if (real_count > 0) images = torch::cat({images, real.images});
  const auto answers = exchange::pictures_to_answers(model.network, surroundings);
  const auto scores = by_parts(images, [&](const torch::Tensor& some) { return answers(some).front(); });
  const auto written = by_parts(images, [&](const auto& some) { return scores_of(arguments, graph, bytes, some); });
  const double difference = exchange::relative_difference(scores, written);
  require(difference <= kLargestDifference, options.name, ": the scores of the exported network differ by ", difference,
          " of the largest, expected at most ", kLargestDifference, ": nothing was written");
  make_folder_of(arguments.out);
  Json sidecar = {{kMark, 1}};
  sidecar.update(description);
  files::write_file_atomically(beside, sidecar.dump(2) + "\n");
  files::write_file_atomically(arguments.out, bytes);

  if (arguments.json) {
    Json json = {{"file", arguments.out}, {"format", arguments.to}, {"bytes", bytes.size()}};
    json["random_images"] = kRandomImages;
    json["real_images"] = real_count;
    json["difference"] = difference;
    json.update(description);
    print_json(json);
    return;
  }
  std::cout << printable(arguments.out) << ": " << options.name << ", "
            << format("%.2f MB", static_cast<double>(bytes.size()) / 1e6) << '\n'
            << "input   images " << description["input"].get<std::string>().substr(7) << '\n';
  for (const auto& [name, what] : description["outputs"].items())
    std::cout << "output  " << name << ' ' << what.get<std::string>() << '\n';
  std::cout << "images  " << model.config.data.fit << " to " << options.image_size
            << " pixels a side; size, fit, scaling and "
            << "class names are also in " << printable(beside) << '\n';
  std::cout << (arguments.to == "onnx" ? "its graph" : "the file")
            << format(", run on %lld random", static_cast<long long>(kRandomImages))
            << (real_count > 0 ? format(" and %lld real images", static_cast<long long>(real_count)) : " images")
            << format(": scores differ by at most %.1e of the largest", difference) << '\n';
  if (real_count == 0) std::cout << "no real images: " << printable(real.missing) << '\n';
}

}  // namespace

void add_export(CLI::App& app) {
  auto* command = app.add_subcommand("export", "Writes a trained network for other programs: ONNX or TorchScript");
  auto arguments = std::make_shared<ExportArguments>();
  command->add_option("run", arguments->run, "Folder of a run, or a model file")->required();
  command->add_option("--to", arguments->to, "Format of the file")
      ->check(CLI::IsMember({"onnx", "torchscript"}))
      ->capture_default_str();
  command->add_option("--out", arguments->out, "File to write")->required()->type_name("FILE");
  command
      ->add_option(
          "--filters", arguments->filters,
          "factored: as coefficients times basis, a smaller file (ONNX); composed: multiplied out (TorchScript)")
      ->check(CLI::IsMember({"factored", "composed"}));
  command
      ->add_option("--operators", arguments->operators,
                   "Of TorchScript: torch, which loads everywhere; scdcf, faster, needs libscdcf.so")
      ->check(CLI::IsMember({"torch", "scdcf"}))
      ->capture_default_str();
  add_range(*command, arguments->range);
  add_run_option(*command, "data_dir", arguments->data_dir).type_name("FOLDER");
  command->add_flag("--json", arguments->json, "Print JSON instead of text");
  command->footer(
      "The network takes any number of images with values from 0 to 1 and normalises them itself. The file is checked "
      "on\n"
      "random images, and on test images of the run's data where that is there, before it is put in its place.");
  command->callback([arguments] { export_network(*arguments); });
}

}  // namespace scdcf::app
