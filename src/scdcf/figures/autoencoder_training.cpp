#include "scdcf/figures/autoencoder_training.h"

#include <torch/torch.h>

#include <cmath>
#include <mutex>

#include "scdcf/core/error.h"
#include "scdcf/core/for_each.h"
#include "scdcf/core/format.h"
#include "scdcf/data/datasets.h"
#include "scdcf/figures/digits.h"
#include "scdcf/train/checkpoint.h"
#include "scdcf/train/device_images.h"
#include "scdcf/train/device_work.h"
#include "scdcf/train/random.h"
#include "scdcf/train/step.h"
#include "scdcf/train/stream_scope.h"
#include "scdcf/train/trainer.h"

namespace scdcf::figures {
namespace {

using Note = std::function<void(const std::string&)>;

std::string label_of(const AutoEncoderRun& run) {
  std::string label = run.model;
  if (run.model != "cnn-autoencoder") label += "-k" + std::to_string(run.modes);
  return label + "-" + std::to_string(run.seed);
}

nlohmann::ordered_json description(const AutoEncoderRun& run, const AutoEncoderStudy& study,
                                   const data::Splits& splits) {
  nlohmann::ordered_json json = {{"model", run.model},
                                 {"modes", run.model == "cnn-autoencoder" ? 0 : run.modes},
                                 {"image_size", study.image_size},
                                 {"data", study.data},
                                 {"checksum", data::checksum(splits.train)},
                                 {"epochs", study.epochs},
                                 {"batch", study.batch},
                                 {"rates", {study.first_rate, study.last_rate}},
                                 {"seed", run.seed}};
  if (study.optimizer != AutoEncoderStudy().optimizer) json["optimizer"] = study.optimizer;
  if (study.optimizer == "sgd") json["momentum"] = study.momentum;
  return json;
}

/// True where `file` holds a network trained as `about` says, which is then read.
bool read_trained(models::AutoEncoder& network, const std::filesystem::path& file, const nlohmann::ordered_json& about,
                  const Note& note) {
  if (!std::filesystem::exists(file)) return false;
  try {
    const auto checkpoint = train::load_checkpoint(file);
    if (checkpoint.about.at("training") != about) {
      note(file.string() + ": trained in another way; training anew");
      return false;
    }
    train::load_weights(network, checkpoint.tensors.at("weights"), file.string());
    return true;
  } catch (const Error& error) {
    note(std::string(error.what()) + "; training anew");
    return false;
  }
}

train::Outcome squared_error(const torch::Tensor& decoded, const train::Batch& batch) {
  return {torch::mse_loss(decoded, batch.images), {}};
}

void fit(models::AutoEncoder& network, const AutoEncoderRun& run, const AutoEncoderStudy& study,
         const train::DeviceImages& images, const Note& note) {
  train::TrainOptions how;
  how.optimizer = study.optimizer;
  how.momentum = study.momentum;
  how.weight_decay = 0;
  train::Optimizer optimizer(network, how);
  train::Step step(network, optimizer, images, how, squared_error);
  network.train();
  for (int64_t epoch = 0; epoch < study.epochs; ++epoch) {
    const double part = study.epochs > 1 ? static_cast<double>(epoch) / static_cast<double>(study.epochs - 1) : 0;
    optimizer.set_learning_rate(study.first_rate * std::pow(study.last_rate / study.first_rate, part));
    torch::Tensor order;
    {
      const train::DeviceWork uploads;
      const auto stream = train::random_stream(run.seed, train::Purpose::order, epoch);
      order = torch::randperm(images.count(), stream, torch::kLong).to(images.device());
    }
    step.reset_totals();
    for (int64_t first = 0; first + study.batch <= images.count(); first += study.batch)
      step.run(order.narrow(0, first, study.batch), {}, /*dropout_seed=*/0);
    const auto totals = step.totals();
    require(totals.first_bad_step < 0, label_of(run), ": the loss is not finite in epoch ", epoch + 1);
    note(format("%s: epoch %lld/%lld  mean squared error %.5f", label_of(run).c_str(),
                static_cast<long long>(epoch) + 1, static_cast<long long>(study.epochs),
                totals.loss / static_cast<double>(totals.count)));
  }
}

double mean_error(models::AutoEncoder& network, const train::DeviceImages& images) {
  const torch::NoGradGuard no_grad;
  auto sum = torch::zeros({}, torch::TensorOptions(images.device()).dtype(torch::kDouble));
  for (const auto& indices : images.range(0, images.count()).split(200)) {
    const auto batch = images.images(indices);
    sum += torch::mse_loss(network.forward(batch), batch, at::Reduction::Sum) / batch[0].numel();
  }
  return sum.item<double>() / static_cast<double>(images.count());
}

std::shared_ptr<models::AutoEncoder> initial_network(const AutoEncoderRun& run, const AutoEncoderStudy& study) {
  const train::WeightsScope weights(run.seed);
  return std::make_shared<models::AutoEncoder>(models::AutoEncoderOptions{run.model, run.modes, study.image_size});
}

/// The auto-encoders after training with mean squared error, in evaluation mode: read from out/autoencoders where they
/// were trained there before in the same way, else trained, options.runs at a time, and written there.
std::vector<TrainedAutoEncoder> trained_autoencoders(const std::vector<AutoEncoderRun>& runs,
                                                     const AutoEncoderStudy& study, const data::Splits& splits,
                                                     const FigureOptions& options) {
  train::TrainOptions where;
  where.device = options.device;
  where.precision = options.precision;
  const auto device = train::device_of(where);
  train::apply_precision(where, device);
  const train::DeviceImages images(splits.train, {0.0}, {1.0}, device);
  std::filesystem::create_directories(options.out / "autoencoders");
  std::mutex noting;
  const Note note = [&](const std::string& text) {
    const std::lock_guard<std::mutex> lock(noting);
    options.note(text);
  };
  std::vector<TrainedAutoEncoder> trained(runs.size());
  for_each(static_cast<int64_t>(runs.size()), options.runs, [&](int64_t i) {
    const auto& run = runs[i];
    const train::StreamScope own_stream(device);
    auto network = initial_network(run, study);
    const auto file =
        options.out / "autoencoders" / (label_of(run) + (options.quick ? "-quick" : "") + train::kModelExtension);
    const auto about = description(run, study, splits);
    if (!read_trained(*network, file, about, note)) {
      {
        const train::DeviceWork uploads;
        network->to(device);
      }
      fit(*network, run, study, images, note);
      const train::DeviceWork downloads;
      train::save_checkpoint({{{"training", about}}, {{"weights", train::weights_of(*network)}}}, file);
    }
    const train::DeviceWork uploads;
    network->to(device);
    network->eval();
    trained[i] = {network, mean_error(*network, images)};
  });
  return trained;
}

}  // namespace

AutoEncoderStudy autoencoder_study(const FigureOptions& options) {
  AutoEncoderStudy study;
  study.data = "s" + digit_source(options);
  if (options.quick) {
    study.image_size = 40;
    study.train_images = 400;
    study.test_images = 100;
    study.epochs = 6;
    study.batch = 8;
    study.first_rate = 1e-3;
    study.last_rate = 1e-4;
    study.seeds = 1;
  }
  const auto& given = options.autoencoders;
  if (!given.optimizer.empty()) study.optimizer = given.optimizer;
  if (given.momentum >= 0) study.momentum = given.momentum;
  if (given.seeds > 0) study.seeds = given.seeds;
  if (given.test_images >= 0) study.test_images = given.test_images;
  const double own_rate = study.optimizer == "sgd" ? 1e-2 : study.first_rate;  // Appendix B.2
  const double rate = given.learning_rate > 0 ? given.learning_rate : own_rate;
  study.last_rate *= rate / study.first_rate;
  study.first_rate = rate;
  return study;
}

data::Splits autoencoder_data(const AutoEncoderStudy& study, const FigureOptions& options) {
  data::DataOptions wanted;
  wanted.name = study.data;
  wanted.data_dir = options.data_dir;
  wanted.train_size = study.train_images;
  wanted.test_size = study.test_images;
  wanted.size = study.image_size;
  return data::load(wanted);
}

std::string training_text(const AutoEncoderStudy& study, const data::Splits& splits) {
  const auto momentum = study.optimizer == "sgd" ? format(", momentum %g,", study.momentum) : "";
  return "auto-encoders of Table 5 trained by " + study.optimizer +
         format(" from %g to %g", study.first_rate, study.last_rate) + momentum + " on " +
         std::to_string(splits.train.count()) + " images of " + study.data + ", " + std::to_string(study.image_size) +
         " pixels wide, " + std::to_string(study.epochs) + " epochs, " + std::to_string(study.seeds) +
         (study.seeds == 1 ? " training each" : " trainings each, the one with the least training error");
}

std::vector<TrainedAutoEncoder> best_autoencoders(const std::vector<AutoEncoderRun>& kinds,
                                                  const AutoEncoderStudy& study, const data::Splits& splits,
                                                  const FigureOptions& options) {
  std::vector<AutoEncoderRun> runs;
  for (int64_t seed = 1; seed <= study.seeds; ++seed)
    for (auto run : kinds) {
      run.seed = static_cast<uint64_t>(seed);
      runs.push_back(run);
    }
  const auto trained = trained_autoencoders(runs, study, splits, options);
  std::vector<TrainedAutoEncoder> best(trained.begin(), trained.begin() + static_cast<std::ptrdiff_t>(kinds.size()));
  for (size_t i = kinds.size(); i < trained.size(); ++i)
    if (auto& held = best[i % kinds.size()]; trained[i].training_error < held.training_error) held = trained[i];
  return best;
}

}  // namespace scdcf::figures
