#include "scdcf/models/registry.h"

#include "scdcf/core/error.h"
#include "scdcf/models/built_in.h"

namespace scdcf::models {

namespace {

std::vector<ModelEntry>& entries() {
  static std::vector<ModelEntry> known = built_in_models();
  return known;
}

}  // namespace

void register_model(ModelEntry entry) {
  for (const auto& known : entries())
    require(known.name != entry.name, "register_model: \"", entry.name, "\" is taken, expected a new name");
  require(entry.resolve != nullptr && entry.make != nullptr, "register_model: \"", entry.name,
          "\" lacks a function, expected both resolve and make");
  entries().push_back(std::move(entry));
}

const std::vector<ModelEntry>& all_models() { return entries(); }

const ModelEntry& find_model(const std::string& name) {
  std::string names;
  for (const auto& entry : entries()) {
    if (entry.name == name) return entry;
    names += (names.empty() ? "" : ", ") + entry.name;
  }
  detail::fail("model: got \"", name, "\", expected one of ", names);
}

ModelOptions resolve(const ModelOptions& options) {
  const auto& entry = find_model(options.name);
  check_options(options);
  return entry.resolve(options);
}

std::shared_ptr<Network> make_model(const ModelOptions& options) {
  return find_model(options.name).make(resolve(options));
}

int64_t parameter_count(const Network& network) {
  int64_t count = 0;
  for (const auto& parameter : network.parameters()) count += parameter.numel();
  return count;
}

}  // namespace scdcf::models
