"""Every registered operator with lying arguments: it may refuse them, in one line or by torch's own error, but not end the process.

    operator_sweep.py LIBRARY CALLS [OPERATOR ...]

Each operator gets CALLS calls in a process of its own: a call that works, with one to three of its arguments changed. Results
that have a gradient are differentiated, once and twice.
"""
import copy
import mmap
import os
import random
import resource
import struct
import sys
import zlib

import torch

WHOLE = [0, 0, 1, 1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 64, 1000, -1, -1, -2, -3, 2**15, 2**30, 2**31 - 1, 2**31, -2**31, 2**32, 2**62, 2**63 - 1,
         -2**63]
REAL = [0.0, 1.0, -1.0, 0.5, 2.0, 1.7, 64.0, 1e-300, 1e-9, 1e9, 1e300, float("nan"), float("inf"), -float("inf")]
WORDS = ["", "0", "1", "2", "3", "-1", "7", "100", "0.5", "1e9", "nan", "inf", "none", "zero", "replicate", "one-sided", "centred", "sine", "log-radial",
         "area", "point", "separable", "composed", "bilinear", "scdcfnet-full", "cnn", "JointConv", "9" * 30, "\0", "\n", "é" * 50, "2,3"]
TYPES = [torch.float32, torch.float64, torch.int64, torch.uint8, torch.bool, torch.float16, torch.bfloat16, torch.complex64]
MEMORY = 3 * 2**30  # bytes beside what the process has: lies about sizes become errors instead of swapping

CONV = {"in_channels": "2", "out_channels": "3", "scales": "2", "step": "0.5", "finest_width": "3", "bias": "1"}


def conv_options(layer, **more):
    return {**CONV, **torch.ops.scdcf.layer_defaults(layer), "modes": "4", **more}


