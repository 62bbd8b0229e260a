// STL-10's binary files: pictures of 3 planes of 96 x 96 bytes, each plane column by column; labels 1..10.
#pragma once

#include <string>
#include <vector>

#include "scdcf/data/image_set.h"
#include "scdcf/files/read_file.h"

namespace scdcf::data {

constexpr int kStl10Side = 96;

/// `name` is what an Error calls the pictures' file.
ImageSet parse_stl10(const files::Bytes& images, const files::Bytes& labels, std::vector<std::string> class_names,
                     const std::string& name);

/// class_names.txt: ten names, one a line.
std::vector<std::string> parse_class_names(const files::Bytes& text, const std::string& name);

/// fold_indices.txt: ten lines of 0-based indices of training pictures, separated by blanks.
std::vector<std::vector<std::int64_t>> parse_folds(const files::Bytes& text, std::int64_t count,
                                                   const std::string& name);

/// FOLDER/PART_X.bin and FOLDER/PART_y.bin with FOLDER/class_names.txt; part: train or test.
ImageSet read_stl10_part(const std::string& folder, const std::string& part);

/// The ten predefined folds of the training pictures, from FOLDER/fold_indices.txt.
std::vector<std::vector<std::int64_t>> read_stl10_folds(const std::string& folder, std::int64_t train_count);

bool is_stl10_folder(const std::string& folder);
bool has_stl10_test(const std::string& folder);

}  // namespace scdcf::data
