// How the operators keep their maps: [N, C, S, H, W] and [N, C, H, W] with the channels innermost.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

namespace scdcf::ops {

inline at::MemoryFormat channels_last_format(const at::Tensor& map) {
  return map.dim() == 4 ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::ChannelsLast3d;
}

/// The map as kernels read it: dense, channels innermost, and from an address at which 16 bytes may be read at once. A
/// view into the middle of a storage begins anywhere; it is copied where it must be.
inline at::Tensor channels_last(const at::Tensor& map) {
  const auto dense = map.contiguous(channels_last_format(map));
  const bool aligned = reinterpret_cast<uintptr_t>(dense.data_ptr()) % 16 == 0;
  return aligned ? dense : dense.clone(channels_last_format(map));
}

/// A map of these sizes, of the type and on the device of `like`. Strides are written out: LibTorch 1.13 has no memory
/// format of symbolic sizes.
inline at::Tensor empty_channels_last(c10::SymIntArrayRef sizes, const at::Tensor& like) {
  std::vector<c10::SymInt> strides(sizes.size(), 1);
  c10::SymInt step = sizes[1];
  for (size_t i = sizes.size() - 1; i > 1; --i) strides[i] = step, step *= sizes[i];
  strides[0] = step;
  return at::empty_strided_symint(sizes, strides, like.options());
}

}  // namespace scdcf::ops
