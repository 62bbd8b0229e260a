#include <torch/torch.h>
#include <torch/version.h>

#include <memory>

#include "bench_report.h"
#include "commands.h"
#include "in_range.h"
#include "json_output.h"
#include "scdcf/core/error.h"
#include "scdcf/core/runtime.h"
#include "scdcf/models/registry.h"
#include "scdcf/train/device.h"

namespace scdcf::app {
namespace {

void bench(BenchOptions options) {
  const auto device = train::device_of(options.device);
  if (device.is_cuda()) {
    at::globalContext().setBenchmarkCuDNN(true);   // the composed forms get cuDNN's best algorithm
    at::globalContext().setAllowTF32CuBLAS(true);  // and the floor the same precision as the convolutions
  }
  require(options.batch >= 0 && options.batch <= 65536, "--batch: got ", options.batch, ", expected 1 to 65536");
  options.picture_batch = options.batch > 0 ? options.batch : device.is_cuda() ? 32 : 4;
  if (options.batch == 0) options.batch = device.is_cuda() ? 128 : 32;
  require(options.networks.empty() || options.group == "networks",
          "--networks: got a list, expected none but with "
          "--group networks");
  for (const auto& name : options.networks) models::find_model(name);  // refuses a name that there is not
  torch::manual_seed(0);
  nlohmann::ordered_json report{{"version", version()},   {"commit", commit()},
                                {"torch", TORCH_VERSION}, {"device", options.device},
                                {"threads", threads()},   {"processor_time", options.timer == bench::Timer::processor}};
  report["layers"] = bench_layers(options, device);
  if (options.group.empty() || options.group == "training") report["training"] = bench_training(options, device);
  if (options.group.empty() || options.group == "networks") report["networks"] = bench_networks(options, device);
  if (options.group == "shapes") report["shapes"] = bench_shapes(options, device);
  if (options.json) print_json(report);
}

}  // namespace

void add_bench(CLI::App& app) {
  auto* command = app.add_subcommand(
      "bench",
      "Times the joint convolution in all its forms, each checked against a reference in double, and training steps");
  auto options = std::make_shared<BenchOptions>();
  command->add_option("--device", options->device, "Where to run")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->capture_default_str();
  command->add_option(
      "--group", options->group,
      "Only one group: smnist28, smnist56, autoencoder, resnet96, filter size, scales, channels (layers); training "
      "(the step of the SMNIST network in its forms); networks (step and prediction of every network); shapes (layers "
      "of every "
      "shape beside the limit of the device; not among all)");
  command
      ->add_option("--networks", options->networks,
                   "Of the group networks, only these; names as `scdcf models` has them")
      ->delimiter(',');
  command
      ->add_option("--batch", options->batch,
                   "Images; without it 32 on the CPU and 128 on a GPU, of the pictures for resnets 4 and 32")
      ->check(in_range(1, 65536));
  command
      ->add_option("--seconds", options->seconds,
                   "Time for the samples of each case, all forms together; what takes longer is run once")
      ->capture_default_str()
      ->check(in_range(0, 600));
  command
      ->add_option("--out", options->out,
                   "Folder for plots of cost against filter size, scales and channels, or against what grows in shapes")
      ->type_name("FOLDER");
  command->add_flag_callback(
      "--processor-time", [options] { options->timer = bench::Timer::processor; },
      "On the CPU, time of the processor over all threads instead of the clock's: for busy machines");
  command->add_flag("--json", options->json, "Print JSON instead of tables");
  command->callback([options] { bench(*options); });
}

}  // namespace scdcf::app
