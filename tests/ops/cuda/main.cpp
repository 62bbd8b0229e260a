// Correctness of every type and precision against the double reference, then timings.
//   cuda_kernels [--small] [--bench [--paper]] [--profile] [--random N] [--sweep N] [--only I] [--norm]
//   --sweep: N shapes from all that the kernels take, instead of the list; --small: a few tiny problems, for
//   compute-sanitizer; --norm: batch-norm, ReLU and pooling alone; --paper: layers of the paper's networks alone
#include <cmath>
#include <exception>

#include "expand_check.h"
#include "norm_cases.h"
#include "scdcf/ops/cuda/form_cost.h"
#ifdef SCDCF_EMULATE
#  include "cases.h"
#  include "device.h"
#else
#  include "bench.h"
#  include "norm_bench.h"
#endif

namespace cuda_kernels {
namespace {

double error(const Values& got, const Values& want) {
  double d = 0, n = 0;
  for (size_t i = 0; i < want.size(); ++i) d += (got[i] - want[i]) * (got[i] - want[i]), n += want[i] * want[i];
  if (want.empty() || (d == 0 && n == 0)) return 0;
  return std::sqrt(d / std::max(n, 1e-300));
}

std::string describe(const Shape& s) {
  char text[200];
  std::snprintf(text, sizeof text, "n%d p%d s%d t%d c%d>%d %dx%d stride%d pad%d modes %dx%d-%d w%.0f", s.batch,
                s.planes, s.scales, s.taps, s.in, s.out, s.height, s.width, s.stride, int(s.padding), s.columns, s.rows,
                s.dropped, s.width0);
  return text;
}

int failures = 0, checks = 0;
double worst[4] = {};

void expect(double err, double tolerance, int mode, const char* what, const std::string& problem) {
  ++checks;
  if (err > worst[mode] || std::isnan(err)) worst[mode] = err;
  if (err <= tolerance) return;
  ++failures;
  std::printf("FAIL %s %s: error %.3g  [%s]\n", kModes[mode].name, what, err, problem.c_str());
}

void test_norm(const NormCase& c, unsigned seed) {
  char text[120];
  std::snprintf(text, sizeof text, "planes %d c%d %dx%d window %d stride %d pad %d training %d mean %g", int(c.planes),
                int(c.channels), int(c.height), int(c.width), int(c.window), int(c.stride), int(c.padding),
                int(c.training), c.centre);
  for (int m = 0; m < 4; ++m) {
    if (kModes[m].precision == Precision::tf32 && kModes[m].type == DataType::float32) continue;  // no products here
    // bfloat16 beside a large mean keeps no digits of the deviation, whoever computes it
    if (kModes[m].type == DataType::bfloat16 && c.centre != 0) continue;
    run_norm_case(c, kModes[m], seed, [&](const char* what, const Values& got, const Values& want) {
      expect(error(got, want), kModes[m].tolerance, m, what, text);
    });
  }
}

/// Steps by the form that took the least time on an H200: the model sends them there.
void test_choice() {
  using namespace scdcf::ops::cuda;
  using Step = ExpandedStep;
  const auto must = [](bool right, const char* what) {
    ++checks;
    if (!right) ++failures, std::printf("FAIL choice of the form: %s\n", what);
  };
  constexpr auto single = DataType::float32, half = DataType::bfloat16;
  constexpr auto tf32 = Precision::tf32;
  const auto problem = [](int lines, int in, int out) {
    Shape s;
    s.batch = 128, s.planes = s.scales = 9, s.taps = 1, s.in = in, s.out = out, s.height = s.width = lines;
    s.columns = s.rows = 3, s.dropped = 1, s.width0 = 6, s.octave = 0.25;
    return make_device_problem(make_problem(s));
  };
  const auto chained_wins = [&](int lines, int in, int out, DataType type, Step step) {
    const DeviceProblem p = problem(lines, in, out);
    return chained_milliseconds(p, type, tf32, step) < expanded_milliseconds(p, type, tf32, step);
  };
  must(chained_wins(56, 16, 32, single, Step::forward), "56x56 16->32, TF32: chained");
  must(chained_wins(56, 16, 32, half, Step::grad_in), "56x56 16->32, bfloat16: chained");
  must(chained_wins(28, 32, 48, single, Step::grad_mixing), "28x28 32->48, TF32: chained");
  must(chained_wins(14, 256, 256, single, Step::forward), "14x14 256->256, TF32: chained");
  must(!chained_wins(14, 256, 256, half, Step::grad_mixing), "14x14 256->256, bfloat16: expanded");
  must(!chained_wins(14, 512, 512, half, Step::forward), "14x14 512->512, bfloat16: expanded");
  // The second layer of the paper's network at 28 pixels: all its steps are those of the streamed kernels.
  const DeviceProblem paper = make_device_problem(make_problem(layers(28)[1].shape));
  for (const DataType type : {single, half})
    for (const Step step : {Step::forward, Step::grad_in, Step::grad_mixing})
      must(streamed_milliseconds(paper, type, step) < chained_milliseconds(paper, type, tf32, step),
           "14x14 32->64, three taps: streamed");
  // That of scdcfnet-full in a prediction, five levels of 128 images: streamed kernels would pad its 16 lines to 28.
  Shape full;
  full.batch = 640, full.planes = full.scales = full.taps = 1, full.in = 16, full.out = 32;
  full.height = full.width = 16, full.columns = full.rows = 2, full.width0 = 5;
  const DeviceProblem levels = make_device_problem(make_problem(full));
  must(chained_milliseconds(levels, single, tf32, Step::forward) < streamed_milliseconds(levels, single, Step::forward),
       "16x16 16->32, TF32: chained");
}

Values times(double factor, Values values) {
  for (double& x : values) x *= factor;
  return values;
}

/// magnitude: that of the maps; the mixing matrices are larger by as much, grad_out smaller still.
void test_shape(const Shape& shape, unsigned seed, double magnitude = 1) {
  using namespace scdcf::ops::cuda;
  const SeparableProblem p = make_problem(shape);
  const Sizes sizes(p);
  Normal draw(seed);
  const Values in0 = times(magnitude, draw(sizes.in)), factors0 = draw(p.factor_count),
               mixing0 = times(1 / magnitude, draw(sizes.mixing)),
               grad0 = times(magnitude * std::sqrt(magnitude), draw(sizes.out));
  for (int m = 0; m < 4; ++m) {
    const Mode& mode = kModes[m];
    const DataType t = mode.type, wt = weight_type(t);
    const Values in = rounded(t, in0), grad = rounded(t, grad0), factors = rounded(wt, factors0),
                 mixing = rounded(wt, mixing0);
    const Results want = reference(p, in, factors, mixing, grad);
    Buffer d_in(t, in), d_grad(t, grad), d_factors(wt, factors), d_mixing(wt, mixing);
    Buffer out(sizes.out * bytes_of(t)), grad_in(sizes.in * bytes_of(t)), grad_mixing(sizes.mixing * bytes_of(wt));
    Buffer space1(forward_workspace(p, t, mode.precision)),
        space2(backward_workspace(p, t, mode.precision, true, true));
    std::vector<char> again[3];
    for (int turn = 0; turn < 2; ++turn) {
      for (Buffer* b : {&out, &grad_in, &grad_mixing, &space1, &space2}) b->poison();
      forward(p, d_in.get(), d_factors.get(), d_mixing.get(), out.get(), space1.get(), t, mode.precision, nullptr,
              blas_on(nullptr));
      backward(p, d_in.get(), d_factors.get(), d_mixing.get(), d_grad.get(), grad_in.get(), grad_mixing.get(),
               space2.get(), t, mode.precision, nullptr, blas_on(nullptr));
      MUST(cudaDeviceSynchronize());
      const std::vector<char> now[3] = {out.raw(), grad_in.raw(), grad_mixing.raw()};
      for (int i = 0; i < 3; ++i) {
        if (turn == 1 && now[i] != again[i])
          ++failures, std::printf("FAIL %s not deterministic [%s]\n", mode.name, describe(shape).c_str());
        again[i] = now[i];
      }
#ifdef SCDCF_EMULATE
      break;
#endif
    }
    expect(error(out.values(t), want.out), mode.tolerance, m, "forward", describe(shape));
    expect(error(grad_in.values(t), want.grad_in), mode.tolerance, m, "grad_in", describe(shape));
    expect(error(grad_mixing.values(wt), want.grad_mixing), mode.tolerance, m, "grad_mixing", describe(shape));
  }
}

}  // namespace
}  // namespace cuda_kernels

