"""A training step of scdcfnet through Python against the program's own, in turn; medians, and their ratio.

    PYTHONPATH=python /usr/bin/python3 benchmarks/python/step_time.py [PROGRAM [ROUNDS [BATCH]]]

Two threads. The step is that of `scdcf bench --group training`, form "separable, fused norm", 28x28 pixels: batch from
bytes, forward, loss, backward, Adam. Time is that of the processor over all threads, which other processes on a busy
machine disturb least.
"""
import json
import os
import statistics
import subprocess
import sys
import time

# As the program does: after a product idle threads of OpenBLAS keep a core busy, which whatever runs next pays for.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import torch  # noqa: E402

import scdcf  # noqa: E402

program = sys.argv[1] if len(sys.argv) > 1 else "build/bin/scdcf"
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
batch = int(sys.argv[3]) if len(sys.argv) > 3 else 128
torch.set_num_threads(2)
torch.manual_seed(0)
network = scdcf.models.scdcfnet(algorithm="separable").train()
optimizer = torch.optim.Adam(network.parameters(), lr=0.01, weight_decay=1e-4)
pixels, labels = torch.randint(0, 256, (batch, 1, 28, 28), dtype=torch.uint8), torch.arange(batch) % 10


def step():
    optimizer.zero_grad(set_to_none=True)
    torch.nn.functional.cross_entropy(network.training_scores(pixels / 255, labels), labels).backward()
    optimizer.step()


def python_ms(steps=3):
    step()
    times = []
    for _ in range(steps):
        began = time.process_time()
        step()
        times.append(1e3 * (time.process_time() - began))
    return statistics.median(times)


def program_ms():
    output = subprocess.run([program, "--threads", "2", "bench", "--group", "training", "--batch", str(batch), "--seconds",
                             "0.5", "--processor-time", "--json"], capture_output=True, text=True, check=True).stdout
    return next(f["ms"] for f in json.loads(output)["training"] if f["algorithm"] == "separable" and f["norm"] == "fused")


pairs = [(python_ms(), program_ms()) for _ in range(rounds)]
ours, theirs = (statistics.median(times) for times in zip(*pairs))
print(f"Python {ours:.0f} ms, program {theirs:.0f} ms of processor time a step of batch {batch}, median of {rounds}: "
      f"ratio {statistics.median(a / b for a, b in pairs):.3f}")
