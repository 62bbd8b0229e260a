// Which numbers in a trace stand for the count of images.
#pragma once

#include <torch/csrc/jit/ir/ir.h>

namespace scdcf::exchange {

/// `graph` was traced with `count` images, `other` with one more: C++ asks a tensor for its sizes as plain numbers, so
/// a trace holds those of its images. Numbers that differ between the two become -1, where a tensor is given a new
/// shape, or functions of the size of the input. Throws Error where the two differ in anything else.
void free_batch(torch::jit::Graph& graph, torch::jit::Graph& other, int64_t count);

}  // namespace scdcf::exchange
