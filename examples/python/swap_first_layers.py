"""Gives a ResNet of the torchvision kind first layers that know about scale, and measures what that changes.

    PYTHONPATH=python /usr/bin/python3 examples/python/swap_first_layers.py
"""
import copy

import torch
from torch import nn
from torch.nn import functional as F

import scdcf


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs)
        self.conv2, self.bn2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs)
        self.downsample = nn.Conv2d(inputs, outputs, 1, stride, bias=False)

    def forward(self, x):
        return F.relu(self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x))))) + self.downsample(x))


class ResNet(nn.Module):
    """conv1, bn1, relu, maxpool, layer1 ..., fc: the names of torchvision's."""

    def __init__(self, classes=10):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, 32, 7, 2, 3, bias=False), nn.BatchNorm2d(32)
        self.relu, self.maxpool = nn.ReLU(), nn.MaxPool2d(3, 2, 1)
        self.layer1, self.layer2, self.fc = Block(32, 32, 1), Block(32, 64, 2), nn.Linear(64, classes)

    def stem(self, x):
        return self.maxpool(self.relu(self.bn1(self.conv1(x))))

    def forward(self, x):
        return self.fc(self.layer2(self.layer1(self.stem(x))).mean((2, 3)))


torch.manual_seed(0)
plain = ResNet()
ours = copy.deepcopy(plain)
ours.conv1 = scdcf.LiftingConv(3, 32, scdcf.ScaleGrid(7, 0.5, 4.0), stride=2, bias=False)  # filters of 4 to 32 pixels
ours.bn1, ours.relu, ours.maxpool = scdcf.NormReluPool(32, window=2), nn.Identity(), scdcf.ScaleMaxProjection()

images, labels = torch.randn(8, 3, 64, 64), torch.randint(0, 10, (8,))
for name, net in (("plain", plain), ("scale-aware", ours)):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    for step in range(5):
        loss = F.cross_entropy(net(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"{name}: {sum(p.numel() for p in net.parameters()):,} parameters, loss {loss.item():.2f}")

# A blob, and one twice as large: the first layer says the same of both, two planes of half an octave apart.
line = torch.exp(-torch.linspace(-6, 6, 64).square())
blob = line.outer(line).expand(1, 3, 64, 64)
with torch.no_grad():
    small, large = (scdcf.centre_of(ours.conv1(x)) for x in (blob, scdcf.Enlarge(2.0, frame=64)(blob)))  # [N, C, S]
moved, still = (((large[..., 2:] - other).norm() / small.norm()).item() for other in (small[..., :-2], small[..., 2:]))
print(f"answers to a blob twice as large, two planes on, differ by {moved:.3f}; on the same planes by {still:.3f}")
