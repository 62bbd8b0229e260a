// Data sets by name: where they are looked for and how they are made ready for training.
#pragma once

#include <cstdint>
#include <string>

#include "scdcf/data/image_folder.h"

namespace scdcf::data {

/// What `load` makes of a name.
struct DataOptions {
  /// mnist, fashion, glyphs (as they are); smnist and so on (scaled.h); stir-mnist and so on (stir.h);
  /// mnist-large-scale and so on (large_scale.h); stl10; or the path of an image folder, or the name of one in a folder
  /// where data is looked for (places.h).
  std::string name = "smnist";
  std::string data_dir;              ///< looked in first; empty for the usual places
  std::int64_t train_size = 0;       ///< a prefix of the training split; 0 for all of it
  std::int64_t test_size = 0;        ///< a prefix of the test split; 0 for all of it
  std::int64_t validation_size = 0;  ///< a prefix of the validation split; 0 for all of it
  int size = 0;                      ///< side in pixels; 0 for the native size, or that of the outline (image_folder.h)
  std::string fit = "crop";          ///< crop, pad or stretch: how images become squares (pixels::Fit)
  int realisation = 0;               ///< which random split and scaling
  double smallest_factor = 0.3;      ///< of the scaled sets
  double largest_factor = 1.0;
  int channels = 0;  ///< of an image folder: 1 or 3; 0 for what the pictures have
  int fold = -1;     ///< of STL-10: train on this predefined fold, 0..9; -1 for all training pictures
  /// standard: mean 0 and deviation 1 over the training pictures; black: root mean square 1, black stays 0, so that the
  /// zeros which convolutions see beyond the border continue a black ground.
  std::string normalisation = "standard";
  double validation_share = 1.0 / 12;  ///< of the training images, in sets without a validation part; 0: none, in all
  int smallest_size = 17;              ///< of the stir sets: objects in training and validation, in pixels of 64
  int largest_size = 64;
  int background = -1;     ///< grey value behind transparent pixels; -1 for ground_of(name). Not an option
  double train_scale = 1;  ///< of the large-scale sets: the factor in training and validation
  double test_scale = 0;   ///< of the large-scale sets: the factor in the test; 0 for all seventeen
};

/// The splits of a data set. The scaled sets have 10,000 / 2,000 / 50,000 pictures; stir.h and large_scale.h say what
/// theirs have. Of the others the official training
/// pictures are split, stratified and seeded by the realisation, into training and validation; sets without test
/// images give a fifth for that first; image folders without a test folder are split by a hash of the file name
/// (split_by_name), and val/ is used where it exists. Every prefix keeps the proportions of the classes. mean and
/// deviation follow `normalisation`, from the training pictures in use; of STL-10, from its whole training set. Throws
/// Error, naming the file and the cause, for anything missing or wrong.
Splits load(const DataOptions& options);

/// The outline of an image folder (image_folder.h); empty for other sets.
FolderOutline outline_of(const DataOptions& options);

/// What transparent pictures are laid on to be like a set's own: black for all that is made of mnist, fashion or glyphs
/// (Splits::black_ground), white for others.
std::uint8_t ground_of(const std::string& name);

}  // namespace scdcf::data