int main(int argc, char** argv) {
  using namespace cuda_kernels;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  bool small = false, bench = false, paper = false, profile = false, norm = false;
  int random_count = 60, sweep = 0, only = -1;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--small")) small = true;
    if (!std::strcmp(argv[i], "--bench")) bench = true;
    if (!std::strcmp(argv[i], "--paper")) paper = true;
    if (!std::strcmp(argv[i], "--profile")) profile = true;
    if (!std::strcmp(argv[i], "--norm")) norm = true;
    if (!std::strcmp(argv[i], "--random") && i + 1 < argc) random_count = std::atoi(argv[++i]);
    if (!std::strcmp(argv[i], "--sweep") && i + 1 < argc) sweep = std::atoi(argv[++i]);
    if (!std::strcmp(argv[i], "--only") && i + 1 < argc) only = std::atoi(argv[++i]);  // one case of the list
  }
#ifndef SCDCF_EMULATE
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("skipped: no CUDA device");
    return 77;
  }
#endif
  try {
    if (!bench && !profile) {
      unsigned seed = 1;
      if (only < 0)
        for (const NormCase& c : norm_cases(small)) test_norm(c, seed++);
      test_choice();
      seed = 1;
      for (const Shape& s :
           sweep > 0 ? sweep_shapes(sweep, 11, small ? 1e5 : 3e7) : test_shapes(small, norm ? 0 : random_count)) {
        if (!norm && (only < 0 || int(seed) - 1 == only)) {
          test_shape(s, seed);
          expect(adjoint_error(make_problem(s), seed), 1e-12, 3, "expand and collect are no adjoints", describe(s));
        }
        ++seed;
      }
      // Maps far from 1, as gradients are: no form may lose their digits.
      if (!norm && only < 0 && sweep == 0)
        for (double magnitude : {1e-10, 1e8}) test_shape(test_shapes(true, 0)[3], 5, magnitude);
      std::printf("%d checks, %d failures; worst error fp32 %.2g tf32 %.2g bf16 %.2g fp64 %.2g\n", checks, failures,
                  worst[0], worst[1], worst[2], worst[3]);
    }
#ifndef SCDCF_EMULATE
    if (!bench && !profile && !norm)
      for (const Mode& mode : kModes)
        for (const Shape& s : test_shapes(true, 0))
          if (!check_graph(s, mode))
            ++failures, std::printf("FAIL %s graph replay differs [%s]\n", mode.name, describe(s).c_str());
    if (bench && !norm) bench_all(paper);
    if (bench && !paper) bench_norm();
    if (profile) profile_all();
#endif
  } catch (const std::exception& e) {
    std::printf("FAIL exception: %s\n", e.what());
    return 3;
  }
  return failures ? 1 : 0;
}