def png():
    """A grey image of two by two pixels."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    head = struct.pack(">IIBBBBB", 2, 2, 8, 0, 0, 0, 0)
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0\1\2\0\3\4")) + chunk(b"IEND", b"")
    return torch.tensor(list(data), dtype=torch.uint8)


def templates():
    """A call of every operator that works."""
    ops, rand = torch.ops.scdcf, torch.randn
    joint = conv_options("JointConv")
    taps, phi, factors, _, _, modes, radii, sources, sizes, _, _ = ops.conv_tables(False, joint)
    plan = [modes, radii, sources, *sizes[:2]]
    conv = [rand(2, 2, 2, 8, 7), rand(taps.shape[1], 4, 2, 3), factors.float(), *plan, 1, 0]
    table = [taps.float(), factors.float()]
    norm = [rand(2, 3, 2, 6, 5), rand(3), rand(3), rand(3), torch.rand(3) + 0.5, True, 0.1, 1e-5, 2, 2, 0, False]
    mean, invstd = rand(3).double(), torch.rand(3).double() + 0.5
    network = {"model": "scdcfnet-full", "image_size": "28"}
    full = ops.network_options(network)[0]
    file = [{"a": rand(2, 3), "b": torch.ones(3, dtype=torch.bool)}, {"about": "{}"}]
    return {
        "separable_joint_conv": conv,
        "separable_joint_conv_backward": [rand(2, 3, 2, 8, 7), *conv, True, True],
        "norm_relu_pool": norm,
        "norm_relu_pool_backward": [rand(2, 3, 2, 3, 2), *norm[:3], mean, invstd, True, 2, 2, 0, True, False],
        "layer_defaults": ["JointConv"],
        "conv_tables": [False, joint],
        "expanded_conv": [rand(2, 2, 2, 8, 7), rand(3, 2, phi.shape[0], 4), rand(3), *table, *plan, 1, 0, False, True, 0.5],
        "joint_conv_at_centre": [rand(2, 2, 2, 5, 4), rand(3, 2, 1, 4), rand(3), torch.ones(1, 1), rand(136), [1, 2], 1, 1, 0.5],
        "pointwise_tables": [{"in_channels": "2", "out_channels": "3", **ops.layer_defaults("PointwiseConv")}],
        "pointwise_conv": [rand(2, 2, 3, 5, 4), rand(3, 2, 2), rand(3), rand(2, 3), 2, "centred", "replicate"],
        "norm_relu_pool_stride": [3, 2, 0, 0, 1e-5, 0.1],
        "resampling_matrix": [1.7, 6, "zero", 9],
        "enlarge": [rand(2, 2, 5, 4), 1.7, 6, "replicate"],
        "spatial_upsample": [rand(2, 2, 3, 4, 5), 2, "bilinear", [9, 10]],
        "centre_of": [rand(2, 3, 4, 5)],
        "read_out": [rand(2, 3, 4, 5, 6), 0, -1],
        "interpolated_plane": [rand(2, 5), torch.tensor([1, 4])],
        "version": [],
        "network_options": [network],
        "pooling_of_block": [28, 1],
        "scale_plan": [full],
        "pyramid_training_scores": [[rand(1, 4, 2), rand(3, 4, 2), rand(3, 4, 2), None], torch.arange(3), 2, 2, 5],
        "pyramid_reading": [rand(2, 3, 5), 0.25, 0.5],
        "model_file": file,
        **({"network_input": [png(), "a file", 4, 1, "crop", 0]} if hasattr(ops, "network_input") else {}),
        "read_model_file": [ops.model_file(*file), "a file"],
    }


def changed_tensor(tensor, dice):
    kind = dice.randrange(10)
    if kind == 0:
        return torch.rand([dice.choice([0, 1, 2, 3, 5, 8]) for _ in range(dice.randrange(7))])
    if kind == 1:
        return tensor.to(dice.choice([kind for kind in TYPES if not tensor.is_complex() or kind.is_complex]))
    if kind == 2 and tensor.dim() > 0:
        axis = dice.randrange(tensor.dim())
        return tensor.index_select(axis, torch.zeros(dice.choice([0, 1, 2, 3, 9]), dtype=torch.long)) if tensor.shape[axis] else tensor
    if kind == 3 and tensor.dim() > 1:
        return tensor.transpose(*dice.sample(range(tensor.dim()), 2))
    if kind == 4 and tensor.dim() > 0:
        return tensor.select(dice.randrange(tensor.dim()), 0) if tensor.numel() else tensor
    if kind == 5:
        return tensor.unsqueeze(dice.randrange(tensor.dim() + 1))
    if kind == 6 and tensor.is_floating_point():
        return torch.full_like(tensor, dice.choice([0.0, -1.0, 1e-7, 6e4, float("nan"), float("inf")]))
    if kind == 7 and not tensor.is_floating_point():
        return torch.full_like(tensor, dice.choice([0, 1, 3, 4, 100]))
    if kind == 8:
        return tensor.to("meta")
    return tensor.flip(0)[::2] if tensor.dim() > 0 else tensor


def changed(value, dice):
    if isinstance(value, torch.Tensor):
        return changed_tensor(value, dice)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return dice.choice(WHOLE)
    if isinstance(value, float):
        return dice.choice(REAL)
    if isinstance(value, str):
        return dice.choice(WORDS)
    if isinstance(value, dict) and value:
        name = dice.choice(list(value))
        other = {**value, name: dice.choice(WORDS)}
        if dice.random() < 0.1:
            del other[name]
        return other
    if isinstance(value, list) and value:
        other = list(value)
        at = dice.randrange(len(other))
        kind = dice.randrange(5)
        if kind == 0:
            del other[at]
        elif kind == 1:
            other.insert(at, other[at])
        elif kind == 2:
            return []
        else:
            other[at] = changed(other[at], dice) if other[at] is not None else torch.rand(3, 4, 2)
        return other
    return value


def call(name, arguments):
    results = getattr(torch.ops.scdcf, name)(*arguments)
    results = results if isinstance(results, (list, tuple)) else [results]
    leaves = [a for a in arguments if isinstance(a, torch.Tensor) and a.requires_grad]
    outputs = [r for r in results if isinstance(r, torch.Tensor) and r.requires_grad and r.is_floating_point()]
    if leaves and outputs:
        first = torch.autograd.grad([o.sum() for o in outputs], leaves, create_graph=True, allow_unused=True)
        second = [g for g in first if g is not None and g.requires_grad]
        if second:
            torch.autograd.grad([g.square().sum() for g in second], leaves, allow_unused=True)


def call_all(name, template, calls, state):
    """In a process of its own. `state` holds the number of the call and how many went through."""
    with open("/proc/self/statm") as sizes:
        used = int(sizes.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    call(name, template)
    passed = 0
    for i in range(calls):
        dice = random.Random(f"{name} {i}")
        torch.manual_seed(i)
        arguments = copy.deepcopy(template)
        for _ in range(dice.randint(1, 3) if arguments else 0):
            at = dice.randrange(len(arguments))
            arguments[at] = changed(arguments[at], dice)
        if dice.random() < 0.3:
            arguments = [a.detach().requires_grad_(True) if isinstance(a, torch.Tensor) and a.is_floating_point() else a for a in arguments]
        state[:16] = struct.pack("qq", i, passed)
        try:
            call(name, arguments)
            passed += 1
        except (RuntimeError, ValueError, TypeError, IndexError, MemoryError, NotImplementedError, OverflowError):
            pass
    state[:16] = struct.pack("qq", calls, passed)


def main(library, calls, *only):
    torch.set_num_threads(1)
    torch.ops.load_library(library)
    known = {schema.name.split("::")[1] for schema in torch._C._jit_get_all_schemas() if schema.name.startswith("scdcf::")}
    template = templates()
    if known != set(template):
        return f"got calls of {sorted(set(template) - known)}, none of {sorted(known - set(template))}, expected one of every operator"
    failures = []
    for name in sorted(only or known):
        state = mmap.mmap(-1, 16)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                call_all(name, template[name], int(calls), state)
                code = 0
            except BaseException as error:
                print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
            os._exit(code)
        _, status = os.waitpid(child, 0)
        done, passed = struct.unpack("qq", state[:16])
        print(f"{name}: {done} calls, {passed} went through", flush=True)
        if status != 0:
            how = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"exit code {os.WEXITSTATUS(status)}"
            failures.append(f"{name}: {how} in call {done}")
    return "\n".join(failures)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) or 0)
