"""fit_scores.py REQUEST.json: what Python gives for the image files of each run, by the run and by its TorchScript."""
import json
import sys

import torch

import scdcf

with open(sys.argv[1]) as request_file:
    request = json.load(request_file)
scores = []
for run in request["runs"]:
    network, extra = scdcf.load(run["run"]), {"scdcf.export.json": ""}
    module = torch.jit.load(run["torchscript"], _extra_files=extra)
    about = json.loads(extra["scdcf.export.json"])
    expected = [about[key] for key in ("size", "channels", "fit", "background")]
    with torch.no_grad():
        read = network(network.normalise(network.read_images(*request["files"])))
        pixels = torch.stack([scdcf.read_image(file, *expected) for file in request["files"]])
        scores.append({"run": read.tolist(), "torchscript": module(pixels / 255).tolist()})
with open(request["python_scores"], "w") as answer:
    json.dump(scores, answer)
