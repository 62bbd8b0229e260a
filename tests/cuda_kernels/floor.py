#!/usr/bin/env python3
"""The floor of the CUDA kernels: the matrix products of the separable form alone, through cuBLAS in TF32.

Prints milliseconds of forward, gradient of the input and gradient of the mixing for the layers of bench.h, batch 128.
The products are those of the tiled kernels: all 16 pairs of 4 x 4 modes, of which 15 exist (times 15/16 is the floor).
"""
import torch

torch.backends.cuda.matmul.allow_tf32 = True
SOURCES = [1, 2, 3, 3, 3]  # planes that the five scales read


def median_ms(calls):
    for call in calls:
        call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for call in calls:
            call()
    times = []
    for _ in range(11):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    return sorted(times)[len(times) // 2]


def product(m, k, n, transpose=False):
    a = torch.randn((k, m) if transpose else (m, k), device="cuda")
    b, out = torch.randn(k, n, device="cuda"), torch.empty(m, n, device="cuda")
    return lambda: torch.matmul(a.T if transpose else a, b, out=out)


print("floor, batch 128   forward  grad_in  grad_mix  ms")
for name, size, c, o in [("28/2", 14, 32, 64), ("28/3", 7, 64, 96), ("56/2", 28, 32, 64), ("56/3", 14, 64, 96)]:
    pixels = 128 * size * size
    forward = median_ms([product(pixels, 4 * c * n, 4 * o) for n in SOURCES])
    grad_in = median_ms([product(pixels, 4 * o, 4 * c) for _ in range(sum(SOURCES))])
    grad_mix = median_ms([product(4 * c, pixels, 4 * o, True) for _ in range(sum(SOURCES))])
    print(f"{name:18} {forward:8.4f} {grad_in:8.4f} {grad_mix:8.4f}")
    torch.cuda.empty_cache()
