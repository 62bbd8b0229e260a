"""A training step of scdcfnet through Python against the program's own, in turn; medians, and their ratio.

    PYTHONPATH=python /usr/bin/python3 benchmarks/python/step_time.py [--device cuda] [--program scdcf] [--rounds 5]

The step is that of `scdcf bench --group training`, form "separable, fused norm", 28x28 pixels: batch from bytes,
forward, loss, backward, Adam. On the CPU with two threads, and the time is that of the processor over all threads,
which other processes on a busy machine disturb least. On a GPU in TF32, the step recorded as one CUDA graph, timed with
events.
"""
import argparse
import ctypes
import json
import os
import statistics
import subprocess
import time

# As the program does: after a product idle threads of OpenBLAS keep a core busy, which whatever runs next pays for.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# As the program does, too: without it glibc gives the maps of a step back to the system after each.
try:
    for parameter in (-3, -1):  # M_MMAP_THRESHOLD, M_TRIM_THRESHOLD
        ctypes.CDLL(None).mallopt(parameter, 1 << 30)
except AttributeError:
    pass  # another C library

import torch  # noqa: E402

import scdcf  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
parser.add_argument("--program", default="build/bin/scdcf")
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--batch", type=int, default=128)
asked = parser.parse_args()
on_gpu = asked.device == "cuda"
torch.set_num_threads(2)
torch.manual_seed(0)
torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
network = scdcf.models.scdcfnet(algorithm="separable").train().to(asked.device)
optimizer = torch.optim.Adam(network.parameters(), lr=0.01, weight_decay=1e-4,
                             **(dict(capturable=True, fused=True) if on_gpu else {}))
pixels = torch.randint(0, 256, (asked.batch, 1, 28, 28), dtype=torch.uint8, device=asked.device)
labels = torch.arange(asked.batch, device=asked.device) % 10


def step():
    optimizer.zero_grad(set_to_none=True)
    torch.nn.functional.cross_entropy(network.training_scores(pixels / 255, labels), labels).backward()
    optimizer.step()


def recorded(work, warm_up=5):
    """The work as one CUDA graph."""
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        for _ in range(warm_up):
            work()
    torch.cuda.current_stream().wait_stream(aside)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work()
    return graph.replay


def cpu_ms(work, steps=3):
    work()
    times = []
    for _ in range(steps):
        began = time.process_time()
        work()
        times.append(1e3 * (time.process_time() - began))
    return statistics.median(times)


def gpu_ms(work, samples=20, steps=10):
    for _ in range(steps):
        work()
    times = []
    for _ in range(samples):
        began, ended = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        began.record()
        for _ in range(steps):
            work()
        ended.record()
        ended.synchronize()
        times.append(began.elapsed_time(ended) / steps)
    return statistics.median(times)


def program_ms():
    where = ["--device", "cuda"] if on_gpu else ["--processor-time"]
    output = subprocess.run([asked.program, "--threads", "2", "bench", "--group", "training", "--batch", str(asked.batch),
                             "--seconds", "0.5", "--json", *where], capture_output=True, text=True, check=True).stdout
    return next(f["ms"] for f in json.loads(output)["training"]
                if f["size"] == 28 and f["algorithm"] == "separable" and f["norm"] == "fused" and not f["autocast"])


work, python_ms = (recorded(step), gpu_ms) if on_gpu else (step, cpu_ms)
pairs = [(python_ms(work), program_ms()) for _ in range(asked.rounds)]
ours, theirs = (statistics.median(times) for times in zip(*pairs))
print(f"Python {ours:.3g} ms, program {theirs:.3g} ms of {'the GPU' if on_gpu else 'processor time'} a step of batch {asked.batch}, "
      f"median of {asked.rounds}: ratio {statistics.median(a / b for a, b in pairs):.3f}")
