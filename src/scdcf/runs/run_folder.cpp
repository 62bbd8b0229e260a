#include "scdcf/runs/run_folder.h"

#include "scdcf/core/error.h"
#include "scdcf/data/datasets.h"
#include "scdcf/files/atomic_file.h"
#include "scdcf/files/json.h"
#include "scdcf/files/make_folder.h"
#include "scdcf/models/registry.h"
#include "scdcf/report/plot.h"

namespace scdcf::runs {
namespace {

namespace fs = std::filesystem;

/// The weights to use and what was saved with them.
train::Checkpoint best_of(const fs::path& run) {
  std::error_code unreadable;
  if (fs::is_regular_file(run, unreadable)) return train::load_checkpoint(run);
  require(fs::is_directory(run, unreadable), run.string(),
          ": is missing, expected the folder of a run or a model file");
  if (const auto model = run / train::kModelFile; fs::exists(model, unreadable)) return train::load_checkpoint(model);
  auto found = train::CheckpointFolder(run / "checkpoints").newest();
  const nlohmann::json::json_pointer epochs("/progress/epoch");
  const bool whole_epoch =
      found.has_value() && found->checkpoint.about.contains(epochs) && found->checkpoint.about.at(epochs) > 0;
  require(whole_epoch, run.string(), ": has no weights yet, expected ", train::kModelFile,
          " or a checkpoint of a whole epoch");
  auto& tensors = found->checkpoint.tensors;
  if (!tensors["best_weights"].empty()) tensors["weights"] = tensors["best_weights"];  // teachers are not validated
  return found->checkpoint;
}

bool is_unfinished(const std::string& name) { return !files::name_of_temporary(name).empty() && is_run_file(name); }

/// Where there is no run, what would be in the way of one: files of its names or, for a tidy folder, any.
void check_contents(const fs::path& folder, const train::RunConfig& config, bool resume, bool tidy) {
  if (is_run_folder(folder)) {
    train::require_same_options(config, read_run_config(folder), "the run in " + folder.string() + " was started with",
                                "resume it with that, or choose another folder");
    require(resume, "resume: not given, but ", folder.string(),
            " holds a run already: give it, or choose another folder");
    return;
  }
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    const auto name = entry.path().filename().string();
    const bool in_the_way = tidy || name == "checkpoints" || name == "teachers" || is_run_file(name);
    require(!in_the_way || name == files::FolderLock::kFile || is_unfinished(name), folder.string(), ": holds ", name,
            ", but no run: expected a new or an empty folder");
  }
}

void remove_unfinished(const fs::path& folder) {
  std::error_code failed;
  std::vector<fs::path> unfinished;
  for (const auto& entry : fs::directory_iterator(folder, failed))
    if (is_unfinished(entry.path().filename().string())) unfinished.push_back(entry.path());
  for (const auto& file : unfinished) fs::remove(file, failed);
}

}  // namespace

bool is_run_file(const std::string& name) {
  const auto temporary = files::name_of_temporary(name);
  if (!temporary.empty()) return is_run_file(temporary);
  if (name.rfind("step-", 0) == 0) return true;
  for (const char* own : {"config.json", "config.toml", "metrics.jsonl", train::kModelFile, "result.json", "curves.dat",
                          "curves.gp", "curves.png", "curves.svg", files::FolderLock::kFile})
    if (name == own) return true;
  return false;
}

bool is_run_folder(const fs::path& folder) {
  std::error_code unreadable;
  return fs::exists(folder / "config.json", unreadable);
}

void check_run_folder(const fs::path& folder, const train::RunConfig& config, bool resume) {
  files::FolderLock::require_free(folder);
  check_contents(folder, config, resume, /*tidy=*/true);
}

files::FolderLock prepare_run_folder(const fs::path& folder, const train::RunConfig& config, bool resume) {
  files::make_folder(folder);
  files::FolderLock lock(folder);
  check_contents(folder, config, resume, /*tidy=*/false);
  for (const auto& place : {folder, folder / "checkpoints"}) remove_unfinished(place);
  if (!is_run_folder(folder))
    files::write_file_atomically(folder / "config.json", train::to_json(config).dump(2) + "\n");
  return lock;
}

train::RunConfig read_run_config(const fs::path& folder) {
  try {
    return train::config_from_json(files::read_json_file(folder / "config.json"));
  } catch (const Error& error) {
    detail::fail(folder.string(), ": is not the folder of a run: ", error.what());
  }
}

