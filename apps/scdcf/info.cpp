#include <torch/cuda.h>
#include <torch/version.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "json_output.h"
#include "scdcf/basis/spatial_basis.h"
#include "scdcf/core/joined.h"
#include "scdcf/core/runtime.h"
#include "scdcf/ops/cpu/separable_kernel.h"

namespace scdcf::app {
namespace {

std::string cuda_text() {
  if (!torch::cuda::is_available()) return "no";
  const auto count = torch::cuda::device_count();
  return "yes, " + std::to_string(count) + (count == 1 ? " device" : " devices");
}

void info(bool json) {
  const auto blas = blas_in_use();
  const std::string blas_text = blas.name + (blas.library.empty() ? "" : " (" + blas.library + ")");
  if (json) {
    print_json(nlohmann::ordered_json{{"version", version()},
                                      {"commit", commit()},
                                      {"torch", TORCH_VERSION},
                                      {"cuda_devices", torch::cuda::device_count()},
                                      {"blas", blas.name},
                                      {"blas_library", blas.library},
                                      {"threads", threads()},
                                      {"simd", ops::cpu::simd_level_name()},
                                      {"bases", basis::spatial_basis_names()}});
  } else {
    std::cout << "scdcf    " << version() << " (commit " << commit() << ")\n"
              << "torch    " << TORCH_VERSION << '\n'
              << "CUDA     " << cuda_text() << '\n'
              << "BLAS     " << blas_text << '\n'
              << "threads  " << threads() << '\n'
              << "SIMD     " << ops::cpu::simd_level_name() << '\n'
              << "bases    " << joined(basis::spatial_basis_names()) << '\n';
  }
  if (blas.slow)
    std::cerr << "\nWARNING: matrix products use the REFERENCE BLAS, which is many times slower than it need be.\n"
                 "         On Debian: apt-get install libopenblas0-pthread\n";
}

}  // namespace

void add_info(CLI::App& app) {
  auto* command =
      app.add_subcommand("info", "Version, LibTorch, CUDA, BLAS, threads and SIMD of this build and machine");
  auto* json = command->add_flag("--json", "Print JSON");
  command->callback([json] { info(json->count() > 0); });
}

}  // namespace scdcf::app
