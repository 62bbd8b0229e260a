#include "scdcf/distributed/place.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

#include "support/expect_error.h"

namespace scdcf::distributed {
namespace {

/// Exactly these of the variables that matter.
class Environment {
 public:
  explicit Environment(const std::map<std::string, std::string>& values) {
    clear();
    for (const auto& [name, value] : values) setenv(name.c_str(), value.c_str(), 1);
  }
  ~Environment() { clear(); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  static void clear() {
    for (const char* name : {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT",
                             "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_NTASKS_PER_NODE",
                             "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "PMI_RANK"})
      unsetenv(name);
  }
};

TEST(Place, is_what_torchrun_says) {
  const Environment environment({{"RANK", "5"},
                                 {"WORLD_SIZE", "8"},
                                 {"LOCAL_RANK", "1"},
                                 {"LOCAL_WORLD_SIZE", "4"},
                                 {"MASTER_ADDR", "node0"},
                                 {"MASTER_PORT", "29500"}});
  const auto place = place_from_environment();
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(place->rank, 5);
  EXPECT_EQ(place->size, 8);
  EXPECT_EQ(place->local_rank, 1);
  EXPECT_EQ(place->local_size, 4);
  EXPECT_EQ(place->address, "node0");
  EXPECT_EQ(place->port, 29500);
}

TEST(Place, is_what_slurm_or_mpi_say_where_torchrun_does_not) {
  {
    const Environment slurm({{"SLURM_PROCID", "3"},
                             {"SLURM_NTASKS", "4"},
                             {"SLURM_LOCALID", "1"},
                             {"MASTER_ADDR", "a"},
                             {"MASTER_PORT", "1"}});
    EXPECT_EQ(place_from_environment()->rank, 3);
    EXPECT_EQ(place_from_environment()->local_rank, 1);
  }
  const Environment mpi(
      {{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "3"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "1"}});
  EXPECT_EQ(place_from_environment()->rank, 2);
  EXPECT_EQ(place_from_environment()->size, 3);
}

TEST(Place, of_a_command_in_a_batch_job_is_none) {
  const Environment job({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}});
  EXPECT_FALSE(place_from_environment().has_value());
}

TEST(Place, names_the_variable_that_is_missing_or_wrong) {
  {
    const Environment environment({{"RANK", "8"}, {"WORLD_SIZE", "8"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "1"}});
    testing::expect_error([] { place_from_environment(); }, "RANK: got \"8\", expected a number from 0 to 7");
  }
  {
    const Environment environment({{"RANK", "0"}, {"WORLD_SIZE", "8"}, {"MASTER_ADDR", "a"}});
    testing::expect_error([] { place_from_environment(); }, "MASTER_PORT: is not set");
  }
  const Environment environment({{"MASTER_ADDR", "a"}, {"MASTER_PORT", "1"}});
  testing::expect_error([] { place_from_environment(); }, "no RANK");
}

}  // namespace
}  // namespace scdcf::distributed
