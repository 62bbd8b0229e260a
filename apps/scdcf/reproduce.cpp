#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "commands.h"
#include "in_range.h"
#include "message.h"
#include "reproduce_figures.h"
#include "reproduce_tables.h"
#include "run_options.h"
#include "scdcf/core/error.h"
#include "scdcf/core/joined.h"

namespace scdcf::app {
namespace {

struct ReproduceArguments {
  std::string name, out = "out/reproduce";
  TableArguments tables;
  figures::AutoEncoderTraining autoencoders;
};

/// Figures first: they give results early.
std::vector<std::pair<std::string, std::string>> all_names() {
  auto names = figure_experiment_names();
  for (auto& name : table_experiment_names()) names.push_back(std::move(name));
  return names;
}

void print_list() {
  for (const auto& [name, what] : all_names())
    std::cout << "  " << name << std::string(24 - std::min<size_t>(23, name.size()), ' ') << what << '\n';
  std::cout << "  all                     every one of them\n";
}

void reproduce_one(const std::string& name, const ReproduceArguments& arguments) {
  require(arguments.autoencoders.is_own() || name.rfind("reconstruction", 0) == 0, "reproduce ", name,
          ": got options of auto-encoders, which only reconstruction and reconstruction-error have");
  if (is_table_experiment(name)) return reproduce_table(name, arguments.tables);
  const auto& tables = arguments.tables.options;
  require(!tables.list && tables.only < 0, tables.list ? "plan" : "only", ": ", name, " is no set of runs");
  figures::FigureOptions options{tables.quick,    tables.device, arguments.out,    /*data=*/"",
                                 tables.data_dir, tables.jobs,   tables.precision, arguments.autoencoders};
  require(tables.data.size() <= 1, "--data: got ", tables.data.size(), " sets, expected one for ", name);
  if (!tables.data.empty()) options.data = tables.data.front();
  require(options.data.empty() || options.data == "mnist" || options.data == "fashion" || options.data == "glyphs",
          "--data: got \"", options.data, "\", expected mnist, fashion or glyphs for ", name);
  reproduce_figure(name, options);
}

void reproduce(ReproduceArguments arguments) {
  if (arguments.name.empty()) return print_list();
  arguments.tables.options.out = arguments.out;
  if (arguments.name != "all") return reproduce_one(arguments.name, arguments);
  // One that cannot be done (its data is missing) does not keep the others from being done.
  std::vector<std::string> undone;
  for (const auto& [name, what] : all_names()) {
    try {
      reproduce_one(name, arguments);
    } catch (const Error& error) {
      print_message(error.what());
      undone.push_back(name);
    }
  }
  require(undone.empty(), "reproduce all: could not complete ", joined(undone), "; the reasons are above");
}

void add_autoencoder_options(CLI::App& command, figures::AutoEncoderTraining& training) {
  const char* const group = "Auto-encoders (Figures 4 and 5)";
  const auto add = [&](const char* flag, auto& value, const char* help) {
    return command.add_option(flag, value, help)->group(group);
  };
  add("--optimizer", training.optimizer, "adam unless given")->check(CLI::IsMember({"adam", "adamw", "sgd"}));
  add("--learning-rate", training.learning_rate, "0.001, of sgd 0.01, unless given")->check(in_range(1e-9, 1e3));
  add("--momentum", training.momentum, "Nesterov momentum of sgd; 0.9 unless given")->check(in_range(0, 0.9999));
  add("--seeds", training.seeds, "Trainings of each, of which the best is shown")->check(CLI::Range(1, 100));
  add("--test-images", training.test_images, "Test images; 0 for all")->check(CLI::Range(0, 50000));
}

}  // namespace

void add_reproduce(CLI::App& app) {
  auto* command =
      app.add_subcommand("reproduce", "Computes a figure or table of the paper anew; lists them without a name");
  auto arguments = std::make_shared<ReproduceArguments>();
  auto& options = arguments->tables.options;
  std::vector<std::string> names;
  for (const auto& [name, what] : all_names()) names.push_back(name);
  names.emplace_back("all");
  command->add_option("experiment", arguments->name, "Which")->check(CLI::IsMember(names));
  command->add_flag("--quick", options.quick, "Small sizes: to see that it works, in tens of seconds");
  command->add_option("--out", arguments->out, "Folder of figures, numbers and results")
      ->type_name("FOLDER")
      ->capture_default_str();
  add_run_option(*command, "device", options.device);
  command->add_option("--data", options.data, "Data sets instead of the experiment's own")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_run_option(*command, "data_dir", options.data_dir).type_name("FOLDER");
  add_table_options(*command, arguments->tables);
  add_autoencoder_options(*command, arguments->autoencoders);
  command->callback([arguments] { reproduce(*arguments); });
}

}  // namespace scdcf::app
