#include "scdcf/train/trainer.h"

#include "scdcf/train/memory_estimate.h"
#include "scdcf/train/network_run.h"

namespace scdcf::train {
namespace {

TrainFolder folder_of_teacher(TrainFolder whole, int64_t number) {
  if (!whole.folder.empty()) whole.folder = whole.folder / "teachers" / std::to_string(number);
  return whole;
}

}  // namespace

TrainResult train(const RunConfig& config, const data::Splits& splits, const TrainFolder& folder,
                  const TrainCallbacks& callbacks, distributed::Group* group) {
  check(config.train);
  apply_precision(config.train, device_of(config.train));
  const auto memory =
      require_memory(config, splits, group == nullptr ? 1 : group->size(), group == nullptr ? 1 : group->local_size());
  const auto fitted = fit_to_data(config, splits);
  const auto announce = [&](const NetworkRun& first) {
    first.announce(fitted);
    if (callbacks.on_note) callbacks.on_note("memory: " + memory.text());
  };
  Role kept;
  kept.teachers = fitted.train.teachers;
  double seconds = 0;
  AnswersOfTeachers answers;
  for (int64_t number = 1; number <= kept.teachers; ++number) {
    NetworkRun teacher(teacher_config(fitted, number), splits, folder_of_teacher(folder, number), callbacks, group,
                       {number, kept.teachers, {}});
    if (number == 1) announce(teacher);
    const auto result = teacher.run();
    if (!result.finished) return result;
    seconds += result.seconds;
    teacher.tell(answers);
  }
  if (kept.teachers > 0) kept.answers = answers.training.mean();
  NetworkRun run(fitted, splits, folder, callbacks, group, kept);
  if (kept.teachers == 0) announce(run);
  auto result = run.run();
  result.seconds += seconds;
  return result;
}

}  // namespace scdcf::train
