// The right to something, for a while: held by one process of many, on whatever machines share a folder, also where
// file locks do not reach from one machine to another.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "scdcf/core/clock.h"

namespace scdcf::files {

/// A file that its holder rewrites now and then. One that was not rewritten for `seconds`, by the clock of whoever
/// looks at it, is over: its holder is lost, and another may take it.
class Lease {
 public:
  Lease(Lease&&) noexcept;
  Lease& operator=(Lease&&) noexcept;
  ~Lease();  ///< gives it back
  /// The holder before was lost.
  bool was_left() const;
  /// It was taken over meanwhile, because this process was not heard of for too long.
  bool is_lost() const;

 private:
  friend class LeaseTaker;
  struct Held;
  explicit Lease(std::unique_ptr<Held> held);
  std::unique_ptr<Held> held_;
};

/// Remembers what it has seen of the leases of others. May be used by several threads.
class LeaseTaker {
 public:
  /// `clock` gives seconds, never 0, by which the leases of others are over.
  explicit LeaseTaker(double seconds, std::function<double()> clock = now)
      : seconds_(seconds), clock_(std::move(clock)) {}
  /// Nothing where somebody has it, as far as is known yet: ask again. `others_here_are_gone`: a file lock says that no
  /// process of this machine has it.
  std::optional<Lease> take(const std::filesystem::path& file, bool others_here_are_gone);

 private:
  struct Seen {
    std::string content;
    double since = 0;
  };
  bool is_over(const std::filesystem::path& file, const std::string& content);

  double seconds_;
  std::function<double()> clock_;
  std::mutex mutex_;
  std::map<std::string, Seen> seen_;
};

}  // namespace scdcf::files
