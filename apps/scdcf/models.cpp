#include <torch/torch.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <sstream>

#include "commands.h"
#include "in_range.h"
#include "json_output.h"
#include "scdcf/models/operation_count.h"
#include "scdcf/models/registry.h"
#include "scdcf/report/table.h"

namespace scdcf::app {
namespace {

struct ModelsArguments {
  models::ModelOptions options;
  std::string name;
  bool json = false;
};

torch::Tensor blank_image(const models::ModelOptions& options) {
  return torch::zeros({1, options.in_channels, options.image_size, options.image_size});
}

void print(const report::Table& table, bool json) {
  if (json) {
    print_json(table.to_json());
  } else {
    table.print(std::cout);
  }
}

void list_all(const ModelsArguments& arguments) {
  report::Table table({"name", "from", "parameters", "million multiply-adds", "equivariant or invariant to"});
  for (const auto& entry : models::all_models()) {
    auto options = arguments.options;
    options.name = entry.name;
    const auto network = models::make_model(options);
    const auto operations = models::count_multiply_adds(*network, blank_image(options));
    table.add({entry.name, entry.source, std::to_string(models::parameter_count(*network)),
               static_cast<double>(operations) / 1e6, entry.symmetry});
  }
  print(table, arguments.json);
}

std::string shape_text(const torch::Tensor& tensor) {
  std::ostringstream text;
  for (int64_t i = 1; i < tensor.dim(); ++i) text << (i > 1 ? " x " : "") << tensor.size(i);
  return text.str();
}

void show_one(ModelsArguments arguments) {
  arguments.options.name = arguments.name;
  const auto options = models::resolve(arguments.options);
  const auto network = models::make_model(options);
  const auto image = blank_image(options);
  const torch::NoGradGuard no_grad;
  network->eval();
  report::Table table({"layer", "output"});
  table.add({"image", shape_text(image)});
  for (const auto& output : network->features(image)) table.add({output.layer, shape_text(output.maps)});
  table.add({"class scores", shape_text(network->forward(image))});
  if (arguments.json) {
    print(table, true);
    return;
  }
  const auto& entry = models::find_model(options.name);
  std::cout << entry.name << " (" << entry.source << "); equivariant or invariant to: " << entry.symmetry << '\n'
            << models::parameter_count(*network) << " parameters, "
            << static_cast<double>(models::count_multiply_adds(*network, image)) / 1e6
            << " million multiply-adds an image\n";
  if (!network->about().empty()) std::cout << network->about() << '\n';
  std::cout << '\n';
  print(table, false);
  std::cout << '\n';
  for (const auto& child : network->named_children()) std::cout << child.key() << ": " << *child.value() << '\n';
}

}  // namespace

void add_models(CLI::App& app) {
  auto* command = app.add_subcommand("models", "Lists the networks, or shows the layers of one");
  auto arguments = std::make_shared<ModelsArguments>();
  command->add_option("name", arguments->name, "Network to show in detail");
  command->add_option("--image-size", arguments->options.image_size, "Side of the images in pixels")
      ->capture_default_str();
  command->add_option("--image-channels", arguments->options.in_channels, "Channels of the images")
      ->capture_default_str();
  command->add_option("--classes", arguments->options.classes, "Number of classes")->capture_default_str();
  command->add_option("--smaller", arguments->options.smaller, "Of networks with a range of sizes")
      ->check(in_range(1, 100));
  command->add_option("--larger", arguments->options.larger, "Of networks with a range of sizes")
      ->check(in_range(1, 100));
  command->add_flag("--json", arguments->json, "Print JSON instead of tables");
  command->callback([arguments] {
    if (arguments->name.empty()) {
      list_all(*arguments);
    } else {
      show_one(*arguments);
    }
  });
}

}  // namespace scdcf::app
