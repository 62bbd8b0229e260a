#include "scdcf/tables/experiments.h"

#include <set>
#include <string>

#include "scdcf/core/error.h"
#include "scdcf/core/joined.h"
#include "scdcf/models/registry.h"
#include "scdcf/runs/train_runner.h"
#include "scdcf/tables/plans.h"
#include "scdcf/train/jobs.h"

namespace scdcf::tables {
namespace {

/// Missing data is one error of the command, not a failure of each of its runs.
void check_data(const Plan& plan, runs::ResultsStore& store, runs::SplitsCache& cache) {
  std::set<std::string> known;
  for (const auto& run : plan)
    if (run.measure != runs::Measure::cost && store.attempts(runs::key_of(run)).done == 0 &&
        known.insert(run.config.data.name).second)
      cache.get(run.config.data);
}

void tell(const PlanOptions& options, const std::string& name, const runs::QueueSummary& summary) {
  if (!options.print) return;
  const auto count = summary.had + summary.made + summary.others;
  options.print(name + ": " + std::to_string(count) + " of " + std::to_string(summary.planned) + " runs are done" +
                (summary.stopped ? "; stopped, the same command goes on" : ""));
}

/// "12  0123456789abcdef  scdcfnet smnist 28+ N=2000 realisation 0", one line a run, numbered from 0.
void list_plan(const PlanOptions& options, const Plan& plan, int first) {
  for (const auto& run : plan)
    options.print(std::to_string(first++) + "  " + runs::key_of(run) + "  " + runs::label_of(run));
}

/// A name that is misspelt, or none of this experiment's, would be left out without a word.
void check_models(const std::string& name, const PlanOptions& options, const Plan& plan) {
  std::set<std::string> planned;
  for (const auto& run : plan) planned.insert(run.config.model.name);
  for (const auto& model : options.models)
    require(planned.count(model) > 0, "models: got \"", model, "\", of which ", name,
            " has no runs; of those asked for it has ", joined(planned));
}

/// `all` is the whole of a plan, the first of which has the number `first`: an experiment may have several.
void run_plan(const std::string& name, const PlanOptions& options, const Plan& all, int jobs, int first = 0) {
  for (const auto& model : options.models) models::find_model(model);  // names what there is
  require(!all.empty(), "models: with these, and these sizes and augmentation, nothing is left to run of ", name);
  check_models(name, options, all);
  if (options.list) return list_plan(options, all, first);
  const int last = first + static_cast<int>(all.size()) - 1;
  if (options.only >= 0 && options.only < first) return;
  require(options.only <= last || name == "cost", "only: got ", options.only, ", expected 0 to ", last,
          ", the numbers that --plan lists");
  if (options.only > last) return;
  const Plan plan = options.only < 0 ? all : Plan{all[static_cast<size_t>(options.only - first)]};
  train::check_jobs(jobs, options.device);
  runs::ResultsStore store(options.out);
  runs::SplitsCache cache;
  check_data(plan, store, cache);
  runs::QueueOptions table;
  table.jobs = jobs;
  table.retry_failed = options.retry_failed;
  table.provenance = runs::provenance_of(options.device);
  table.stop = options.stop;
  table.print = options.print;
  table.status = options.status;
  // Quick runs take a second: not worth the checkpoints.
  const runs::TrainRunnerOptions runner{options.quick ? std::filesystem::path{} : options.out / "under-way",
                                        options.stop};
  const auto summary = runs::run_queue(plan, store, runs::make_train_runner(cache, runner), table);
  tell(options, name, summary);
  require(summary.failed.empty(), "reproduce ", name, ": ", summary.failed.size(), " of ", summary.planned,
          " runs have failed twice, the first: ", summary.failed.empty() ? "" : summary.failed.front(),
          "; the option retry-failed tries them again");
}

Experiment digits(const std::string& data, const std::string& what) {
  return {data, what,
          [data](const PlanOptions& options) { run_plan(data, options, plan_digits(options, data), options.jobs); }};
}

Experiment planned(const std::string& name, const std::string& what, Plan (*plan)(const PlanOptions&)) {
  return {name, what,
          [name, plan](const PlanOptions& options) { run_plan(name, options, plan(options), options.jobs); }};
}

void run_cost(const PlanOptions& options) {
  const auto plan = plan_cost(options, runs::provenance_of(options.device).machine);
  run_plan("cost", options, plan.accuracy, options.jobs);
  if (options.stop && options.stop()) return;
  run_plan("cost", options, plan.cost, 1,
           static_cast<int>(plan.accuracy.size()));  // one at a time: what is timed has the machine for itself
}

}  // namespace

std::vector<Experiment> experiments() {
  return {
      digits("smnist", "Table 1: eight networks on scaled MNIST"),
      digits("sfashion", "Table 2: eight networks on scaled Fashion-MNIST"),
      planned("ablation", "Table 3: ScDCFNet with ten pairs (K_alpha, K)", plan_ablation),
      planned("pooling", "ReLU, average pooling, norm in cnn, sesn and scdcfnet alike", plan_pooling),
      planned("light", "ScDCFNet with one tap in scale and fewer planes", plan_light),
      planned("stl10", "Table 4: ResNet-16 with seven kinds of convolution, on STL-10 or an image folder",
              plan_natural),
      planned("scale-generalisation", "Trained at one range of object sizes, tested at all", plan_scale_generalisation),
      planned("augmented", "Trained at one range of sizes, against networks shown all sizes by augmentation",
              plan_augmented),
      planned("stir", "STIR: objects anywhere, trained on a third of the sizes, tested at all", plan_stir),
      planned("large-scale", "MNIST Large Scale: trained at one size, tested from half to eight times",
              plan_large_scale),
      planned("deformation", "Accuracy and equivariance error under growing deformation, K = 5 to 25",
              plan_deformation),
      {"cost", "Time, multiply-adds and memory against accuracy", run_cost},
  };
}

}  // namespace scdcf::tables
