// What is registered of the layers, beside the operators of ops/library.cpp, for modules in another language that keep
// parameters and constants themselves: python/scdcf. Options come as words (core/named_texts.h), tables go as plain
// numbers in double. What takes tensors is a function of torch's own operators and ours, so that it is differentiated
// and traced as they are.
#include <torch/library.h>

#include <algorithm>

#include "scdcf/core/error.h"
#include "scdcf/core/named_texts.h"
#include "scdcf/nn/enlarge.h"
#include "scdcf/nn/filter_expansion.h"
#include "scdcf/nn/input_checks.h"
#include "scdcf/nn/joint_conv.h"
#include "scdcf/nn/lifting_conv.h"
#include "scdcf/nn/norm_relu_pool.h"
#include "scdcf/nn/pointwise_conv.h"
#include "scdcf/nn/pooling.h"
#include "scdcf/nn/read_out.h"
#include "scdcf/ops/checks.h"
#include "scdcf/ops/separable.h"

namespace scdcf::nn {
namespace {

using TextDict = c10::Dict<std::string, std::string>;
using Numbers = std::vector<double>;
using Wholes = std::vector<int64_t>;

constexpr int64_t kMostPixels = 1 << 15;  // a side of a map that tables are made for

NamedTexts texts_of(const TextDict& dict) {
  NamedTexts texts;
  for (const auto& item : dict) texts[item.key()] = item.value();
  return texts;
}

// ---- options ------------------------------------------------------------------------------------------------------

const std::vector<SpatialPadding> kPaddings = {SpatialPadding::zero, SpatialPadding::replicate, SpatialPadding::none};
const std::vector<ScaleSupport> kSupports = {ScaleSupport::one_sided, ScaleSupport::centred};
const std::vector<ScalePadding> kScalePaddings = {ScalePadding::replicate, ScalePadding::zero};

template <class Options>
void read_channels(Options& options, const NamedTexts& texts) {
  options.stride(option_from<int64_t>(texts, "stride")).bias(option_from<int64_t>(texts, "bias") != 0);
}

template <class Options>
void read_taps(Options& options, const NamedTexts& texts) {
  options.scale_taps(option_from<int>(texts, "scale_taps"))
      .scale_modes(option_from<int>(texts, "scale_modes"))
      .support(choice_from(texts, "support", kSupports))
      .scale_padding(choice_from(texts, "scale_padding", kScalePaddings));
}

template <class Options>
Options read_conv(const NamedTexts& texts) {
  Options options(option_from<int64_t>(texts, "in_channels"), option_from<int64_t>(texts, "out_channels"),
                  basis::ScaleGrid(option_from<int>(texts, "scales"), option_from<double>(texts, "step"),
                                   option_from<double>(texts, "finest_width")));
  read_channels(options, texts);
  return options.basis(option_from<std::string>(texts, "basis"))
      .modes(option_from<int>(texts, "modes"))
      .sampling(choice_from<basis::Sampling>(texts, "sampling", {basis::Sampling::area, basis::Sampling::point}))
      .max_kernel_size(option_from<int>(texts, "max_kernel_size"))
      .padding(choice_from(texts, "padding", kPaddings))
      .algorithm(choice_from<Algorithm>(texts, "algorithm",
                                        {Algorithm::automatic, Algorithm::separable, Algorithm::composed}));
}

JointConvOptions read_joint(const NamedTexts& texts) {
  auto options = read_conv<JointConvOptions>(texts);
  read_taps(options, texts);
  return options;
}

PointwiseConvOptions read_pointwise(const NamedTexts& texts) {
  PointwiseConvOptions options(option_from<int64_t>(texts, "in_channels"), option_from<int64_t>(texts, "out_channels"));
  read_channels(options, texts);
  read_taps(options, texts);
  return options;
}

template <class Options>
void write_channels(TextDict& texts, const Options& options) {
  texts.insert("stride", exact_text(options.stride()));
  texts.insert("bias", exact_text(options.bias()));
}

template <class Options>
void write_conv(TextDict& texts, const Options& options) {
  write_channels(texts, options);
  texts.insert("basis", options.basis());
  texts.insert("modes", exact_text(options.modes()));
  texts.insert("sampling", name_of(options.sampling()));
  texts.insert("max_kernel_size", exact_text(options.max_kernel_size()));
  texts.insert("padding", name_of(options.padding()));
  texts.insert("algorithm", name_of(options.algorithm()));
}

template <class Options>
void write_taps(TextDict& texts, const Options& options) {
  texts.insert("scale_taps", exact_text(options.scale_taps()));
  texts.insert("scale_modes", exact_text(options.scale_modes()));
  texts.insert("support", name_of(options.support()));
  texts.insert("scale_padding", name_of(options.scale_padding()));
}

/// The options that a layer has where they are left open.
TextDict layer_defaults(const std::string& layer) {
  TextDict texts;
  const basis::ScaleGrid any(1, 1, 1);
  if (layer == "LiftingConv") {
    write_conv(texts, LiftingConvOptions(1, 1, any));
  } else if (layer == "JointConv") {
    write_conv(texts, JointConvOptions(1, 1, any));
    write_taps(texts, JointConvOptions(1, 1, any));
  } else if (layer == "PointwiseConv") {
    write_channels(texts, PointwiseConvOptions(1, 1));
    write_taps(texts, PointwiseConvOptions(1, 1));
  } else if (layer == "NormReluPool") {
    const NormReluPoolOptions options(1);
    texts.insert("window", exact_text(options.window()));
    texts.insert("stride", exact_text(options.stride()));
    texts.insert("padding", exact_text(options.padding()));
    texts.insert("eps", exact_text(options.eps()));
    texts.insert("momentum", exact_text(options.momentum()));
  } else if (layer == "SpatialUpsample") {
    const SpatialUpsampleOptions options;
    texts.insert("factor", exact_text(options.factor()));
    texts.insert("mode", name_of(options.mode()));
  } else {
    require(layer == "Enlarge", "layer: got \"", layer,
            "\", expected LiftingConv, JointConv, PointwiseConv, NormReluPool, SpatialUpsample or Enlarge");
    const EnlargeOptions options(1);
    texts.insert("frame", exact_text(options.frame()));
    texts.insert("padding", name_of(options.padding()));
  }
  return texts;
}

// ---- lifting and joint convolution --------------------------------------------------------------------------------

/// Everything that a convolution is made of but its parameters.
struct ConvPlan {
  ConvPlan(const FilterExpansion& expansion, const ops::ConvGeometry& geometry)
      : sets(ops::tap_sets(expansion.sources())),
        arguments(ops::separable_arguments(expansion.filters().sampled(), sets, geometry)) {
    const auto& basis = expansion.scale_basis();
    for (int m = 0; m < basis.count; ++m)
      for (const auto& set : sets.sets) {
        double sum = 0;
        for (const int64_t tap : set) sum += basis.value(m, static_cast<int>(tap));
        taps.push_back(sum);
      }
    for (const auto& scale : expansion.filters().sampled().scales) {
      factors.insert(factors.end(), scale.columns.begin(), scale.columns.end());
      factors.insert(factors.end(), scale.rows.begin(), scale.rows.end());
      filters.insert(filters.end(), scale.filters.begin(), scale.filters.end());
    }
  }
  ops::TapSets sets;
  ops::SeparableArguments arguments;
  Numbers taps, factors, filters;
};

/// Whether it is computed in the separable form: on a CPU, on a GPU, on a GPU in double.
template <class Options>
Wholes separable_where(const Options& options, const FilterExpansion& expansion) {
  const auto coefficients = at::empty(
      {options.out_channels(), options.in_channels(), expansion.scale_basis().count, expansion.filters().modes()});
  const auto phi = at::empty({expansion.scale_basis().count, expansion.scale_basis().taps});
  const int64_t side = 2 * expansion.filters().largest_radius() + 1;  // any will do
  const auto shape = ops::conv_shape(at::empty({1, 1, 1, side, side}), coefficients, phi, expansion.filters(),
                                     {options.stride(), options.padding()});
  Wholes answers;
  for (const auto& [cuda, type] : {std::pair{false, at::kFloat}, {true, at::kFloat}, {true, at::kDouble}}) {
    const auto chosen = options.algorithm() == Algorithm::automatic
                            ? ops::choose_algorithm(shape, expansion.filters(), expansion.sources(), cuda, type)
                            : options.algorithm();
    answers.push_back(chosen == Algorithm::separable ? 1 : 0);
  }
  require(options.algorithm() != Algorithm::separable || expansion.filters().sampled().basis->is_separable(),
          "algorithm: got separable for basis \"", options.basis(), "\", which is not, expected automatic or composed");
  return answers;
}

/// taps [K_alpha, sets], phi [K_alpha, L_alpha], factors, filters; modes, radii, sources; K_alpha, K, sets, factors
/// along y and x, padding; separable_where; the deviation of the first coefficients.
using ConvTables = std::tuple<Numbers, Numbers, Numbers, Numbers, Wholes, Wholes, Wholes, Wholes, Wholes, double>;

template <class Options>
ConvTables tables_of(const Options& options) {
  const FilterExpansion expansion(options);
  const ConvPlan plan(expansion, {options.stride(), options.padding()});
  const auto& a = plan.arguments;
  return {plan.taps,
          expansion.scale_basis().values,
          plan.factors,
          plan.filters,
          a.modes,
          a.radii,
          a.sources,
          {expansion.scale_basis().count, expansion.filters().modes(), static_cast<int64_t>(plan.sets.sets.size()),
           a.column_modes, a.row_modes, a.padding},
          separable_where(options, expansion),
          expansion.initial_deviation(options.in_channels())};
}

ConvTables conv_tables(bool lifting, const TextDict& dict) {
  const auto texts = texts_of(dict);
  return lifting ? tables_of(read_conv<LiftingConvOptions>(texts)) : tables_of(read_joint(texts));
}

/// `table` holds the factors where it is `separable`, else the filters [K, L_s, L_s] of every scale.
at::Tensor expanded_conv(const at::Tensor& input, const at::Tensor& coefficients, const c10::optional<at::Tensor>& bias,
                         const at::Tensor& taps, const at::Tensor& table, at::IntArrayRef modes, at::IntArrayRef radii,
                         at::IntArrayRef sources, int64_t column_modes, int64_t row_modes, int64_t stride,
                         int64_t padding, bool lifting, bool separable) {
  const char* name = lifting ? "LiftingConv" : "JointConv";
  require(!radii.empty(), name, ": radii: got none, expected one for every scale");
  if (lifting) {
    check_images(name, input);
  } else {
    check_features(name, input, /*channels=*/0, static_cast<int64_t>(radii.size()));
  }
  const ops::ConvGeometry geometry{stride, static_cast<SpatialPadding>(padding)};
  const bool inside = geometry.padding == SpatialPadding::none;
  ops::check_conv_input(name, input, coefficients, inside ? *std::max_element(radii.begin(), radii.end()) : 0);
  const auto features = lifting ? input.unsqueeze(2) : input;
  at::Tensor output;
  if (separable) {
    output =
        ops::separable_joint_conv(features, ops::mixing_matrices(coefficients, taps), table,
                                  {modes.vec(), radii.vec(), sources.vec(), column_modes, row_modes, stride, padding});
  } else {
    std::vector<at::Tensor> filters;
    int64_t first = 0;
    for (const int64_t radius : radii) {
      const int64_t size = 2 * radius + 1, count = coefficients.size(3) * size * size;
      filters.push_back(table.narrow(0, first, count).view({coefficients.size(3), size, size}));
      first += count;
    }
    output = ops::convolve_composed(features, coefficients, taps, filters, sources, geometry);
  }
  return bias ? output + bias->view({1, -1, 1, 1, 1}) : output;
}

/// modes_at_centre, [S, H W, K].
Numbers centre_modes(const TextDict& dict, int64_t height, int64_t width) {
  const auto options = read_joint(texts_of(dict));
  require(options.scale_taps() == 1 && options.stride() == 1 && options.padding() != SpatialPadding::none,
          "JointConv: at_centre: got ", options.scale_taps(), " scale taps, stride ", options.stride(), ", padding ",
          name_of(options.padding()), ", expected one tap, stride 1, padding zero or replicate");
  require(height >= 1 && width >= 1 && height <= kMostPixels && width <= kMostPixels, "JointConv: at_centre: got ",
          height, " x ", width, " pixels, expected 1 to ", kMostPixels, " a side");
  return modes_at_centre(FilterExpansion(options).filters().sampled(), options.padding(), height, width).values();
}

at::Tensor at_centre(const at::Tensor& input, const at::Tensor& coefficients, const c10::optional<at::Tensor>& bias,
                     const at::Tensor& phi, const at::Tensor& modes) {
  check_features("JointConv", input, /*channels=*/0, modes.size(0));
  ops::check_conv_input("JointConv", input, coefficients, 0);
  return joint_conv_at_centre(input, coefficients, bias.value_or(at::Tensor()), phi, modes);
}

// ---- the other layers ---------------------------------------------------------------------------------------------

/// phi [K_alpha, L_alpha], K_alpha, the deviation of the first coefficients.
std::tuple<Numbers, int64_t, double> pointwise_tables(const TextDict& dict) {
  const auto options = read_pointwise(texts_of(dict));
  const auto basis = scale_basis_of(options);
  return {basis.values, basis.count, initial_deviation(basis, options.in_channels())};
}

at::Tensor pointwise(const at::Tensor& input, const at::Tensor& coefficients, const c10::optional<at::Tensor>& bias,
                     const at::Tensor& phi, int64_t stride, const std::string& support, const std::string& padding) {
  const NamedTexts texts{{"support", support}, {"scale_padding", padding}};
  require(stride == 1 || stride == 2, "PointwiseConv: stride: got ", stride, ", expected 1 or 2");
  return pointwise_conv(input, coefficients, bias.value_or(at::Tensor()), phi, stride,
                        choice_from(texts, "support", kSupports), choice_from(texts, "scale_padding", kScalePaddings));
}

/// The stride in effect; refuses options that make no sense.
int64_t norm_relu_pool_stride(int64_t channels, int64_t window, int64_t stride, int64_t padding, double eps,
                              double momentum) {
  auto options = NormReluPoolOptions(channels).eps(eps).momentum(momentum);
  options.window(window).stride(stride).padding(padding);
  return NormReluPoolImpl(options).options.step();
}

/// Rows of the matrix [H', size] that resamples an axis of `size` pixels, and the matrix.
std::tuple<int64_t, Numbers> enlarge_matrix(double factor, int64_t frame, const std::string& padding, int64_t size) {
  require(size >= 1 && size <= kMostPixels, "Enlarge: input: got ", size, " pixels, expected 1 to ", kMostPixels);
  const EnlargeImpl layer(
      EnlargeOptions(factor).frame(frame).padding(choice_from({{"padding", padding}}, "padding", kPaddings)));
  const auto& matrix = layer.matrix(size);
  return {matrix.shape()[0], matrix.values()};
}

at::Tensor upsample(const at::Tensor& input, int64_t factor, const std::string& mode, at::IntArrayRef output_size) {
  const auto chosen =
      choice_from<UpsampleMode>({{"mode", mode}}, "mode", {UpsampleMode::bilinear, UpsampleMode::nearest});
  return SpatialUpsampleImpl(SpatialUpsampleOptions(factor).mode(chosen)).forward(input, output_size);
}

std::vector<at::Tensor> read_out_list(const at::Tensor& scores, int64_t first, int64_t last) {
  const auto found = read_out(scores, {first, last});
  std::vector<at::Tensor> parts = {found.scores, found.plane};
  if (found.y.defined()) parts.insert(parts.end(), {found.y, found.x});
  return parts;
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(scdcf, m) {
  m.def("layer_defaults(str layer) -> Dict(str, str)", layer_defaults);
  m.def(
      "conv_tables(bool lifting, Dict(str, str) options) -> (float[], float[], float[], float[], int[], int[], int[], "
      "int[], int[], float)",
      conv_tables);
  m.def(
      "expanded_conv(Tensor input, Tensor coefficients, Tensor? bias, Tensor taps, Tensor table, int[] modes, "
      "int[] radii, int[] sources, int column_modes, int row_modes, int stride, int padding, bool lifting, "
      "bool separable) -> Tensor",
      expanded_conv);
  m.def("centre_modes(Dict(str, str) options, int height, int width) -> float[]", centre_modes);
  m.def("joint_conv_at_centre(Tensor input, Tensor coefficients, Tensor? bias, Tensor phi, Tensor modes) -> Tensor",
        at_centre);
  m.def("pointwise_tables(Dict(str, str) options) -> (float[], int, float)", pointwise_tables);
  m.def(
      "pointwise_conv(Tensor input, Tensor coefficients, Tensor? bias, Tensor phi, int stride, str support, "
      "str scale_padding) -> Tensor",
      pointwise);
  m.def("norm_relu_pool_stride(int channels, int window, int stride, int padding, float eps, float momentum) -> int",
        norm_relu_pool_stride);
  m.def("enlarge_matrix(float factor, int frame, str padding, int size) -> (int, float[])", enlarge_matrix);
  m.def("enlarge(Tensor images, Tensor rows, Tensor columns) -> Tensor",
        [](const at::Tensor& images, const at::Tensor& rows, const at::Tensor& columns) {
          check_images("Enlarge", images);
          return enlarge(images, rows, columns);
        });
  m.def("spatial_upsample(Tensor input, int factor, str mode, int[] output_size=[]) -> Tensor", upsample);
  m.def("centre_of(Tensor maps) -> Tensor", centre_of);
  m.def("read_out(Tensor scores, int first=0, int last=-1) -> Tensor[]", read_out_list);
  m.def("interpolated_plane(Tensor scores, Tensor plane) -> Tensor", interpolated_plane);
}

}  // namespace scdcf::nn
