// The numbers that the paper prints in its Tables 1 to 4: test accuracy in percent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace scdcf::tables {

struct PaperValue {
  double mean = 0, deviation = 0;  ///< mean +- std over five realisations (three trials in Table 4)
};

/// A place in a table. Where Table 3 is not meant, scale_modes and modes are 0.
struct CellId {
  std::string data;
  int size = 0;                 ///< side of the images
  bool augmented = false;       ///< the "+" of the tables
  std::int64_t train_size = 0;  ///< N_tr; 0 for the whole set
  std::string model;
  int scale_modes = 0, modes = 0;  ///< K_alpha and K

  bool operator==(const CellId& o) const {
    return data == o.data && size == o.size && augmented == o.augmented && train_size == o.train_size &&
           model == o.model && scale_modes == o.scale_modes && modes == o.modes;
  }
};

struct PaperCell {
  int table = 0;  ///< 1: SMNIST, 2: SFashion, 3: ablation, 4: STL-10
  CellId id;
  PaperValue value;
};

/// All 96 + 96 + 80 + 7 of them.
const std::vector<PaperCell>& paper_cells();
/// Nothing where the paper has no such cell.
std::optional<PaperValue> paper_value(int table, const CellId& id);

struct ScaleAndSpaceModes {
  int scale_modes = 0, modes = 0;
};
/// The ten (K_alpha, K) of Table 3, in its order.
const std::vector<ScaleAndSpaceModes>& ablation_pairs();
/// The networks of Tables 1 and 2, and of Table 4, in the order of their lines.
const std::vector<std::string>& digit_models();
/// And those with which this project goes on: equivariant up to their scores, and their rival.
const std::vector<std::string>& range_models();
/// Both.
std::vector<std::string> all_digit_models();
const std::vector<std::string>& natural_models();

}  // namespace scdcf::tables
