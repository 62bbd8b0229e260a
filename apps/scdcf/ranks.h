// Several processes that make one run: how they are started, how they find each other, and that they mean the same.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>

#include "scdcf/distributed/group.h"

namespace scdcf::app {

struct RankOptions {
  int processes = 1;
  double timeout = 40;  ///< seconds
};
void add_rank_options(CLI::App& command, RankOptions& options);

/// Whether this process is to start the ranks, and not one of them.
bool starts_ranks(const RankOptions& options);
/// Starts them and waits for their end; throws what became of them where that was no good end. `advice` is added to the
/// line about a lost rank.
void run_ranks(const RankOptions& options, const std::function<std::string()>& advice);

/// The group that this process belongs to, by its environment; null where it is on its own. Throws Error where the
/// ranks are of different versions or were started with different options, naming the difference.
std::unique_ptr<distributed::Group> join_ranks(const RankOptions& options, const CLI::App& command,
                                               const std::string& device, const std::function<std::string()>& advice);

/// Runs `work` of a rank. What it throws is told to the other ranks; only one of all tells the user.
void as_rank(distributed::Group* group, const std::function<void()>& work);

}  // namespace scdcf::app
