#include "scdcf/data/idx.h"

#include <filesystem>
#include <iomanip>
#include <sstream>

#include "scdcf/core/error.h"
#include "scdcf/files/gzip.h"
#include "scdcf/pixels/image_file.h"

namespace scdcf::data {
namespace {

std::uint32_t big_endian(const files::Bytes& bytes, std::size_t at) {
  return std::uint32_t{bytes[at]} << 24 | std::uint32_t{bytes[at + 1]} << 16 | std::uint32_t{bytes[at + 2]} << 8 |
         std::uint32_t{bytes[at + 3]};
}

std::string hexadecimal(std::uint32_t word) {
  std::ostringstream text;
  text << "0x" << std::hex << std::setw(8) << std::setfill('0') << word;
  return text.str();
}

std::string plain_or_gzip(const std::string& path) {
  return !std::filesystem::exists(path) && std::filesystem::exists(path + ".gz") ? path + ".gz" : path;
}

}  // namespace

IdxArray parse_idx(const files::Bytes& bytes, int rank, const std::string& name) {
  const std::size_t header = 4 + 4 * static_cast<std::size_t>(rank);
  const bool packed = files::is_gzip(bytes);
  require(packed || bytes.size() >= header, name, ": got ", bytes.size(), " bytes, expected a header of ", header);
  const files::Bytes start =
      packed ? files::inflate_start(bytes, header, name) : files::Bytes(bytes.begin(), bytes.begin() + header);
  const std::uint32_t magic = big_endian(start, 0), expected_magic = 0x0800U + static_cast<std::uint32_t>(rank);
  require(magic == expected_magic, name, ": got the magic number ", hexadecimal(magic), ", expected ",
          hexadecimal(expected_magic));

  IdxArray array;
  std::uint64_t count = 1;
  for (int axis = 0; axis < rank; ++axis) {
    const std::uint64_t size = big_endian(start, 4 + 4 * static_cast<std::size_t>(axis));
    require(size > 0, name, ": axis ", axis, " has size 0");
    require(axis == 0 || size <= pixels::kLargestSide, name, ": pictures of ", size,
            " pixels a side, expected at most ", pixels::kLargestSide);
    array.sizes.push_back(static_cast<std::int64_t>(size));
    count *= size;  // at most 2^32 before, and sides of at most 2^14: no overflow before the check
    require(count <= files::kLargestFile, name, ": announces more than ", files::kLargestFile, " bytes");
  }
  if (packed) {
    array.values = files::inflate_all(bytes, header + count, name);
    array.values.erase(array.values.begin(), array.values.begin() + static_cast<std::ptrdiff_t>(header));
  } else {
    require(bytes.size() == header + count, name, ": got ", bytes.size(), " bytes, expected ", header + count);
    array.values.assign(bytes.begin() + static_cast<std::ptrdiff_t>(header), bytes.end());
  }
  return array;
}

ImageSet join_idx(IdxArray images, const IdxArray& labels, std::vector<std::string> class_names,
                  const std::string& name) {
  require(images.sizes.size() == 3 && labels.sizes.size() == 1, name, ": got arrays of rank ", images.sizes.size(),
          " and ", labels.sizes.size(), ", expected 3 and 1");
  require(images.sizes[0] == labels.sizes[0], name, ": got ", labels.sizes[0], " labels for ", images.sizes[0],
          " pictures");
  ImageSet set;
  set.height = static_cast<int>(images.sizes[1]);
  set.width = static_cast<int>(images.sizes[2]);
  set.pixels = std::move(images.values);
  set.labels.assign(labels.values.begin(), labels.values.end());
  set.class_names = std::move(class_names);
  for (std::size_t i = 0; i < set.labels.size(); ++i)
    require(set.labels[i] < static_cast<std::int64_t>(set.class_names.size()), name, ": label ", i, " is ",
            set.labels[i], ", expected less than ", set.class_names.size());
  return set;
}

ImageSet read_idx_part(const std::string& folder, const std::string& part, std::vector<std::string> class_names) {
  const std::string start = folder + "/" + part;
  const std::string images = plain_or_gzip(start + "-images-idx3-ubyte");
  const std::string labels = plain_or_gzip(start + "-labels-idx1-ubyte");
  auto image_array = parse_idx(files::read_file(images), 3, images);
  const auto label_array = parse_idx(files::read_file(labels), 1, labels);
  return join_idx(std::move(image_array), label_array, std::move(class_names), labels);
}

bool is_idx_folder(const std::string& folder) {
  return std::filesystem::exists(plain_or_gzip(folder + "/train-images-idx3-ubyte"));
}

}  // namespace scdcf::data
