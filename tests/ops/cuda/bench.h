// Times the layers per phase (graph replays, rotating over three data sets), and checks capture and replay.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>

#include "cases.h"
#include "device.h"

namespace cuda_kernels {

inline double flops(const SeparableProblem& p) {  // of the mix, one direction
  return 2.0 * p.batch * p.out_height * p.out_width * p.sources.size() * p.modes.size() * p.in_channels *
         p.out_channels;
}

/// Median milliseconds of one call, from replays of a graph of `calls` calls (call(i) enqueues number i).
inline double time_ms(const std::function<void(int, cudaStream_t)>& call) {
  const int calls = 6, repeats = 7;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaEvent_t begin, end;
  MUST(cudaStreamCreate(&stream));
  MUST(cudaEventCreate(&begin));
  MUST(cudaEventCreate(&end));
  for (int i = 0; i < 3; ++i) call(i, stream);
  MUST(cudaStreamSynchronize(stream));
  MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < calls; ++i) call(i, stream);
  MUST(cudaStreamEndCapture(stream, &graph));
  MUST(cudaGraphInstantiate(&exec, graph, 0));
  std::vector<float> times;
  for (int r = 0; r < repeats + 2; ++r) {
    MUST(cudaEventRecord(begin, stream));
    MUST(cudaGraphLaunch(exec, stream));
    MUST(cudaEventRecord(end, stream));
    MUST(cudaEventSynchronize(end));
    float ms = 0;
    MUST(cudaEventElapsedTime(&ms, begin, end));
    if (r >= 2) times.push_back(ms / calls);
  }
  MUST(cudaGraphExecDestroy(exec));
  MUST(cudaGraphDestroy(graph));
  MUST(cudaEventDestroy(begin));
  MUST(cudaEventDestroy(end));
  MUST(cudaStreamDestroy(stream));
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

inline void fill_random(Buffer& b, DataType t) {  // one random megabyte, repeated
  std::mt19937 g(3);
  std::normal_distribution<float> d;
  const size_t n = b.bytes() / bytes_of(t);
  std::vector<char> host(b.bytes());
  const size_t period = std::min<size_t>(n, 262139);
  for (size_t i = 0; i < period; ++i) encode(t, d(g), host.data() + i * bytes_of(t));
  for (size_t at = period; at < n; at += period)
    std::memcpy(host.data() + at * bytes_of(t), host.data(), std::min(period, n - at) * bytes_of(t));
  if (b.bytes()) MUST(cudaMemcpy(b.get(), host.data(), b.bytes(), cudaMemcpyHostToDevice));
}

struct Row {
  std::string name;
  const char* mode;
  double forward, grad_in, grad_mixing, work;
  std::string forms;
};

inline Row bench_layer(const Layer& layer, const Mode& mode) {
  using namespace scdcf::ops::cuda;
  const SeparableProblem p = make_problem(layer.shape);
  const Sizes sizes(p);
  const DataType t = mode.type, wt = weight_type(t);
  const auto make = [](int64_t count, DataType type) {
    auto b = std::make_unique<Buffer>(size_t(count) * bytes_of(type));
    fill_random(*b, type);
    return b;
  };
  std::unique_ptr<Buffer> in[3], out[3], grad[3], grad_in[3];
  for (int i = 0; i < 3; ++i)
    in[i] = make(sizes.in, t), grad[i] = make(sizes.out, t),
    out[i] = std::make_unique<Buffer>(size_t(sizes.out) * bytes_of(t)),
    grad_in[i] = std::make_unique<Buffer>(size_t(sizes.in) * bytes_of(t));
  auto factors = make(p.factor_count, wt), mixing = make(sizes.mixing, wt);
  Buffer grad_mixing(size_t(sizes.mixing) * 4);
  Buffer space(std::max(forward_workspace(p, t, mode.precision), backward_workspace(p, t, mode.precision, true, true)));
  Row row{layer.name, mode.name, 0, 0, 0, flops(p), ""};
  row.forward = time_ms([&](int i, cudaStream_t s) {
    forward(p, in[i % 3]->get(), factors->get(), mixing->get(), out[i % 3]->get(), space.get(), t, mode.precision, s,
            blas_on(s));
  });
  const auto back = [&](bool gi, bool gm) {
    return time_ms([&](int i, cudaStream_t s) {
      backward(p, in[i % 3]->get(), factors->get(), mixing->get(), grad[i % 3]->get(),
               gi ? grad_in[i % 3]->get() : nullptr, gm ? grad_mixing.get() : nullptr, space.get(), t, mode.precision,
               s, blas_on(s));
    });
  };
  if (p.planes > 1) row.grad_in = back(true, false);  // nobody asks for the gradient of the image in training
  row.grad_mixing = back(false, true);
  row.forms = forms(p, t, mode.precision);
  return row;
}

/// Captures forward + backward, replays twice on fresh inputs, and compares bit by bit with plain calls.
inline bool check_graph(const Shape& shape, const Mode& mode) {
  using namespace scdcf::ops::cuda;
  const SeparableProblem p = make_problem(shape);
  const Sizes sizes(p);
  const DataType t = mode.type, wt = weight_type(t);
  Buffer in(sizes.in * bytes_of(t)), grad(sizes.out * bytes_of(t)), factors(p.factor_count * bytes_of(wt)),
      mixing(sizes.mixing * bytes_of(wt));
  Buffer out(sizes.out * bytes_of(t)), grad_in(sizes.in * bytes_of(t)), grad_mixing(sizes.mixing * bytes_of(wt));
  Buffer space1(forward_workspace(p, t, mode.precision)), space2(backward_workspace(p, t, mode.precision, true, true));
  for (Buffer* b : {&in, &grad}) fill_random(*b, t);
  for (Buffer* b : {&factors, &mixing}) fill_random(*b, wt);
  const auto call = [&](cudaStream_t s) {
    forward(p, in.get(), factors.get(), mixing.get(), out.get(), space1.get(), t, mode.precision, s, blas_on(s));
    backward(p, in.get(), factors.get(), mixing.get(), grad.get(), grad_in.get(), grad_mixing.get(), space2.get(), t,
             mode.precision, s, blas_on(s));
  };
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  MUST(cudaStreamCreate(&stream));
  call(stream);
  MUST(cudaStreamSynchronize(stream));
  const std::vector<char> want[3] = {out.raw(), grad_in.raw(), grad_mixing.raw()};
  MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  call(stream);
  MUST(cudaStreamEndCapture(stream, &graph));
  MUST(cudaGraphInstantiate(&exec, graph, 0));
  bool same = true;
  for (int turn = 0; turn < 2; ++turn) {
    for (Buffer* b : {&out, &grad_in, &grad_mixing, &space1, &space2}) b->poison();
    MUST(cudaDeviceSynchronize());
    MUST(cudaGraphLaunch(exec, stream));
    MUST(cudaStreamSynchronize(stream));
    same = same && out.raw() == want[0] && grad_in.raw() == want[1] && grad_mixing.raw() == want[2];
  }
  MUST(cudaGraphExecDestroy(exec));
  MUST(cudaGraphDestroy(graph));
  MUST(cudaStreamDestroy(stream));
  return same;
}

/// One plain forward and backward of every layer in TF32, for a profiler.
inline void profile_all() {
  using namespace scdcf::ops::cuda;
  const Mode& mode = kModes[1];
  for (const Layer& layer : all_layers()) {
    if (layer.shape.taps == 3 && layer.shape.height == 56 && layer.shape.in == 64) continue;  // too long
    const SeparableProblem p = make_problem(layer.shape);
    const Sizes sizes(p);
    Buffer in(sizes.in * 4), grad(sizes.out * 4), factors(p.factor_count * 4), mixing(sizes.mixing * 4),
        out(sizes.out * 4), grad_in(sizes.in * 4), grad_mixing(sizes.mixing * 4),
        space1(forward_workspace(p, mode.type, mode.precision)),
        space2(backward_workspace(p, mode.type, mode.precision, true, true));
    for (Buffer* b : {&in, &grad, &factors, &mixing}) fill_random(*b, mode.type);
    forward(p, in.get(), factors.get(), mixing.get(), out.get(), space1.get(), mode.type, mode.precision, nullptr,
            blas_on(nullptr));
    backward(p, in.get(), factors.get(), mixing.get(), grad.get(), p.planes > 1 ? grad_in.get() : nullptr,
             grad_mixing.get(), space2.get(), mode.type, mode.precision, nullptr, blas_on(nullptr));
    MUST(cudaDeviceSynchronize());
  }
}

inline void bench_all(bool paper) {
  std::printf("%-16s %-5s %9s %9s %9s  ms (TFLOP/s of the mix)\n", "layer, batch 128", "type", "forward", "grad_in",
              "grad_mix");
  for (const Mode& mode : {kModes[1], kModes[2], kModes[0]}) {
    double sum = 0;
    int count = 0;
    for (const Layer& layer : all_layers()) {
      if (paper && count >= 6) break;
      const Row r = bench_layer(layer, mode);
      const auto rate = [&](double ms) { return ms > 0 ? r.work / ms * 1e-9 : 0.0; };
      std::printf("%-16s %-5s %.4f (%3.0f) %.4f (%3.0f) %.4f (%3.0f)  all %.4f  %s\n", r.name.c_str(), r.mode,
                  r.forward, rate(r.forward), r.grad_in, rate(r.grad_in), r.grad_mixing, rate(r.grad_mixing),
                  r.forward + r.grad_in + r.grad_mixing, r.forms.c_str());
      sum += r.forward + r.grad_in + r.grad_mixing;
      if (++count % 3 == 0 && count <= 6) std::printf("   three layers, forward + backward: %.3f ms\n", sum), sum = 0;
      std::fflush(stdout);
    }
  }
}

}  // namespace cuda_kernels
