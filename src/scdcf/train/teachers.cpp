#include "scdcf/train/teachers.h"

#include <torch/torch.h>

#include "scdcf/core/error.h"
#include "scdcf/nn/eval_mode_guard.h"
#include "scdcf/train/autocast_scope.h"
#include "scdcf/train/device_work.h"
#include "scdcf/train/random.h"

namespace scdcf::train {

RunConfig teacher_config(RunConfig config, int64_t number) {
  config.train.seed = stream_seed(config.train.seed, Purpose::teachers, static_cast<uint64_t>(number));
  config.train.teachers = 0;
  return config;
}

torch::Tensor answers_of(models::Network& network, const DeviceImages& images, int64_t batch,
                         const TrainOptions& options) {
  const DeviceWork no_capture;
  const torch::NoGradGuard no_grad;
  const nn::EvalModeGuard in_eval_mode(network);
  std::vector<torch::Tensor> answers;
  for (int64_t first = 0; first < images.count(); first += batch) {
    const AutocastScope autocast(options.precision == "bfloat16");
    const auto scores = network.forward(images.images(images.range(first, batch))).to(torch::kFloat);
    answers.push_back((scores / options.teacher_temperature).softmax(1).cpu());
  }
  const auto all = torch::cat(answers);
  require(torch::isfinite(all).all().item<bool>(), "training: a teacher's scores are not finite");
  return all;
}

Loss taught_loss(const torch::Tensor& answers, const TrainOptions& options) {
  const double weight = options.teacher_weight, temperature = options.teacher_temperature;
  return [=, of_labels = cross_entropy(options.label_smoothing)](const torch::Tensor& scores, const Batch& batch) {
    auto outcome = of_labels(scores, batch);
    const auto said = answers.index_select(0, batch.indices);
    const auto distance = (torch::xlogy(said, said) - said * (scores / temperature).log_softmax(1)).sum(1).mean();
    outcome.loss = (1 - weight) * outcome.loss + weight * temperature * temperature * distance;
    return outcome;
  };
}

double Answers::accuracy(const DeviceImages& images) const {
  const auto labels = images.labels(images.range(0, images.count())).cpu();
  return sum_.argmax(1).eq(labels).to(torch::kDouble).mean().item<double>();
}

}  // namespace scdcf::train
