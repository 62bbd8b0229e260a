#include "ranks.h"

#include <torch/cuda.h>
#include <torch/version.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "in_range.h"
#include "interrupt.h"
#include "scdcf/core/error.h"
#include "scdcf/core/joined.h"
#include "scdcf/core/runtime.h"
#include "scdcf/distributed/launch.h"
#include "scdcf/train/trainer.h"

namespace scdcf::app {
namespace {

constexpr const char* kProcesses = "Several processes";

/// What all ranks must have in common, and what each may have its own of: places on its disk, and what is rank 0's.
nlohmann::ordered_json description(const CLI::App& command) {
  const std::set<std::string> own = {"--out", "--data-dir", "--config", "--checkpoint-seconds", "--processes"};
  nlohmann::ordered_json json = {{"version", version()}, {"commit", commit()}, {"torch", TORCH_VERSION}};
  for (const auto* option : command.get_options()) {
    if (option->count() == 0 || own.count(option->get_name()) > 0) continue;
    json[option->get_name()] = joined(option->results(), ",");
  }
  return json;
}

void require_alike(distributed::Group& group, const CLI::App& command) {
  const auto texts = group.exchange("options", description(command).dump());
  const auto first = nlohmann::ordered_json::parse(texts.front());
  const auto value = [](const nlohmann::ordered_json& json, const std::string& key) {
    return json.contains(key) ? json[key].get<std::string>() : "nothing";
  };
  for (size_t rank = 1; rank < texts.size(); ++rank) {
    const auto there = nlohmann::ordered_json::parse(texts[rank]);
    auto keys = first;
    keys.update(there);
    for (const auto& item : keys.items())
      require(value(there, item.key()) == value(first, item.key()), item.key(), ": rank ", rank, " has ",
              value(there, item.key()), ", rank 0 has ", value(first, item.key()), ": start all ranks alike");
  }
}

torch::Device device_of_rank(const std::string& name, const distributed::Place& place) {
  const auto device = train::device_of(name);
  require(name != "cuda" || place.local_rank < static_cast<int>(torch::cuda::device_count()), "device: got cuda for ",
          place.local_size, " processes on this machine, but it has ", torch::cuda::device_count(), " GPUs");
  return name == "cuda" ? torch::Device(torch::kCUDA, static_cast<c10::DeviceIndex>(place.local_rank)) : device;
}

}  // namespace

void add_rank_options(CLI::App& command, RankOptions& options) {
  command.add_option("--processes", options.processes, "Processes on this machine that share every batch")
      ->check(CLI::Range(1, 256))
      ->group(kProcesses)
      ->capture_default_str();
  command.add_option("--rank-timeout", options.timeout, "Seconds after which a process that is not heard of is lost")
      ->check(in_range(2, 3600))
      ->group(kProcesses)
      ->capture_default_str();
}

bool starts_ranks(const RankOptions& options) { return options.processes > 1 && !distributed::is_launched(); }

void run_ranks(const RankOptions& options, const std::function<std::string()>& advice) {
  require(!distributed::place_from_environment(),
          "processes: this process is one of a group already (RANK and MASTER_ADDR are set): leave the option away");
  const InterruptScope interrupt;
  InterruptScope::defer();  // the ranks
  const auto result = distributed::launch_ranks(options.processes, options.timeout, InterruptScope::requested);
  if (result.code == 0) return;
  if (result.error.empty()) throw CLI::RuntimeError(result.code);
  if (result.code != distributed::kLostRank) throw Error(result.error);
  const auto more = advice();
  const bool has_advice = more.empty() || result.error.find(more) != std::string::npos;
  throw distributed::LostRank(result.error + (has_advice ? "" : "; " + more), /*is_told=*/false);
}

std::unique_ptr<distributed::Group> join_ranks(const RankOptions& options, const CLI::App& command,
                                               const std::string& device, const std::function<std::string()>& advice) {
  const auto place = distributed::place_from_environment();
  if (!place) return nullptr;
  if (command.get_parent()->get_option("--threads")->count() == 0)  // the processes of a machine share its cores
    set_threads(std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / place->local_size));
  distributed::GroupOptions group_options;
  group_options.timeout_seconds = options.timeout;
  if (distributed::is_launched()) group_options.join_seconds = distributed::start_seconds(options.timeout);
  group_options.advice = advice;
  auto group = std::make_unique<distributed::Group>(*place, device_of_rank(device, *place), group_options);
  as_rank(group.get(), [&] { require_alike(*group, command); });
  return group;
}

void as_rank(distributed::Group* group, const std::function<void()>& work) {
  if (group == nullptr) return work();
  try {
    work();
  } catch (const distributed::LostRank&) {
    throw;
  } catch (const CLI::Error&) {  // asked to stop, as all are
    throw;
  } catch (const std::exception& failure) {
    if (group->tell_failure(failure.what())) throw;
    throw distributed::LostRank(failure.what(), /*is_told=*/!distributed::is_launched());
  }
}

}  // namespace scdcf::app
