#include "scdcf/figures/figures.h"

namespace scdcf::figures {

std::vector<Figure> figures() {
  return {
      {"equivariance", "Figure 2: feature maps of a rescaled image, ScDCFNet and CNN", "seconds",
       reproduce_equivariance},
      {"depth", "Figure 3: equivariance error against depth, both paddings of the scale axis", "3 minutes on two cores",
       reproduce_depth},
      {"reconstruction", "Figure 4: images decoded from a rescaled code", "minutes on a GPU, hours on two cores",
       reproduce_reconstruction},
      {"reconstruction-error", "Figure 5: error of images decoded from rescaled codes, CNN and K = 5, 8, 12, 15",
       "minutes on a GPU, many hours on two cores", reproduce_reconstruction_error},
  };
}

}  // namespace scdcf::figures
