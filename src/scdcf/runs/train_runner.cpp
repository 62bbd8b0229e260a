#include "scdcf/runs/train_runner.h"

#include <torch/torch.h>

#ifdef SCDCF_WITH_CUDA
#  include <ATen/cuda/CUDAContext.h>
#endif

#include <fstream>

#include "scdcf/core/runtime.h"
#include "scdcf/files/remove_tree.h"
#include "scdcf/runs/measures.h"
#include "scdcf/runs/run_folder.h"

namespace scdcf::runs {
namespace {

namespace fs = std::filesystem;

constexpr double kCheckpointSeconds = 60;

std::string cpu_name() {
  std::ifstream stream("/proc/cpuinfo");
  for (std::string line; std::getline(stream, line);) {
    const auto colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "CPU";
}

std::string machine_of(const std::string& device_name) {
  train::TrainOptions options;
  options.device = device_name;
  [[maybe_unused]] const auto device = train::device_of(options);
#ifdef SCDCF_WITH_CUDA
  if (device.is_cuda()) return at::cuda::getDeviceProperties(device.index())->name;
#endif
  return cpu_name() + ", " + std::to_string(threads()) + (threads() == 1 ? " thread" : " threads");
}

/// A run's own folder while it is under way: gone when it is done, or failed for a reason that may lie in there.
class RunFolder {
 public:
  RunFolder(const fs::path& parent, const std::string& key) : folder_(parent.empty() ? fs::path{} : parent / key) {}
  ~RunFolder() {
    if (!keep_ && !folder_.empty()) files::remove_tree(folder_);
  }
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  train::TrainFolder prepare(const train::RunConfig& config) {
    if (!folder_.empty()) lock_.emplace(prepare_run_folder(folder_, config, /*resume=*/true));
    return {folder_, !folder_.empty(), kCheckpointSeconds};
  }
  void keep() { keep_ = true; }

 private:
  fs::path folder_;
  std::optional<files::FolderLock> lock_;
  bool keep_ = false;
};

/// The same pictures with objects of every size.
data::DataOptions all_sizes(data::DataOptions options) {
  const data::DataOptions own;
  options.smallest_factor = own.smallest_factor;
  options.largest_factor = own.largest_factor;
  options.test_scale = own.test_scale;
  return options;
}

bool is_tested_at_all_sizes(const data::DataOptions& options) {
  const auto all = all_sizes(options);
  return options.smallest_factor == all.smallest_factor && options.largest_factor == all.largest_factor &&
         options.test_scale == all.test_scale;
}

RunRecord record_of(const train::RunConfig& config, const train::TrainResult& result) {
  RunRecord record;
  record.used = train::to_json(config);
  record.data_checksum = result.data_checksum;
  record.accuracy = result.test.accuracy;
  record.best_epoch = result.best_epoch;
  record.best_validation = result.best_validation;
  record.seconds = result.seconds;
  record.curve = nlohmann::ordered_json::array();
  if (config.data.realisation == 0)  // one of a cell shows the course: it is most of a record's size
    for (const auto& epoch : result.history) record.curve.push_back(train::to_json(epoch));
  return record;
}

RunProgress progress_of(const train::StepProgress& p) {
  const double epochs = static_cast<double>(p.epoch - 1) + static_cast<double>(p.step) / static_cast<double>(p.steps);
  const auto epoch = "epoch " + std::to_string(p.epoch) + "/" + std::to_string(p.epochs);
  const auto text = p.tested > 0    ? "test"
                    : p.teacher > 0 ? "teacher " + std::to_string(p.teacher) + " " + epoch
                                    : epoch;
  const auto networks_before = static_cast<double>(p.teacher > 0 ? p.teacher - 1 : p.teachers);
  const double share = networks_before + epochs / static_cast<double>(p.epochs);
  return {share / static_cast<double>(p.teachers + 1), text, p.seconds_left};
}

std::optional<RunRecord> make_run(SplitsCache& cache, const TrainRunnerOptions& options, const PlannedRun& run,
                                  const std::function<void(const RunProgress&)>& on_progress) {
  if (run.measure == Measure::cost) {
    RunRecord record;
    record.used = train::to_json(run.config);
    record.measurements = measure_cost(run.config);
    return record;
  }
  const auto splits = cache.get(run.config.data);
  const auto config = train::fit_to_data(run.config, *splits);
  RunFolder folder(options.checkpoints, key_of(run));
  train::TrainCallbacks callbacks;
  callbacks.stop = options.stop;
  callbacks.on_step = [&](const train::StepProgress& step) { on_progress(progress_of(step)); };
  const auto result = train::train(config, *splits, folder.prepare(config), callbacks);
  if (!result.finished) {
    folder.keep();
    return std::nullopt;
  }
  auto record = record_of(config, result);
  if (run.measure == Measure::scales) {
    // The stir and large-scale sets are tested at every size anyway.
    record.measurements =
        is_tested_at_all_sizes(config.data)
            ? scales_of(result.test)
            : measure_scales(*result.network, cache.get(all_sizes(config.data))->test, *splits, config.train);
  } else if (run.measure == Measure::deformation) {
    record.measurements = measure_deformation(*result.network, *splits, config.train);
  }
  return record;
}

}  // namespace

Runner make_train_runner(SplitsCache& cache, TrainRunnerOptions options) {
  return [&cache, options = std::move(options)](const PlannedRun& run,
                                                const std::function<void(const RunProgress&)>& on_progress) {
    try {
      return make_run(cache, options, run, on_progress);
    } catch (const c10::Error& failure) {
      throw std::runtime_error(failure.what_without_backtrace());  // records and lines are for the cause
    }
  };
}

Provenance provenance_of(const std::string& device) { return {commit(), version(), TORCH_VERSION, machine_of(device)}; }

}  // namespace scdcf::runs
