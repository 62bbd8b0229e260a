#include "scdcf/distributed/place.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "scdcf/core/error.h"
#include "scdcf/distributed/rank_process.h"

namespace scdcf::distributed {
namespace {

/// One starter's names for the same four numbers; a null where it has none.
struct Names {
  const char *rank, *size, *local_rank, *local_size;
};
constexpr Names kNames[] = {
    {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"},
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_NTASKS_PER_NODE"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"}};

bool is_set(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr && *text != '\0';
}

int number(const char* name, int least, int most) {
  const char* text = std::getenv(name);
  require(text != nullptr && *text != '\0', name, ": is not set, expected a number");
  const char* end = text + std::strlen(text);
  int value = 0;
  const auto [stopped, failure] = std::from_chars(text, end, value);
  require(failure == std::errc() && stopped == end && value >= least && value <= most, name, ": got \"", text,
          "\", expected a number from ", least, " to ", most);
  return value;
}

int number_or(const char* name, int otherwise, int least, int most) {
  return is_set(name) ? number(name, least, most) : otherwise;
}

}  // namespace

std::optional<Place> place_from_environment() {
  // The rank alone is no sign: within a batch job of Slurm every command has one.
  if (!is_set("MASTER_ADDR")) return std::nullopt;
  constexpr int kMost = 1 << 16;
  for (const auto& names : kNames) {
    if (!is_set(names.rank)) continue;
    Place place;
    place.size = number(names.size, 1, kMost);
    place.rank = number(names.rank, 0, place.size - 1);
    place.local_rank = number_or(names.local_rank, 0, 0, kMost);
    place.local_size = number_or(names.local_size, 1, 1, kMost);
    place.address = std::getenv("MASTER_ADDR");
    if (is_set(kStore))
      place.folder = std::getenv(kStore);
    else
      place.port = number("MASTER_PORT", 1, 65535);
    return place;
  }
  detail::fail("MASTER_ADDR: is set, but no RANK: expected RANK and WORLD_SIZE, or the variables of Slurm or MPI");
}

}  // namespace scdcf::distributed
