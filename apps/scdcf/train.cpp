#include <CLI/CLI.hpp>
#include <memory>
#include <mutex>

#include "commands.h"
#include "config_file.h"
#include "in_range.h"
#include "interrupt.h"
#include "number_list.h"
#include "ranks.h"
#include "run_options.h"
#include "scdcf/bench/training_time.h"
#include "scdcf/core/error.h"
#include "scdcf/core/format.h"
#include "scdcf/distributed/launch.h"
#include "scdcf/files/atomic_file.h"
#include "scdcf/runs/run_folder.h"
#include "scdcf/terminal/clock_text.h"
#include "scdcf/terminal/shell_word.h"
#include "scdcf/terminal/status_line.h"
#include "scdcf/train/jobs.h"
#include "scdcf/train/recipe.h"
#include "step_text.h"

namespace scdcf::app {
namespace {

namespace fs = std::filesystem;

struct TrainArguments {
  train::RunConfig config;
  std::string out, realisations, config_file;
  bool resume = false;
  int jobs = 1;
  double checkpoint_seconds = 30;
  RankOptions ranks;
};

/// The single --realisation where --realisations was not given.
std::vector<int> realisations_of(const TrainArguments& arguments) {
  if (arguments.realisations.empty()) return {arguments.config.data.realisation};
  return parse_number_list("--realisations", arguments.realisations);
}

/// Sets the size of images that have several sizes, or are oblong, where no --size is given: at most their median
/// shorter side, and what trains in about ten minutes on this machine. Returns what to print, nothing for other data.
std::string choose_image_size(train::RunConfig& config) {
  constexpr double kMostSeconds = 600;
  if (config.data.size > 0) return "";
  const auto outline = data::outline_of(config.data);
  if (outline.side == 0) return "";
  const auto [side, seconds] = bench::affordable_side(
      outline.side, kMostSeconds, [&](int tried) { return bench::training_seconds(config, outline.train, tried); });
  config.data.size = side;
  return format(
      "image size %d x %d (median shorter side: %d): about %s of training on this machine; --size sets "
      "another, --fit %s how images become square",
      side, side, outline.side, terminal::clock_text(seconds).c_str(), config.data.fit.c_str());
}

/// What to train and where to.
struct Run {
  train::RunConfig config;
  fs::path folder;
  std::string prefix;  ///< of its lines
  std::string note;    ///< how the size of its images was chosen
};

/// One for each realisation, in a folder of its own where there are several. One that was begun has the options that it
/// was begun with, and those that were given now.
std::vector<Run> runs_of(const TrainArguments& arguments, const CLI::App& command) {
  std::vector<Run> all;
  const bool alone = arguments.realisations.empty();
  for (const int number : realisations_of(arguments)) {
    Run run{arguments.config, arguments.out, alone ? "" : format("[%d] ", number), ""};
    if (!alone && !run.folder.empty()) run.folder /= "realisation-" + std::to_string(number);
    const bool begun = !run.folder.empty() && runs::is_run_folder(run.folder);
    if (begun || (arguments.resume && !has_run_options(command)))
      run.config = as_begun(command, arguments.config, runs::read_run_config(run.folder));
    else
      run.config = with_given_options(command, arguments.config, train::with_recipe(arguments.config));
    if (!alone) run.config.data.realisation = number;
    train::check_jobs(arguments.jobs, run.config.train.device);
    if (!run.folder.empty()) runs::check_run_folder(run.folder, run.config, arguments.resume);
    if (all.empty())
      run.note = choose_image_size(run.config);
    else
      run.config.data.size = all.front().config.data.size;
    all.push_back(std::move(run));
  }
  return all;
}

/// The runs of rank 0, for every rank: the folder of a run, which says what it was begun with, is rank 0's. The folder
/// of the data is each rank's own.
std::vector<Run> runs_of_group(const TrainArguments& arguments, const CLI::App& command, distributed::Group& group) {
  require(arguments.jobs == 1, "jobs: got ", arguments.jobs, ", expected 1 where several processes make each run");
  nlohmann::ordered_json told = nlohmann::ordered_json::array();
  if (group.is_first())
    for (const auto& run : runs_of(arguments, command))
      told.push_back({{"config", train::to_json(run.config)},
                      {"folder", run.folder.string()},
                      {"prefix", run.prefix},
                      {"note", run.note}});
  std::vector<Run> all;
  for (const auto& run : nlohmann::json::parse(group.from_first("runs", told.dump()))) {
    all.push_back({train::config_from_json(run.at("config")), run.at("folder").get<std::string>(), run.at("prefix"),
                   run.at("note")});
    if (command.get_option("--data-dir")->count() > 0) all.back().config.data.data_dir = arguments.config.data.data_dir;
  }
  return all;
}

/// All runs of one call.
class Training {
 public:
  /// Rank 0 of a group, if there is one, writes and tells; the others compute.
  Training(const TrainArguments& arguments, std::vector<Run> runs, distributed::Group* group)
      : arguments_(arguments), runs_(std::move(runs)), group_(group) {
    if (is_first())
      line_.emplace();
    else
      line_.emplace(nowhere_, /*terminal=*/false);
  }

