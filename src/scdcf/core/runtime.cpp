#include "scdcf/core/runtime.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>

#include <climits>
#include <cstdlib>
#include <thread>

#include "build_info.h"
#include "scdcf/core/error.h"

namespace scdcf {

const char* version() { return SCDCF_VERSION; }
const char* commit() { return SCDCF_COMMIT; }

BlasInfo blas_in_use() {
  BlasInfo info{"unknown", "", false};
  void* product = dlsym(RTLD_DEFAULT, "sgemm_");
  Dl_info where{};
  if (product == nullptr || dladdr(product, &where) == 0 || where.dli_fname == nullptr) return info;
  char resolved[PATH_MAX];
  info.library = realpath(where.dli_fname, resolved) != nullptr ? resolved : where.dli_fname;
  const auto mentions = [&](const char* word) { return info.library.find(word) != std::string::npos; };
  if (mentions("openblas")) {
    info.name = "OpenBLAS";
  } else if (mentions("mkl")) {
    info.name = "MKL";
  } else if (mentions("blis")) {
    info.name = "BLIS";
  } else if (mentions("atlas")) {
    info.name = "ATLAS";
  } else if (mentions("libtorch")) {
    info.name = "built into LibTorch";
  } else if (mentions("libblas")) {
    info.name = "reference";
    info.slow = true;
  }
  return info;
}

void set_threads(int count) {
  require(count >= 0 && count <= 4096, "threads: got ", count, ", expected 1 to 4096, or 0 for all cores");
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  at::set_num_threads(count > 0 ? count : (cores > 0 ? cores : 1));
}

void set_blas_threads(int count) {
  using Setter = void (*)(int);
  if (auto* setter = reinterpret_cast<Setter>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))) setter(count);
}

int threads() { return at::get_num_threads(); }

}  // namespace scdcf
