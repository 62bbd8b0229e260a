#include "scdcf/figures/digits.h"

#include <ATen/ATen.h>

#include "scdcf/core/error.h"
#include "scdcf/data/datasets.h"
#include "scdcf/data/places.h"

namespace scdcf::figures {

std::string digit_source(const FigureOptions& options) {
  if (options.data.empty()) return data::find_dataset("mnist", options.data_dir).empty() ? "glyphs" : "mnist";
  require(options.data == "mnist" || options.data == "fashion" || options.data == "glyphs", "data: got \"",
          options.data, "\", expected mnist, fashion or glyphs");
  return options.data;
}

at::Tensor centred_digits(const FigureOptions& options, int64_t count, int side, int64_t canvas) {
  data::DataOptions wanted;
  wanted.name = digit_source(options);
  wanted.data_dir = options.data_dir;
  wanted.train_size = 10;  // they are not looked at
  wanted.test_size = count;
  wanted.size = side;
  const auto set = data::load(wanted).test;
  require(set.count() >= count, "data ", wanted.name, ": got ", set.count(), " test images, expected ", count);
  auto* pixels = const_cast<std::uint8_t*>(set.pixels.data());  // from_blob wants it so; the copy below only reads
  const auto digits = at::from_blob(pixels, {count, 1, side, side}, at::kByte).to(at::kFloat) / 255;
  auto result = at::zeros({count, 1, canvas, canvas});
  const int64_t margin = (canvas - side) / 2;
  result.narrow(2, margin, side).narrow(3, margin, side).copy_(digits);
  return result;
}

report::Map map_of(const at::Tensor& tensor, double unit) {
  const auto values = (tensor.detach().to(at::kCPU, at::kFloat) / unit).contiguous();
  const auto* first = values.data_ptr<float>();
  return {static_cast<int>(values.size(0)), static_cast<int>(values.size(1)), {first, first + values.numel()}};
}

}  // namespace scdcf::figures