  /// True where all came to their end.
  bool make() {
    const auto count = static_cast<std::int64_t>(runs_.size());
    return train::make_runs(count, arguments_.jobs, InterruptScope::requested,
                            [&](std::int64_t i) { return train_one(runs_[static_cast<size_t>(i)]); });
  }

  /// `go_on` is the command that resumes.
  void say_stopped(const std::string& go_on) {
    line_->print(arguments_.out.empty() ? "stopped; nothing was saved, because there was no --out"
                 : folders_.empty()     ? "stopped before the first step"
                                        : "stopped and saved; go on with: " + go_on);
  }

 private:
  bool is_first() const { return group_ == nullptr || group_->is_first(); }

  /// Before the first step of all: whenever it is stopped, each run can be resumed.
  void make_folders(const train::RunConfig& fitted) {
    if (!arguments_.out.empty()) InterruptScope::defer();
    if (!is_first()) return;
    if (arguments_.out.empty()) return line_->print("there is no --out: nothing of this training will be kept");
    for (const auto& run : runs_) {
      auto config = run.config;
      if (!runs::is_run_folder(run.folder)) config.model = fitted.model;
      folders_.push_back(runs::prepare_run_folder(run.folder, config, arguments_.resume));
      if (const auto toml = run.folder / "config.toml"; !fs::exists(toml))
        files::write_file_atomically(toml, to_toml(config));
    }
  }

  bool train_one(const Run& run) {
    train::check(run.config.train);  // before the data is loaded, which takes longer
    const auto splits = data::load(run.config.data);
    train::TrainCallbacks callbacks;
    callbacks.on_start = [&](const train::RunConfig& fitted) {
      std::call_once(begun_, [&] { make_folders(fitted); });
      line_->print(run.prefix + format("%s: %lld training, %lld validation and %lld test images, checksum %s",
                                       splits.name.c_str(), static_cast<long long>(splits.train.count()),
                                       static_cast<long long>(splits.validation.count()),
                                       static_cast<long long>(splits.test.count()), data::checksum(splits).c_str()));
      for (const auto& note : {splits.note, run.note})
        if (!note.empty()) line_->print(run.prefix + note);
    };
    std::string last_epoch;
    bool told = run.config.train.device != "cpu" || arguments_.resume;  // a resumed run keeps its options
    callbacks.on_step = [&](const train::StepProgress& p) {
      const auto long_run = told ? "" : long_run_text(p);
      told = told || !long_run.empty();
      if (!long_run.empty()) line_->print(run.prefix + long_run);
      line_->update(run.prefix + step_text(p) + last_epoch + left_text(p));
    };
    callbacks.on_epoch = [&](const train::EpochRecord& r) {
      const auto validation = [&](const char* text) {
        return r.validation_accuracy ? format(text, 100 * *r.validation_accuracy) : std::string();
      };
      last_epoch = format("  loss %.4f", r.train_loss) + validation("  validation %.2f%%");
      line_->print(run.prefix +
                   format("epoch %3lld  rate %-7.2g loss %.4f  training %6.2f%%", static_cast<long long>(r.epoch),
                          r.learning_rate, r.train_loss, 100 * r.train_accuracy) +
                   validation("  validation %6.2f%%") + format("  %.0f images/s", r.images_per_second));
    };
    callbacks.on_note = [&](const std::string& note) { line_->print(run.prefix + note); };
    callbacks.stop = InterruptScope::requested;
    const auto result = train::train(run.config, splits, {run.folder, arguments_.resume, arguments_.checkpoint_seconds},
                                     callbacks, group_);
    if (!result.finished) return false;
    line_->print(run.prefix +
                 format("test accuracy %.2f%% of %lld images (epoch %lld", 100 * result.test.accuracy,
                        static_cast<long long>(splits.test.count()), static_cast<long long>(result.best_epoch)) +
                 (splits.validation.count() > 0 ? format(", validation %.2f%%", 100 * result.best_validation) : "") +
                 "), trained in " + terminal::clock_text(result.seconds));
    if (run.folder.empty() || !is_first()) return true;
    const auto missing = runs::write_result(run.folder, train::fit_to_data(run.config, splits), result);
    if (!missing.empty()) line_->print(run.prefix + "curves: " + missing);
    line_->print(run.prefix + train::kModelFile + ", result.json and metrics.jsonl are in " + run.folder.string());
    return true;
  }

