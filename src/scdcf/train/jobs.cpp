#include "scdcf/train/jobs.h"

#include <atomic>

#include "scdcf/core/error.h"
#include "scdcf/core/for_each.h"

namespace scdcf::train {

void check_jobs(int jobs, const std::string& device) {
  require(jobs >= 1, "jobs: got ", jobs, ", expected 1 or more");
  require(jobs == 1 || device != "cpu", "jobs: got ", jobs,
          ", expected 1 on the CPU, where one run uses every core already");
}

bool make_runs(std::int64_t count, int jobs, const std::function<bool()>& stop,
               const std::function<bool(std::int64_t)>& make) {
  std::atomic<bool> all{true};
  for_each(count, jobs, [&](std::int64_t i) {
    if (stop() || !make(i)) all = false;
  });
  return all;
}

}  // namespace scdcf::train
