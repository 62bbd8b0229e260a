#include "scdcf/explore/explore.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "commands.h"
#include "in_range.h"
#include "message.h"
#include "out_file.h"
#include "run_data.h"
#include "run_options.h"
#include "scdcf/core/format.h"
#include "scdcf/core/printable.h"
#include "scdcf/explore/runtime.h"

namespace scdcf::app {
namespace {

struct ExploreArguments {
  std::string run, beside, data_dir, out = "out/explore.html";
  int64_t count = 12;
  runs::RangeOfSizes range;
};

void explore(const ExploreArguments& arguments) {
  check_target(arguments.out, "explore", explore::kMadeBy);
  const auto runtime = explore::load_runtime();  // before anything that takes long
  std::vector<runs::TrainedModel> models = {runs::load_model(arguments.run, torch::kCPU, arguments.range)};
  if (!arguments.beside.empty()) models.push_back(runs::load_model(arguments.beside, torch::kCPU));
  for (const auto& model : models)
    if (!model.unfinished.empty()) print_message(model.unfinished);
  auto options = explore::picture_options(models.front());
  if (!arguments.data_dir.empty()) options.data_dir = arguments.data_dir;
  make_folder_of(arguments.out);
  explore::write_page(arguments.out, models, data::load(options).test, arguments.count, runtime);
  const auto file = std::filesystem::absolute(arguments.out).lexically_normal();
  std::cout << "The page:  " << printable(file.string())
            << format("  (%.1f MB, all inside)\n", static_cast<double>(std::filesystem::file_size(file)) / 1e6);
}

}  // namespace

void add_explore(CLI::App& app) {
  auto* command = app.add_subcommand(
      "explore", "Writes a page that runs a trained network: draw, drag the size, watch scores and feature maps");
  auto arguments = std::make_shared<ExploreArguments>();
  command->add_option("run", arguments->run, "Folder of a run, or a model file")->required();
  command->add_option("--beside", arguments->beside, "Another run, such as a plain CNN's, to compare it with")
      ->type_name("RUN");
  command->add_option("--out", arguments->out, "The page, one file that needs no other")
      ->type_name("FILE")
      ->capture_default_str();
  add_run_option(*command, "data_dir", arguments->data_dir).type_name("FOLDER");
  command->add_option("--count", arguments->count, "Pictures to pick from, of the run's test data")
      ->check(in_range(1, 60))
      ->capture_default_str();
  add_range(*command, arguments->range);
  command->footer(
      "Networks run by onnxruntime-web, which `make pages-deps` fetches; SCDCF_PAGES names another folder with it.");
  command->callback([arguments] { explore(*arguments); });
}

}  // namespace scdcf::app