  const TrainArguments& arguments_;
  std::vector<Run> runs_;
  distributed::Group* group_;
  std::once_flag begun_;
  std::vector<files::FolderLock> folders_;  // once begun
  std::ostream nowhere_{nullptr};
  std::optional<terminal::StatusLine> line_;
};

/// What resumes this call: the folders say the rest.
std::string resume_command(const TrainArguments& arguments, const CLI::App& command) {
  std::string text = "scdcf train --out " + terminal::shell_word(arguments.out);
  for (const char* flag :
       {"--realisations", "--jobs", "--checkpoint-seconds", "--processes", "--rank-timeout", "--threads", "--memory"}) {
    const auto* option = command.get_option_no_throw(flag);
    if (option == nullptr) option = command.get_parent()->get_option(flag);  // the last two are every command's
    if (option->count() > 0) text += std::string(" ") + flag + " " + option->as<std::string>();
  }
  return text + " --resume";
}

/// The newest checkpoint of all runs, and how to go on from it.
std::string advice_after_loss(const TrainArguments& arguments, const CLI::App& command) {
  if (arguments.out.empty()) return "nothing was saved, because there was no --out";
  fs::path newest;
  std::error_code missing;
  for (fs::recursive_directory_iterator entry(arguments.out, missing), end; entry != end; entry.increment(missing)) {
    const auto& file = entry->path();
    if (file.extension() != train::kModelExtension || file.filename().string().rfind("step-", 0) != 0) continue;
    if (newest.empty() || fs::last_write_time(file, missing) > fs::last_write_time(newest, missing)) newest = file;
  }
  return (newest.empty() ? "no checkpoint yet" : "last checkpoint: " + newest.string()) +
         "; go on with: " + resume_command(arguments, command);
}

void train_all(const TrainArguments& arguments, const CLI::App& command) {
  const auto advice = [&] { return advice_after_loss(arguments, command); };
  if (starts_ranks(arguments.ranks)) return run_ranks(arguments.ranks, advice);
  const InterruptScope interrupt;
  const distributed::Pulse pulse;  // until the group has been left
  const auto group = join_ranks(arguments.ranks, command, arguments.config.train.device, advice);
  as_rank(group.get(), [&] {
    Training training(arguments,
                      group == nullptr ? runs_of(arguments, command) : runs_of_group(arguments, command, *group),
                      group.get());
    if (training.make()) return;
    training.say_stopped(resume_command(arguments, command));
    throw CLI::RuntimeError(kStopped);
  });
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
  add_rank_options(*command, arguments->ranks);
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
    train_all(*arguments, *command);
  });
}

}  // namespace scdcf::app
