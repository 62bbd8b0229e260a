// IDX, the format of MNIST and Fashion-MNIST: a magic number that gives type and rank, big-endian sizes, then bytes.
#pragma once

#include <string>
#include <vector>

#include "scdcf/data/image_set.h"
#include "scdcf/files/read_file.h"

namespace scdcf::data {

/// An array of bytes, row by row.
struct IdxArray {
  std::vector<std::int64_t> sizes;
  files::Bytes values;
};

/// Reads an array of unsigned bytes of rank `rank`, plain or gzipped. The sizes in the header are held against the
/// number of bytes before anything is allocated. `name` is what an Error calls the file.
IdxArray parse_idx(const files::Bytes& bytes, int rank, const std::string& name);

/// Pictures [count, height, width] and labels [count], joined.
ImageSet join_idx(IdxArray images, const IdxArray& labels, std::vector<std::string> class_names,
                  const std::string& name);

/// FOLDER/PART-images-idx3-ubyte and FOLDER/PART-labels-idx1-ubyte, each with or without .gz; part: train or t10k.
ImageSet read_idx_part(const std::string& folder, const std::string& part, std::vector<std::string> class_names);

/// Whether the folder holds the training pictures of an IDX set.
bool is_idx_folder(const std::string& folder);

}  // namespace scdcf::data
