#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <sstream>
#include <thread>

#include "commands.h"
#include "config_file.h"
#include "interrupt.h"
#include "number_list.h"
#include "run_options.h"
#include "scdcf/core/error.h"
#include "scdcf/files/atomic_file.h"
#include "scdcf/runs/run_folder.h"
#include "scdcf/terminal/clock_text.h"
#include "scdcf/terminal/status_line.h"

namespace scdcf::app {
namespace {

namespace fs = std::filesystem;

struct TrainArguments {
  train::RunConfig config;
  std::string out, realisations, config_file;
  bool resume = false;
  bool only_resumes = false;  // nothing but the folder says what to train
  double checkpoint_seconds = 30;
};

template <class... Parts>
std::string text(const char* format, Parts... parts) {
  char buffer[256];
  std::snprintf(buffer, sizeof buffer, format, parts...);
  return buffer;
}

/// The single --realisation where --realisations was not given.
std::vector<int> realisations_of(const TrainArguments& arguments) {
  if (arguments.realisations.empty()) return {arguments.config.data.realisation};
  return parse_number_list("--realisations", arguments.realisations);
}

/// Trains one realisation; true where it came to its end.
bool train_one(const TrainArguments& arguments, train::RunConfig config, const fs::path& folder,
               const std::string& prefix, terminal::StatusLine& line) {
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
    line.print(prefix + text("%s: %lld training, %lld validation and %lld test images, checksum %s",
                             splits.name.c_str(), static_cast<long long>(splits.train.count()),
                             static_cast<long long>(splits.validation.count()),
                             static_cast<long long>(splits.test.count()), data::checksum(splits).c_str()));
  };
  callbacks.on_step = [&](const train::StepProgress& p) {
    line.update(prefix + text("epoch %lld/%lld  step %lld/%lld  %.0f images/s  loss %.4f  validation %.2f%%  %s left",
                              static_cast<long long>(p.epoch), static_cast<long long>(p.epochs),
                              static_cast<long long>(p.step), static_cast<long long>(p.steps), p.images_per_second,
                              train_loss, 100 * accuracy, terminal::clock_text(p.seconds_left).c_str()));
  };
  callbacks.on_epoch = [&](const train::EpochRecord& r) {
    train_loss = r.train_loss;
    accuracy = r.validation_accuracy;
    line.print(prefix + text("epoch %3lld  rate %-7.2g loss %.4f  training %6.2f%%  validation %6.2f%%  %.0f images/s",
                             static_cast<long long>(r.epoch), r.learning_rate, r.train_loss, 100 * r.train_accuracy,
                             100 * r.validation_accuracy, r.images_per_second));
  };
  callbacks.on_note = [&](const std::string& note) { line.print(prefix + note); };
  callbacks.stop = InterruptScope::requested;
  train::TrainFolder where{folder, arguments.resume, arguments.checkpoint_seconds};
  const auto result = train::train(config, splits, where, callbacks);
  if (!result.finished) return false;
  line.print(prefix + text("test accuracy %.2f%% of %lld images (epoch %lld, validation %.2f%%), trained in %s",
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

/// Several realisations at once: each has its thread and, on a GPU, its stream.
void train_all(const TrainArguments& arguments) {
  const auto numbers = realisations_of(arguments);
  const InterruptScope interrupt;
  terminal::StatusLine line;
  std::vector<std::thread> threads;
  std::vector<std::exception_ptr> failures(numbers.size());
  std::vector<char> finished(numbers.size(), 0);
  const auto work = [&](size_t i) {
    try {
      const bool alone = arguments.realisations.empty();
      fs::path folder = arguments.out;
      if (!alone && !folder.empty()) folder /= "realisation-" + std::to_string(numbers[i]);
      auto config = arguments.only_resumes ? runs::read_run_config(folder) : arguments.config;
      if (!alone || !arguments.only_resumes) config.data.realisation = numbers[i];
      finished[i] = train_one(arguments, config, folder, alone ? "" : text("[%d] ", numbers[i]), line);
    } catch (...) {
      failures[i] = std::current_exception();
    }
  };
  const bool share = arguments.config.train.device != "cpu";  // on the CPU one run uses every core already
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (share) {
      threads.emplace_back(work, i);
    } else if (!InterruptScope::requested()) {
      work(i);
      if (failures[i]) break;
    }
  }
  for (auto& thread : threads) thread.join();
  for (const auto& failure : failures)
    if (failure) std::rethrow_exception(failure);
  if (std::find(finished.begin(), finished.end(), 0) == finished.end()) return;
  const auto which = arguments.realisations.empty() ? "" : " --realisations " + arguments.realisations;
  line.print(arguments.out.empty()
                 ? "stopped; nothing was saved, because there was no --out"
                 : "stopped and saved; go on with: scdcf train --out " + arguments.out + which + " --resume");
  throw CLI::RuntimeError(kStopped);
}

/// Whether an option of the command line or the file says what to train, on what or how.
bool says_what_to_train(const CLI::App& command) {
  const auto options = command.get_options([](const CLI::Option* option) {
    const auto& group = option->get_group();
    return option->count() > 0 && (group == "Network" || group == "Data" || group == "Training");
  });
  return !options.empty();
}

}  // namespace

void add_train(CLI::App& app) {
  auto arguments = std::make_shared<TrainArguments>();
  auto* command = app.add_subcommand("train", "Trains a network and keeps the best epoch");
  add_model_options(*command, arguments->config.model);
  add_data_options(*command, arguments->config.data);
  add_training_options(*command, arguments->config.train);
  command
      ->add_option("--realisations", arguments->realisations,
                   "Several, such as 0-4, each into a folder of its own; at once where they share a GPU")
      ->group("Run");
  command->add_option("--out", arguments->out, "Folder of the run")->group("Run");
  command->add_flag("--resume", arguments->resume, "Go on with the run in --out")->group("Run");
  command
      ->add_option("--checkpoint-seconds", arguments->checkpoint_seconds,
                   "Save at the end of an epoch when the last checkpoint is older than this")
      ->check(CLI::NonNegativeNumber)
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
    arguments->only_resumes = arguments->resume && !says_what_to_train(*command);
    train_all(*arguments);
  });
}

}  // namespace scdcf::app
