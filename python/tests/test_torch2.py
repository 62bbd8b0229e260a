"""What PyTorch 2 does with modules: compile, opcheck, CUDA graphs, autocast on a GPU, DataParallel and DDP.

Left out where torch is older than 2.4; what needs a GPU is left out where there is none.
"""
import os
import tempfile
import unittest

import torch

import scdcf

VERSION = tuple(int(part) for part in torch.__version__.split(".")[:2])
DEVICES = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])
GRID = scdcf.ScaleGrid(3, 0.5, 3.0)


def small(device="cpu"):
    torch.manual_seed(0)
    return scdcf.models.scdcfnet(channels=[4, 5, 6], scales=3, hidden=16, image_size=12, dropout=0).to(device)


def small_full(device="cpu"):
    torch.manual_seed(0)
    return scdcf.models.scdcfnet_full(channels=[3, 4, 5], hidden=8, image_size=20, dropout=0).to(device)


def relative(got, expected):
    return ((got - expected).norm() / expected.norm()).item()


@unittest.skipIf(VERSION < (2, 4), f"torch {torch.__version__} is older than 2.4")
class Compiled(unittest.TestCase):
    def test_a_network_in_one_graph_of_any_batch(self):
        for device in DEVICES:
            for network, side in ((small(device), 12), (small_full(device), 20)):
                for training in (False, True):
                    with self.subTest(device=device, network=network.options["model"], training=training):
                        torch._dynamo.reset()
                        network.train(training)
                        compiled = torch.compile(network, fullgraph=True, dynamic=True)
                        for batch in (4, 7, 9):
                            images = torch.randn(batch, 1, side, side, device=device)
                            self.assertLess(relative(compiled(images), network(images)), 1e-4)

    def test_gradients(self):
        for device in DEVICES:
            network, compiled = small(device), None
            images, labels = torch.randn(8, 1, 12, 12, device=device), torch.arange(8, device=device)

            def loss(images, labels):
                return torch.nn.functional.cross_entropy(network(images), labels)

            torch._dynamo.reset()
            compiled = torch.compile(loss, fullgraph=True)
            gradients = []
            for function in (loss, compiled):
                network.zero_grad()
                function(images, labels).backward()
                gradients.append([p.grad.clone() for p in network.parameters()])
            for got, expected in zip(*gradients):
                self.assertLess(relative(got, expected), 1e-3)


@unittest.skipIf(VERSION < (2, 4), f"torch {torch.__version__} is older than 2.4")
class Operators(unittest.TestCase):
    def test_opcheck(self):
        for device in DEVICES:
            conv = scdcf.JointConv(2, 3, GRID, algorithm="separable").to(device)
            modes, radii, sources, columns, rows, stride, padding = conv._plan[:7]
            mixing = torch.randn(conv.taps.shape[1], len(modes) // 2, 2, 3, device=device, requires_grad=True)
            x = torch.randn(2, 2, 3, 9, 8, device=device, requires_grad=True)
            torch.library.opcheck(torch.ops.scdcf.separable_joint_conv.default,
                                  (x, mixing, conv.table, modes, radii, sources, columns, rows, stride, padding))
            norm = scdcf.NormReluPool(2).to(device)
            for training in (False, True):
                torch.library.opcheck(torch.ops.scdcf.norm_relu_pool.default,
                                      (x, norm.weight, norm.bias, norm.running_mean, norm.running_var, training, 0.1,
                                       1e-5, 2, 2, 0))


@unittest.skipUnless(torch.cuda.is_available(), "no GPU")
class OnAGpu(unittest.TestCase):
    def test_scores_are_those_of_the_cpu(self):
        for make, side in ((small, 12), (small_full, 20)):
            network, images = make().eval(), torch.randn(5, 1, side, side)
            expected = network(images)
            with torch.backends.cudnn.flags(allow_tf32=False):
                self.assertLess(relative(network.cuda()(images.cuda()).cpu(), expected), 1e-4)

    def test_autocast(self):
        network, images = small("cuda").eval(), torch.randn(5, 1, 12, 12, device="cuda")
        with torch.autocast("cuda", dtype=torch.bfloat16):
            reduced = network(images)
        self.assertLess(relative(reduced.float(), network(images)), 0.05)

    def test_a_step_in_a_cuda_graph(self):
        network, images = small("cuda"), torch.randn(8, 1, 12, 12, device="cuda")
        labels = torch.arange(8, device="cuda")
        optimizer = torch.optim.Adam(network.parameters(), lr=1e-3, capturable=True)

        def step():
            optimizer.zero_grad(set_to_none=True)
            loss = torch.nn.functional.cross_entropy(network.training_scores(images, labels), labels)
            loss.backward()
            optimizer.step()
            return loss

        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            first = [step().item() for _ in range(3)][0]
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            loss = step()
        for _ in range(20):
            graph.replay()
        self.assertLess(loss.item(), first)

    def test_data_parallel(self):
        network, images = small("cuda").eval(), torch.randn(6, 1, 12, 12, device="cuda")
        self.assertLess(relative(torch.nn.DataParallel(network)(images), network(images)), 1e-5)


@unittest.skipUnless(torch.distributed.is_available(), "torch without distributed")
class Distributed(unittest.TestCase):
    def test_ddp_takes_the_modules(self):
        with tempfile.TemporaryDirectory() as folder:
            torch.distributed.init_process_group("gloo", init_method=f"file://{os.path.join(folder, 'store')}", rank=0,
                                                 world_size=1)
            try:
                network, images = small(), torch.randn(4, 1, 12, 12)
                wrapped = torch.nn.parallel.DistributedDataParallel(network)
                wrapped(images).sum().backward()
                self.assertTrue(all(p.grad is not None for p in network.parameters()))
            finally:
                torch.distributed.destroy_process_group()


if __name__ == "__main__":
    unittest.main()
