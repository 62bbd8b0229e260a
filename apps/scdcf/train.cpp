#include <CLI/CLI.hpp>
#include <memory>

#include "commands.h"
#include "config_file.h"
#include "in_range.h"
#include "interrupt.h"
#include "number_list.h"
#include "run_options.h"
#include "scdcf/core/error.h"
#include "scdcf/core/format.h"
#include "scdcf/files/atomic_file.h"
#include "scdcf/runs/run_folder.h"
#include "scdcf/terminal/clock_text.h"
#include "scdcf/terminal/status_line.h"
#include "scdcf/train/jobs.h"

namespace scdcf::app {
namespace {

namespace fs = std::filesystem;

struct TrainArguments {
  train::RunConfig config;
  std::string out, realisations, config_file;
  bool resume = false;
  bool only_resumes = false;  // nothing but the folder says what to train
  int jobs = 1;
  double checkpoint_seconds = 30;
};

/// The single --realisation where --realisations was not given.
std::vector<int> realisations_of(const TrainArguments& arguments) {
  if (arguments.realisations.empty()) return {arguments.config.data.realisation};
  return parse_number_list("--realisations", arguments.realisations);
}

/// What to train and where to.
struct Run {
  train::RunConfig config;
  fs::path folder;
  std::string prefix;  ///< of its lines
};

/// True where it came to its end.
bool train_one(const TrainArguments& arguments, const Run& run, terminal::StatusLine& line) {
  auto config = run.config;
  const auto& folder = run.folder;
  const auto& prefix = run.prefix;
  train::check(config.train);  // before the data is loaded, which takes longer
  const auto splits = data::load(config.data);
  double train_loss = 0, accuracy = 0;
  train::TrainCallbacks callbacks;
  callbacks.on_start = [&](const train::RunConfig& fitted) {
    config = fitted;
    if (!folder.empty()) {
      runs::prepare_run_folder(folder, config, arguments.resume);
      files::write_file_atomically(folder / "config.toml", to_toml(config));
    }
    line.print(prefix + format("%s: %lld training, %lld validation and %lld test images, checksum %s",
                               splits.name.c_str(), static_cast<long long>(splits.train.count()),
                               static_cast<long long>(splits.validation.count()),
                               static_cast<long long>(splits.test.count()), data::checksum(splits).c_str()));
  };
  callbacks.on_step = [&](const train::StepProgress& p) {
    line.update(prefix + format("epoch %lld/%lld  step %lld/%lld  %.0f images/s  loss %.4f  validation %.2f%%  %s left",
                                static_cast<long long>(p.epoch), static_cast<long long>(p.epochs),
                                static_cast<long long>(p.step), static_cast<long long>(p.steps), p.images_per_second,
                                train_loss, 100 * accuracy, terminal::clock_text(p.seconds_left).c_str()));
  };
  callbacks.on_epoch = [&](const train::EpochRecord& r) {
    train_loss = r.train_loss;
    accuracy = r.validation_accuracy;
    line.print(prefix +
               format("epoch %3lld  rate %-7.2g loss %.4f  training %6.2f%%  validation %6.2f%%  %.0f images/s",
                      static_cast<long long>(r.epoch), r.learning_rate, r.train_loss, 100 * r.train_accuracy,
                      100 * r.validation_accuracy, r.images_per_second));
  };
  callbacks.on_note = [&](const std::string& note) { line.print(prefix + note); };
  callbacks.stop = InterruptScope::requested;
  train::TrainFolder where{folder, arguments.resume, arguments.checkpoint_seconds};
  const auto result = train::train(config, splits, where, callbacks);
  if (!result.finished) return false;
  line.print(prefix + format("test accuracy %.2f%% of %lld images (epoch %lld, validation %.2f%%), trained in %s",
                             100 * result.test.accuracy, static_cast<long long>(splits.test.count()),
                             static_cast<long long>(result.best_epoch), 100 * result.best_validation,
                             terminal::clock_text(result.seconds).c_str()));
  if (!folder.empty()) {
    const auto missing = runs::write_result(folder, config, result);
    if (!missing.empty()) line.print(prefix + "curves: " + missing);
    line.print(prefix + "model.pt, result.json and metrics.jsonl are in " + folder.string());
  }
  return true;
}

/// One for each realisation, in a folder of its own where there are several. Where the folders alone say what to train,
/// those that were not begun when training stopped are as the first.
std::vector<Run> runs_of(const TrainArguments& arguments) {
  std::vector<Run> all;
  const bool alone = arguments.realisations.empty();
  for (const int number : realisations_of(arguments)) {
    Run run{arguments.config, arguments.out, alone ? "" : format("[%d] ", number)};
    if (!alone && !run.folder.empty()) run.folder /= "realisation-" + std::to_string(number);
    if (arguments.only_resumes)
      run.config = all.empty() || fs::exists(run.folder) ? runs::read_run_config(run.folder) : all.front().config;
    if (!alone || !arguments.only_resumes) run.config.data.realisation = number;
    train::check_jobs(arguments.jobs, run.config.train.device);
    all.push_back(std::move(run));
  }
  return all;
}

void train_all(const TrainArguments& arguments) {
  const auto all = runs_of(arguments);
  const InterruptScope interrupt;
  terminal::StatusLine line;
  const auto make = [&](std::int64_t i) { return train_one(arguments, all[static_cast<size_t>(i)], line); };
  if (train::make_runs(static_cast<std::int64_t>(all.size()), arguments.jobs, InterruptScope::requested, make)) return;
  const auto which = arguments.realisations.empty() ? "" : " --realisations " + arguments.realisations;
  line.print(arguments.out.empty()
                 ? "stopped; nothing was saved, because there was no --out"
                 : "stopped and saved; go on with: scdcf train --out " + arguments.out + which + " --resume");
  throw CLI::RuntimeError(kStopped);
}

}  // namespace

void add_train(CLI::App& app) {
  auto arguments = std::make_shared<TrainArguments>();
  auto* command = app.add_subcommand("train", "Trains a network and keeps the best epoch");
  add_run_options(*command, arguments->config);
  command->add_option("--realisations", arguments->realisations, "Several, such as 0-4, each into a folder of its own")
      ->group("Run");
  command->add_option("--jobs", arguments->jobs, "Realisations at a time, sharing a GPU")
      ->check(CLI::Range(1, 256))
      ->group("Run")
      ->capture_default_str();
  command->add_option("--out", arguments->out, "Folder of the run")->group("Run");
  command->add_flag("--resume", arguments->resume, "Go on with the run in --out")->group("Run");
  command
      ->add_option("--checkpoint-seconds", arguments->checkpoint_seconds,
                   "Save at the end of an epoch when the last checkpoint is older than this")
      ->check(in_range(0, 1e9))
      ->group("Run")
      ->capture_default_str();
  command->add_option("--config", arguments->config_file, "Read options from a TOML file; the command line wins")
      ->group("Run");
  command->footer(
      "Examples:\n"
      "  scdcf train --model scdcfnet --data smnist --train-size 5000 --out runs/a\n"
      "  scdcf train --out runs/a --resume\n"
      "  scdcf train --config runs/a/config.toml --seed 1 --out runs/b");
  command->callback([arguments, command] {
    require(!arguments->resume || !arguments->out.empty(), "--resume: needs --out, the folder of the run");
    if (!arguments->config_file.empty()) apply_config_file(*command, arguments->config_file);
    arguments->only_resumes = arguments->resume && !has_run_options(*command);
    train_all(*arguments);
  });
}

}  // namespace scdcf::app
