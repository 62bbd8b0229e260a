// Reads what torch::pickle_save writes of texts and tensors by name. Not torch's own reader: that one takes the sizes
// in a file at their word and reads past its end, which is no way to open a stranger's file.
#pragma once

#include <torch/types.h>

#include <map>
#include <string>
#include <string_view>

namespace scdcf::train {

struct Pickled {
  std::map<std::string, std::string_view> texts;                        ///< within the archive
  std::map<std::string, std::map<std::string, torch::Tensor>> tensors;  ///< tables of them, by the table's name
};

/// Throws Error, beginning with `name`, for anything else. Tensors are on the CPU.
Pickled unpickle(std::string_view archive, const std::string& name);

}  // namespace scdcf::train
