#include "scdcf/experiments/autoencoder_training.h"

#include <torch/torch.h>

#include <cmath>
#include <cstdio>

#include "scdcf/core/error.h"
#include "scdcf/data/datasets.h"
#include "scdcf/experiments/digits.h"
#include "scdcf/theory/group_action.h"
#include "scdcf/train/checkpoint.h"
#include "scdcf/train/device_images.h"
#include "scdcf/train/optimizer.h"
#include "scdcf/train/trainer.h"

namespace scdcf::experiments {
namespace {

constexpr int64_t kImageSize = 56;
constexpr uint64_t kSeed = 1;

nlohmann::ordered_json description(const models::AutoEncoderOptions& model, const AutoEncoderStudy& study,
                                   const data::Splits& splits) {
  return {{"model", model.name},
          {"modes", model.modes},
          {"image_size", model.image_size},
          {"data", study.data},
          {"checksum", data::checksum(splits.train)},
          {"epochs", study.epochs},
          {"batch", study.batch},
          {"rates", {study.first_rate, study.last_rate}},
          {"seed", kSeed}};
}

/// True where `file` holds a network trained as `about` says, which is then read.
bool read_trained(models::AutoEncoder& network, const std::filesystem::path& file, const nlohmann::ordered_json& about,
                  const ReproduceOptions& options) {
  if (!std::filesystem::exists(file)) return false;
  try {
    const auto checkpoint = train::load_checkpoint(file);
    if (checkpoint.about.at("training") != about) {
      options.note(file.string() + ": trained in another way; training anew");
      return false;
    }
    train::load_weights(network, checkpoint.tensors.at("weights"), file.string());
    return true;
  } catch (const Error& error) {
    options.note(std::string(error.what()) + "; training anew");
    return false;
  }
}

void fit(models::AutoEncoder& network, const std::string& label, const AutoEncoderStudy& study,
         const data::Splits& splits, torch::Device device, const ReproduceOptions& options) {
  train::TrainOptions how;
  how.weight_decay = 0;
  train::Optimizer optimizer(network, how);
  const train::DeviceImages images(splits.train, {0.0}, {1.0}, device);
  torch::manual_seed(kSeed);
  network.train();
  for (int64_t epoch = 0; epoch < study.epochs; ++epoch) {
    const double part = study.epochs > 1 ? static_cast<double>(epoch) / static_cast<double>(study.epochs - 1) : 0;
    optimizer.set_learning_rate(study.first_rate * std::pow(study.last_rate / study.first_rate, part));
    const auto order = torch::randperm(images.count(), torch::kLong).to(device);
    auto sum = torch::zeros({}, torch::TensorOptions(device));
    int64_t steps = 0;
    for (int64_t first = 0; first + study.batch <= images.count(); first += study.batch, ++steps) {
      const auto batch = images.images(order.narrow(0, first, study.batch));
      const auto loss = torch::mse_loss(network.forward(batch), batch);
      const auto gradients = torch::autograd::grad({loss}, optimizer.parameters());
      const torch::NoGradGuard no_grad;
      optimizer.step(gradients, torch::isfinite(loss));
      sum += loss;
    }
    const double mean = sum.item<double>() / static_cast<double>(steps);
    require(std::isfinite(mean), label, ": the loss is not finite in epoch ", epoch + 1);
    char text[120];
    std::snprintf(text, sizeof text, "%s: epoch %lld/%lld  mean squared error %.5f", label.c_str(),
                  static_cast<long long>(epoch + 1), static_cast<long long>(study.epochs), mean);
    options.note(text);
  }
}

}  // namespace

AutoEncoderStudy autoencoder_study(const ReproduceOptions& options) {
  AutoEncoderStudy study;
  study.data = "s" + digit_source(options);
  if (options.quick) {
    study.train_images = 1000;
    study.test_images = 100;
    study.epochs = 6;
    study.batch = 25;
    study.first_rate = 3e-3;
    study.last_rate = 3e-4;
  }
  return study;
}

data::Splits autoencoder_data(const AutoEncoderStudy& study, const ReproduceOptions& options) {
  data::DataOptions wanted;
  wanted.name = study.data;
  wanted.data_dir = options.data_dir;
  wanted.train_size = study.train_images;
  wanted.test_size = study.test_images;
  wanted.size = kImageSize;
  return data::load(wanted);
}

std::shared_ptr<models::AutoEncoder> trained_autoencoder(const models::AutoEncoderOptions& model,
                                                         const AutoEncoderStudy& study, const data::Splits& splits,
                                                         const ReproduceOptions& options) {
  train::TrainOptions where;
  where.device = options.device;
  const auto device = train::device_of(where);
  torch::manual_seed(kSeed);
  auto network = std::make_shared<models::AutoEncoder>(model);
  const std::string label =
      model.name == "cnn-autoencoder" ? model.name : model.name + "-k" + std::to_string(model.modes);
  const auto file = options.out / "autoencoders" / (label + (options.quick ? "-quick.pt" : ".pt"));
  const auto about = description(model, study, splits);
  if (!read_trained(*network, file, about, options)) {
    network->to(device);
    fit(*network, label, study, splits, device, options);
    std::filesystem::create_directories(file.parent_path());
    train::save_checkpoint({{{"training", about}}, {{"weights", train::weights_of(*network)}}}, file);
  }
  network->to(device);
  network->eval();
  return network;
}

torch::Tensor rescaled_images(const torch::Tensor& images, double beta) {
  return theory::act_on_image(images, {beta, 0, 0});
}

torch::Tensor decode_rescaled(models::AutoEncoder& network, const torch::Tensor& images, double beta) {
  const torch::NoGradGuard no_grad;
  const theory::GroupElement g{beta, 0, 0};
  const auto ground = network.encode(torch::zeros_like(images.narrow(0, 0, 1)));
  const auto code = network.encode(images) - ground;
  const auto moved =
      network.scale_step() > 0 ? theory::act_on_features(code, g, network.scale_step()) : theory::act_on_image(code, g);
  return network.decode(moved + ground);
}

torch::Tensor relative_errors(const torch::Tensor& images, const torch::Tensor& expected) {
  return (images - expected).flatten(1).norm(2, 1) / expected.flatten(1).norm(2, 1);
}

torch::Tensor thresholded(const torch::Tensor& images) {
  return images.gt(images.amax({1, 2, 3}, true) / 2).to(torch::kFloat);
}

}  // namespace scdcf::experiments