std::string write_result(const fs::path& folder, const train::RunConfig& config, const train::TrainResult& result) {
  nlohmann::ordered_json json;
  json["config"] = train::to_json(config);
  json["data_checksum"] = result.data_checksum;
  json["best_epoch"] = result.best_epoch;
  json["best_validation"] = result.best_validation;
  json["seconds"] = result.seconds;
  json["test"] = train::to_json(result.test);
  files::write_file_atomically(folder / "result.json", json.dump(2) + "\n");

  report::Plot plot{config.model.name + " on " + config.data.name, "epoch", "accuracy (%)"};
  report::Series train{"training", {}, {}}, validation{"validation", {}, {}};
  for (const auto& record : result.history) {
    train.add(static_cast<double>(record.epoch), 100 * record.train_accuracy);
    if (record.validation_accuracy)
      validation.add(static_cast<double>(record.epoch), 100 * *record.validation_accuracy);
  }
  plot.series = {train};
  if (!validation.x.empty()) plot.series.push_back(validation);
  return report::write_plot(plot, folder, "curves");
}

namespace {

void set_range(models::ModelOptions& options, const RangeOfSizes& range) {
  if (range.smaller == 0 && range.larger == 0) return;
  require(models::find_model(options.name).fits_objects, range.smaller > 0 ? "smaller" : "larger", ": model ",
          options.name, " has no range of sizes that could be changed");
  if (range.smaller > 0) options.smaller = range.smaller;
  if (range.larger > 0) options.larger = range.larger;
}

/// A model has no progress: its training is finished.
std::string unfinished_text(const fs::path& run, const train::Checkpoint& checkpoint, int64_t epochs) {
  if (!checkpoint.about.contains("progress")) return "";
  const auto& progress = checkpoint.about.at("progress");
  const auto done = progress.at("epoch").get<int64_t>(), best = progress.at("best_epoch").get<int64_t>();
  if (done >= epochs) return "";
  const bool uses_best = best > 0 && !fs::is_regular_file(run);  // teachers have none, a file is taken as it is
  return run.string() + ": training is not finished: " +
         (uses_best ? "best epoch so far, " + std::to_string(best) : std::to_string(done) + " epochs done") + " of " +
         std::to_string(epochs);
}

/// A network that was put together and trained in Python says what it is, not what the program would have to do to get
/// it: then it has no data of its own.
nlohmann::json with_training(nlohmann::json config) {
  if (!config.is_object() || config.contains("data") || config.contains("train")) return config;
  train::RunConfig open;
  open.data.name.clear();
  const nlohmann::json rest = train::to_json(open);
  for (const char* section : {"data", "train"}) config[section] = rest.at(section);
  return config;
}

}  // namespace

pixels::InputFormat TrainedModel::input_format() const {
  const auto& options = config.model;
  return {static_cast<int>(options.image_size), static_cast<int>(options.in_channels), pixels::fit_of(config.data.fit),
          data::ground_of(config.data.name)};
}

bool TrainedModel::knows_sizes() const {
  // Without boxes a plan takes the whole image for the object.
  return calibration.has_value() || config.model.smallest_object != 1 || config.model.largest_object != 1;
}

TrainedModel load_model(const fs::path& run, torch::Device device, const RangeOfSizes& range) {
  const auto checkpoint = best_of(run);
  TrainedModel model;
  try {
    const nlohmann::json about = checkpoint.about;
    model.config = train::config_from_json(with_training(about.at("config")), run.string() + ": its configuration");
    model.class_names = about.at("class_names").get<std::vector<std::string>>();
    model.mean = about.at("mean").get<std::vector<double>>();
    model.deviation = about.at("deviation").get<std::vector<double>>();
    model.data_checksum = about.at("data_checksum").get<std::string>();
    model.data_counts = about.value("data_counts", std::vector<int64_t>{});
    if (about.contains("scale_calibration"))
      model.calibration = train::calibration_from_json(about.at("scale_calibration"));
    model.unfinished = unfinished_text(run, checkpoint, model.config.train.epochs);
    set_range(model.config.model, range);
    model.network = models::make_model(model.config.model);
    train::load_weights(*model.network, checkpoint.tensors.at("weights"), run.string());
  } catch (const nlohmann::json::exception& error) {
    detail::fail(run.string(), ": its description is incomplete: ", error.what());
  } catch (const std::out_of_range&) {
    detail::fail(run.string(), ": has no weights");
  }
  model.network->to(device);
  model.network->eval();
  return model;
}

}  // namespace scdcf::runs
