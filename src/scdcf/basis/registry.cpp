#include <cmath>
#include <map>
#include <mutex>
#include <utility>

#include "scdcf/basis/spatial_basis.h"
#include "scdcf/core/error.h"
#include "scdcf/core/joined.h"

namespace scdcf::basis {
namespace {

/// The smallest n with n(n+1)/2 >= size: enough 1-D functions for every mode of total order below n, and so for the
/// first `size` modes in the order of any increasing, convex eigenvalue sequence.
int orders_for(int size) { return static_cast<int>(std::ceil((std::sqrt(8.0 * size + 1) - 1) / 2)) + 1; }

class Registry {
 public:
  Registry() {
    factories_["sine"] = [](int k) { return make_separable_basis("sine", make_sine_family(orders_for(k)), k); };
    factories_["hermite-gauss"] = [](int k) {
      return make_separable_basis("hermite-gauss", make_hermite_gauss_family(orders_for(k)), k);
    };
    factories_["bspline"] = [](int k) {
      const int per_axis = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(k))));
      return make_separable_basis("bspline", make_bspline_family(per_axis), k);
    };
    factories_["fourier-bessel"] = make_fourier_bessel_basis;
    factories_["log-radial"] = make_log_radial_basis;
    // The published widest sigma over half the published kernel: 4.5 of 13 pixels, 4 of 15, 0.9 * 1.41^2 of 7.
    factories_["sesn-28"] = [](int k) { return make_hermite_pyramid_basis("sesn-28", k, 4.5 / 6.5); };
    factories_["sesn-56"] = [](int k) { return make_hermite_pyramid_basis("sesn-56", k, 4.0 / 7.5); };
    factories_["sesn-96"] = [](int k) {
      return make_separable_basis("sesn-96", make_hermite_gauss_family(3, 0.9 * 1.41 * 1.41 / 3.5), k);
    };
  }
  void add(const std::string& name, SpatialBasisFactory factory) {
    const std::lock_guard<std::mutex> lock(mutex_);
    require(!name.empty(), "register_spatial_basis: name: got an empty string, expected a name");
    require(static_cast<bool>(factory), "register_spatial_basis: factory of \"", name, "\": got null");
    const bool added = factories_.emplace(name, std::move(factory)).second;
    require(added, "register_spatial_basis: name: \"", name, "\" is taken already");
  }
  SpatialBasisFactory find(const std::string& name) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = factories_.find(name);
    if (found != factories_.end()) return found->second;
    detail::fail("basis: got \"", name, "\", expected one of ",
                 joined(factories_, ", ", [](const auto& entry) { return entry.first; }));
  }
  std::vector<std::string> names() {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::string> result;
    for (const auto& entry : factories_) result.push_back(entry.first);
    return result;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, SpatialBasisFactory> factories_;
};

Registry& registry() {
  static Registry instance;
  return instance;
}

}  // namespace

void register_spatial_basis(const std::string& name, SpatialBasisFactory factory) {
  registry().add(name, std::move(factory));
}

SpatialBasisPtr make_spatial_basis(const std::string& name, int size) {
  const auto factory = registry().find(name);
  require(size >= 1, name, " basis: number of modes K: got ", size, ", expected at least 1");
  require(size <= 4096, name, " basis: number of modes K: got ", size, ", expected at most 4096");
  auto basis = factory(size);
  require(basis != nullptr && basis->size() == size, "basis \"", name, "\": its factory did not return the ", size,
          " modes asked for");
  return basis;
}

std::vector<std::string> spatial_basis_names() { return registry().names(); }

}  // namespace scdcf::basis
