#include "scdcf/tables/published_sizes.h"

namespace scdcf::tables {

const std::vector<SizeRange>& stir_scenarios() {
  static const std::vector<SizeRange> scenarios = {{17, 32}, {33, 48}, {49, 64}};
  return scenarios;
}

const std::vector<PublishedStir>& published_stir() {
  static const std::vector<PublishedStir> rows = {
      {"CNN", {63.4, 76.7, 68.5}},
      {"spatial transformer", {35.4, 85.3, 72.3}},
      {"Xu (like SI-CNN)", {62.6, 79.8, 66.3}},
      {"Kanazawa (LSI-CNN)", {69.4, 83.2, 71.0}},
      {"SESN", {74.8, 84.3, 79.9}},
      {"DISCO", {77.9, 83.6, 78.6}},
      {"SiConv slice", {85.7, 89.7, 81.0}},
      {"SiConv pixel", {89.3, 89.1, 82.9}},
      {"Ensemble (image pyramid, shared weights)", {92.8, 90.8, 84.9}},
  };
  return rows;
}

const std::vector<PublishedLargeScale>& published_large_scale() {
  static const std::vector<PublishedLargeScale> rows = {
      {"RieszNet", 1, {0.5, 1, 2, 4, 8}, {96.34, 98.58, 98.39, 96.42, 51.82}},
  };
  return rows;
}

}  // namespace scdcf::tables
