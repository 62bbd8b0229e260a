// network_input for Python, as an operator of libscdcf.so where the codecs are linked.
#include <torch/library.h>
#include <torch/types.h>

#include <algorithm>

#include "scdcf/core/error.h"
#include "scdcf/pixels/network_input.h"

namespace scdcf::pixels {
namespace {

/// The pixels [C, H, W] of a PNG or JPEG file's bytes.
torch::Tensor network_input_of(const torch::Tensor& file, const std::string& name, int64_t size, int64_t channels,
                               const std::string& fit, int64_t background) {
  require(file.dim() == 1 && file.scalar_type() == torch::kByte && file.device().is_cpu(), name,
          ": got a tensor that is no row of bytes in memory");
  require(size >= 0 && size <= static_cast<int64_t>(kLargestSide), "size: got ", size, ", expected 0 to ",
          kLargestSide);
  require(channels == 0 || channels == 1 || channels == 3, "channels: got ", channels, ", expected 0, 1 or 3");
  require(background >= 0 && background <= 255, "background: got ", background, ", expected 0 to 255");
  const auto bytes = file.contiguous();
  const auto* data = bytes.data_ptr<std::uint8_t>();
  const auto input = network_input(
      {data, data + bytes.numel()}, name,
      {static_cast<int>(size), static_cast<int>(channels), fit_of(fit), static_cast<std::uint8_t>(background)});
  const auto& image = input.image;
  auto pixels = torch::empty({image.channels, image.height, image.width}, torch::kByte);
  std::copy(image.pixels.begin(), image.pixels.end(), pixels.data_ptr<std::uint8_t>());
  return pixels;
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(scdcf, m) {
  m.def("network_input(Tensor file, str name, int size, int channels, str fit, int background) -> Tensor",
        network_input_of);
}

}  // namespace scdcf::pixels
