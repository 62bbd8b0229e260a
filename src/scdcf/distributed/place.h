// Where a process stands among those that work together, as whoever started it says in its environment.
#pragma once

#include <optional>
#include <string>

namespace scdcf::distributed {

struct Place {
  int rank = 0;
  int size = 1;        ///< processes in all
  int local_rank = 0;  ///< among those of this machine: the number of its GPU
  int local_size = 1;
  std::string address;   ///< of rank 0's machine
  int port = 0;          ///< of the store that rank 0 holds there
  std::string folder{};  ///< of the store, instead, where launch_ranks has started all processes on this machine
};

/// Nothing where this process is on its own. A group is asked for by MASTER_ADDR and MASTER_PORT together with RANK and
/// WORLD_SIZE (torchrun), or Slurm's, Open MPI's or MPICH's names for these. Throws Error naming the variable that is
/// missing or wrong.
std::optional<Place> place_from_environment();

}  // namespace scdcf::distributed
