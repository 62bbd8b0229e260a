#include "run_options.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "in_range.h"
#include "scdcf/data/option_list.h"
#include "scdcf/models/option_list.h"
#include "scdcf/models/registry.h"
#include "scdcf/train/option_list.h"

namespace scdcf::app {
namespace {

constexpr const char *kNetwork = "Network", *kData = "Data", *kTraining = "Training";

using Words = std::vector<std::string>;

std::vector<int64_t> parse_list(const std::string& flag, const Words& words) {
  if (words == Words{kEmptyList}) return {};
  std::vector<int64_t> values;
  for (const auto& word : words) {
    const char* end = word.data() + word.size();
    const auto [stopped, failure] = std::from_chars(word.data(), end, values.emplace_back());
    if (failure != std::errc() || stopped != end)
      throw CLI::ConversionError(flag + ": got \"" + word + "\", expected whole numbers or " + kEmptyList);
  }
  return values;
}

/// Adds an option of any kind to a command.
struct Adder {
  CLI::App& command;
  const char* group;

  template <class T>
  void operator()(const Option<T>& option) const {
    if (*option.help != '\0') add(option);
  }

  template <class T>
  CLI::Option* add(const Option<T>& option) const {
    const auto flag = "--" + option_key(option.name);
    const auto set = [option, flag](const T& value) {
      option.value = value;
      if (const auto fault = option.fault(); !fault.empty()) throw CLI::ValidationError(flag, fault);
    };
    CLI::Option* added = nullptr;
    if constexpr (std::is_same_v<T, bool>)
      added = command.add_flag(flag, option.value);
    else if constexpr (std::is_same_v<T, std::vector<int64_t>>)
      added = command.add_option_function<Words>(flag, [=](const Words& words) { set(parse_list(flag, words)); })
                  ->delimiter(',')
                  ->type_name("INT,...");
    else
      added = command.add_option_function<T>(flag, set);
    if constexpr (std::is_same_v<T, uint64_t>) added->check(in_range(0, 1.8e19));  // -1 would become 2^64 - 1
    if constexpr (!std::is_same_v<T, bool>) added->default_str(option_text(option.value));
    return added->description(option.help)->group(group);
  }
};

}  // namespace

void add_run_options(CLI::App& command, train::RunConfig& config) {
  visit_options(config.model, Adder{command, kNetwork});
  visit_options(config.data, Adder{command, kData});
  visit_options(config.train, Adder{command, kTraining});
}

template <class T>
CLI::Option& add_run_option(CLI::App& command, const std::string& name, T& value) {
  train::RunConfig config;
  CLI::Option* added = nullptr;
  const auto add_if_named = [&](const auto& option) {
    if constexpr (std::is_same_v<decltype(option.value), T&>)
      if (option.name == name)
        added =
            Adder{command, "Options"}.add(Option<T>{value, option.name, option.help, option.expected, option.holds});
  };
  visit_options(config.model, add_if_named);
  visit_options(config.data, add_if_named);
  visit_options(config.train, add_if_named);
  require(added != nullptr, "option ", name, ": there is none");
  return *added;
}

template CLI::Option& add_run_option(CLI::App&, const std::string&, std::string&);
template CLI::Option& add_run_option(CLI::App&, const std::string&, double&);
template CLI::Option& add_run_option(CLI::App&, const std::string&, int&);

bool is_run_option(const CLI::Option& option) {
  const auto& group = option.get_group();
  return group == kNetwork || group == kData || group == kTraining;
}

bool has_run_options(const CLI::App& command) {
  const auto options =
      command.get_options([](const CLI::Option* option) { return option->count() > 0 && is_run_option(*option); });
  return !options.empty();
}

train::RunConfig with_given_options(const CLI::App& command, const train::RunConfig& given,
                                    const train::RunConfig& begun) {
  auto config = begun, copy = given;
  nlohmann::json values;
  const auto note = [&](const auto& option) { values[option.name] = option.value; };
  visit_options(copy.model, note);
  visit_options(copy.data, note);
  visit_options(copy.train, note);
  const auto take = [&](const auto& option) {
    const auto* added = command.get_option_no_throw("--" + option_key(option.name));
    if (added != nullptr && added->count() > 0) values.at(option.name).get_to(option.value);
  };
  visit_options(config.model, take);
  visit_options(config.data, take);
  visit_options(config.train, take);
  return config;
}

train::RunConfig as_begun(const CLI::App& command, const train::RunConfig& given, const train::RunConfig& begun) {
  auto config = with_given_options(command, given, begun);
  try {
    config.model = models::resolve(config.model);  // a 0 that was given stands for what the run was begun with
  } catch (const Error&) {  // an option that does not go with the others of that run: not the same run, certainly
  }
  return config;
}

std::string to_toml(const train::RunConfig& config) {
  train::RunConfig copy = config;
  std::string text;
  // Numbers, words, booleans and lists of numbers are written in TOML as they are in JSON.
  const auto line = [&](const auto& option) {
    if (*option.help != '\0')
      text += std::string("# ") + option.help + "\n" + option_key(option.name) + " = " +
              nlohmann::json(option.value).dump() + "\n";
  };
  visit_options(copy.model, line);
  text += "\n";
  visit_options(copy.data, line);
  text += "\n";
  visit_options(copy.train, line);
  return text;
}

}  // namespace scdcf::app
