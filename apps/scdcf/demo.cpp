#include <CLI/CLI.hpp>
#include <memory>

#include "commands.h"
#include "in_range.h"
#include "interrupt.h"
#include "run_options.h"
#include "scdcf/core/format.h"
#include "scdcf/demo/demo.h"
#include "scdcf/demo/folder.h"
#include "scdcf/files/atomic_file.h"
#include "scdcf/terminal/shell_word.h"
#include "scdcf/terminal/status_line.h"
#include "step_text.h"

namespace scdcf::app {
namespace {

struct DemoArguments {
  std::string out = "out/demo", data;
  int64_t train_size = 0, epochs = 0;
  bool quick = false;
};

demo::DemoOptions options_of(const DemoArguments& arguments) {
  auto options = arguments.quick ? demo::DemoOptions::quick() : demo::DemoOptions::standard();
  options.out = arguments.out;
  if (!arguments.data.empty()) options.data.name = arguments.data;
  if (arguments.train_size > 0) options.data.train_size = arguments.train_size;
  if (arguments.epochs > 0) options.epochs = arguments.epochs;
  options.command = "scdcf demo --data " + options.data.name +
                    format(" --train-size %lld --epochs %lld", static_cast<long long>(options.data.train_size),
                           static_cast<long long>(options.epochs)) +
                    (arguments.quick ? " --quick" : "") + " --out " + terminal::shell_word(arguments.out);
  return options;
}

void demo(const DemoArguments& arguments) {
  const auto options = options_of(arguments);
  const InterruptScope interrupt;
  terminal::StatusLine line;
  demo::DemoProgress progress;
  progress.say = [&](const std::string& text) { line.print(text); };
  progress.on_step = [&](const std::string& network, const train::StepProgress& p) {
    line.update(network + "  " + step_text(p) + left_text(p) + (p.seconds_left < 0 ? "" : " for this network"));
  };
  progress.on_epoch = [&](const std::string& network, const train::EpochRecord& r) {
    line.print(format("%-11s  epoch %2lld/%lld  training %5.1f%%  validation %5.1f%%  %.1f s", network.c_str(),
                      static_cast<long long>(r.epoch), static_cast<long long>(options.epochs), 100 * r.train_accuracy,
                      100 * r.validation_accuracy.value_or(0), r.seconds));
  };
  progress.on_run = [](const std::filesystem::path& folder, const train::RunConfig& config) {
    files::write_file_atomically(folder / "config.toml", to_toml(config));
  };
  demo::run_demo(options, progress);
  line.print("");
  line.print("The page:  " + std::filesystem::absolute(options.out / "report.html").lexically_normal().string());
  const auto explorer = options.out / demo::kExplorerPage;
  if (std::filesystem::exists(explorer))
    line.print("Try it out:  " + std::filesystem::absolute(explorer).lexically_normal().string());
  else
    line.print("To try it out in a browser:  make pages-deps && scdcf explore " +
               terminal::shell_word((options.out / demo::demo_runs()[0]).string()) + " --beside " +
               terminal::shell_word((options.out / demo::demo_runs()[1]).string()) + " --out " +
               terminal::shell_word(explorer.string()));
  line.print("The networks stay in " + arguments.out + ". Try:  scdcf predict " +
             terminal::shell_word((options.out / "scdcfnet-full").string()) + " " +
             terminal::shell_word((options.out / "pictures/01.png").string()));
}

}  // namespace

void add_demo(CLI::App& app) {
  auto* command = app.add_subcommand(
      "demo",
      "Trains three networks on objects of one size for minutes, and shows on a page what they know at all sizes");
  auto arguments = std::make_shared<DemoArguments>();
  command->add_option("--out", arguments->out, "Folder for the page and the runs; an earlier demo there is replaced")
      ->type_name("FOLDER")
      ->capture_default_str();
  command->add_option("--data", arguments->data,
                      "sfashion, smnist or sglyphs; without it sfashion where Fashion-MNIST is found, else sglyphs");
  command->add_option("--train-size", arguments->train_size, "Training images; 0 for 2,000")->check(in_range(0, 1e6));
  command->add_option("--epochs", arguments->epochs, "Passes over the training images; 0 for as many as fit in minutes")
      ->check(in_range(0, 1e6));
  command->add_flag("--quick", arguments->quick, "Tiny networks, hardly trained: seconds, to see that all works");
  command->callback([arguments] { demo(*arguments); });
}

}  // namespace scdcf::app
