// Networks by name. A program of yours adds its own with register_model and gets the whole command line for it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "scdcf/models/network.h"
#include "scdcf/models/options.h"

namespace scdcf::models {

/// One network of the registry.
struct ModelEntry {
  std::string name;
  std::string source;    ///< who defined it: "Xu et al. 2014"
  std::string symmetry;  ///< what it is equivariant or invariant to, and how
  /// Fills in what the caller left open and refuses what makes no sense.
  std::function<ModelOptions(ModelOptions)> resolve;
  /// Builds it from options that were resolved.
  std::function<std::shared_ptr<Network>(const ModelOptions&)> make;
  /// Whether it has the options smallest_object, largest_object, read_out and padding, which data decides.
  bool fits_objects = false;
};

/// Adds a network; its name must be new.
void register_model(ModelEntry entry);
const std::vector<ModelEntry>& all_models();
/// Throws Error with the known names where there is no such network.
const ModelEntry& find_model(const std::string& name);

ModelOptions resolve(const ModelOptions& options);
/// The network of these options, weights drawn from torch's default generator.
std::shared_ptr<Network> make_model(const ModelOptions& options);

int64_t parameter_count(const Network& network);

}  // namespace scdcf::models
