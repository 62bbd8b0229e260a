#include "scdcf/experiments/reproduce.h"

namespace scdcf::experiments {

std::vector<Experiment> experiments() {
  return {
      {"equivariance", "Figure 2: feature maps of a rescaled image, ScDCFNet and CNN", "seconds",
       reproduce_equivariance},
      {"depth", "Figure 3: equivariance error against depth, both paddings of the scale axis", "3 minutes on two cores",
       reproduce_depth},
  };
}

}  // namespace scdcf::experiments
