"""Trains on clothes of 49 to 64 pixels anywhere in the picture, as in STIR, and tests at all sizes: an ordinary loop.

    PYTHONPATH=python /usr/bin/python3 examples/python/train_stir.py [COUNT [EPOCHS [DATA]]]
"""
import gzip
import sys

import torch
from torch.nn import functional as F

import scdcf


def read(file):
    """A gzipped IDX file: four bytes that end with the number of axes, four for the size of each, then the pixels."""
    raw = torch.frombuffer(bytearray(gzip.open(file).read()), dtype=torch.uint8)
    sizes = [int.from_bytes(bytes(raw[4 + 4 * i:8 + 4 * i].tolist()), "big") for i in range(raw[3])]
    return raw[4 + 4 * len(sizes):].view(sizes)


def placed(part, count, smallest, largest):
    """Pictures [count, 1, 64, 64] with an object of random size at a random place, and their labels."""
    objects = read(f"{data}/{part}-images-idx3-ubyte.gz")[:count, None].float() / 255
    pictures = torch.zeros(count, 1, 64, 64)
    for picture, image in zip(pictures, objects):
        size = int(torch.randint(smallest, largest + 1, ()))
        y, x = torch.randint(0, 65 - size, (2,)).tolist()
        picture[:, y:y + size, x:x + size] = F.interpolate(image[None], (size, size), mode="bilinear", antialias=True)[0]
    return pictures, read(f"{data}/{part}-labels-idx1-ubyte.gz")[:count].long()


count, epochs, data = (*sys.argv[1:], *("2000", "8", "/usr/share/datasets/fashion-mnist")[len(sys.argv) - 1:])
count, epochs = int(count), int(epochs)
torch.manual_seed(0)
images, labels = placed("train", count, 49, 64)
net = scdcf.models.scdcfnet_full(image_size=64, smallest_object=49 / 64, largest_object=1.0, smaller=2.8,
                                 read_out="anywhere", channels=[8, 16, 24], hidden=64)
steps = epochs * -(-count // 32)
optimizer = torch.optim.AdamW(net.parameters(), lr=3e-3)
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-3, total_steps=steps)
for epoch in range(epochs):
    for batch in torch.randperm(count).split(32):
        loss = F.cross_entropy(net.training_scores(images[batch], labels[batch]), labels[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    print(f"epoch {epoch + 1}: loss {loss.item():.3f}")
net.eval()
with torch.no_grad():
    for smallest, largest in ((17, 32), (33, 48), (49, 64)):
        images, labels = placed("t10k", min(count, 500), smallest, largest)
        right = sum((net(i).argmax(1) == l).sum().item() for i, l in zip(images.split(50), labels.split(50)))
        print(f"objects of {smallest} to {largest} pixels: {100 * right / len(labels):.1f}% right")
