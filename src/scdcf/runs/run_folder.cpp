#include "scdcf/runs/run_folder.h"

#include "scdcf/core/error.h"
#include "scdcf/files/atomic_file.h"
#include "scdcf/files/json.h"
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
  if (fs::exists(run / "model.pt", unreadable)) return train::load_checkpoint(run / "model.pt");
  auto found = train::CheckpointFolder(run / "checkpoints").newest();
  require(found.has_value() && !found->checkpoint.tensors["best_weights"].empty(), run.string(),
          ": has no weights yet, expected model.pt or a checkpoint of a whole epoch");
  found->checkpoint.tensors["weights"] = found->checkpoint.tensors["best_weights"];
  return found->checkpoint;
}

}  // namespace

void prepare_run_folder(const fs::path& folder, const train::RunConfig& config, bool resume) {
  const auto file = folder / "config.json";
  std::error_code failed;
  if (fs::exists(file, failed)) {
    require(resume, folder.string(), ": holds a run already: resume it, or choose another folder");
    const nlohmann::json before = train::to_json(read_run_config(folder)), now = train::to_json(config);
    for (const auto& change : nlohmann::json::diff(before, now)) {
      const std::string path = change.at("path");
      const nlohmann::json::json_pointer pointer(path);
      detail::fail(folder.string(), ": was begun with ", path.substr(1), " = ",
                   before.contains(pointer) ? before.at(pointer).dump() : "nothing", ", got ",
                   now.contains(pointer) ? now.at(pointer).dump() : "nothing",
                   "; a run is resumed with what it was begun with");
    }
    return;
  }
  fs::create_directories(folder, failed);
  require(!failed, folder.string(), ": cannot be made: ", failed.message());
  files::write_file_atomically(file, train::to_json(config).dump(2) + "\n");
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

  report::Plot plot;
  plot.title = config.model.name + " on " + config.data.name;
  plot.x_label = "epoch";
  plot.y_label = "accuracy (%)";
  report::Series train{"training", {}, {}}, validation{"validation", {}, {}};
  for (const auto& record : result.history) {
    train.x.push_back(static_cast<double>(record.epoch));
    train.y.push_back(100 * record.train_accuracy);
    validation.x.push_back(static_cast<double>(record.epoch));
    validation.y.push_back(100 * record.validation_accuracy);
  }
  plot.series = {train, validation};
  return report::write_plot(plot, folder, "curves");
}

TrainedModel load_model(const fs::path& run, torch::Device device) {
  const auto checkpoint = best_of(run);
  TrainedModel model;
  try {
    const nlohmann::json about = checkpoint.about;
    model.config = train::config_from_json(about.at("config"));
    model.class_names = about.at("class_names").get<std::vector<std::string>>();
    model.mean = about.at("mean").get<std::vector<double>>();
    model.deviation = about.at("deviation").get<std::vector<double>>();
    model.data_checksum = about.at("data_checksum").get<std::string>();
    if (about.contains("scale_calibration"))
      model.calibration = train::calibration_from_json(about.at("scale_calibration"));
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
