"""No file runs code, whoever made it: `scdcf.load`, predict, eval and --resume refuse it in one line that names it."""
import hashlib
import io
import json
import os
import pickle
import shutil
import tempfile
import unittest
from pathlib import Path
from typing import Tuple

import torch

import scdcf
from test_models import PROGRAM, program, write_png


class Payload:
    """Leaves a folder behind where it is unpickled."""

    def __init__(self, trace):
        self.trace = trace

    def __reduce__(self):
        return os.mkdir, (str(self.trace),)


class Scripted(torch.nn.Module):
    """Writes a file where its TorchScript archive is loaded."""

    def __init__(self, trace: str):
        super().__init__()
        self.trace = trace

    @torch.jit.export
    def __getstate__(self):
        return (self.trace, self.training)

    @torch.jit.export
    def __setstate__(self, state: Tuple[str, bool]):
        self.trace = state[0]
        self.training = state[1]
        torch.save(torch.zeros(1), self.trace)


def with_zip_sum(archive):
    """With the SHA-256 by which the first versions knew their own files, which were zip archives."""
    mark = b"scdcf SHA-256 "
    front = archive[:-2] + (len(mark) + 64).to_bytes(2, "little") + mark
    return front + hashlib.sha256(front).hexdigest().encode()


def taken_apart(file):
    length = int.from_bytes(file[:8], "little")
    return json.loads(file[8:8 + length]), file[8 + length:]


def put_together(header, data):
    """With the sum that docs/training.md describes."""
    text = json.dumps(header, separators=(",", ":")).encode()
    file = len(text + b" " * (-len(text) % 8)).to_bytes(8, "little") + text + b" " * (-len(text) % 8) + data
    at = file.index(b'"sha256":"') + 10
    zeros = file[:at] + b"0" * 64 + file[at + 64:]
    return file[:at] + hashlib.sha256(zeros).hexdigest().encode() + file[at + 64:]


@unittest.skipUnless(Path(PROGRAM).exists(), f"no program at {PROGRAM}: SCDCF_PROGRAM names it")
class HostileFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.scratch.name)
        cls.trained, cls.trace = cls.folder / "run", cls.folder / "trace"
        code, _, error = program("train", "--model", "cnn", "--channels", "2,2,2", "--hidden", 3, "--size", 12, "--data",
                                 "sglyphs", "--train-size", 64, "--validation-size", 16, "--test-size", 20, "--epochs", 1,
                                 "--out", cls.trained)
        assert code == 0, error
        cls.checkpoint = next((cls.trained / "checkpoints").iterdir())
        write_png(cls.folder / "a.png", torch.zeros(12, 12, dtype=torch.uint8))

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def refused(self, content):
        run = self.folder / "resumed"
        shutil.copytree(self.trained, run, dirs_exist_ok=True)
        file = run / "checkpoints" / self.checkpoint.name
        file.write_bytes(content)
        error = None
        try:
            scdcf.load(file)
        except Exception as caught:
            error = caught
        self.assertFalse(self.trace.exists(), "code of the file was run")
        self.assertIsInstance(error, ValueError)
        messages = [str(error)]
        for command in (["predict", file, self.folder / "a.png"], ["eval", file], ["train", "--out", run, "--resume"]):
            code, _, error = program(*command)
            self.assertEqual(code, 2, (command, error))
            messages.append(error.rstrip("\n"))
        for message in messages:
            self.assertNotIn("\n", message)
            self.assertIn(file.name, message)
        self.assertFalse(self.trace.exists(), "code of the file was run")

    def test_pickles_and_archives_of_torchscript_run_nothing(self):
        content = {"format": "scdcf 1", "about": "{}", "weights": Payload(self.trace)}
        archive, old, script = io.BytesIO(), io.BytesIO(), io.BytesIO()
        torch.save(content, archive)
        torch.save(content, old, _use_new_zipfile_serialization=False)
        torch.jit.save(torch.jit.script(Scripted(str(self.trace))), script)
        for hostile in (with_zip_sum(archive.getvalue()), old.getvalue(), pickle.dumps(content),
                        with_zip_sum(script.getvalue())):
            self.refused(hostile)
        torch.jit.load(io.BytesIO(script.getvalue()))
        self.trace.unlink()  # which was there: the payloads of this test are real
        pickle.loads(pickle.dumps(content))
        self.trace.rmdir()

    def test_hostile_safetensors_are_refused(self):
        whole = self.checkpoint.read_bytes()
        header, data = taken_apart(whole)
        self.assertEqual(put_together(header, data), whole)
        about = json.loads(header["__metadata__"]["about"])
        options = about["config"]["model"]

        def described(text):
            return put_together({**header, "__metadata__": {**header["__metadata__"], "about": text}}, data)

        def configured(model):
            return described(json.dumps({**about, "config": {**about["config"], "model": model}}))

        for hostile in (b"", whole[:-1] + bytes([whole[-1] ^ 1]), put_together(header, data[8:]), described("[" * 1_000_000),
                        described("[]"), described("{}"), configured("cnn"), configured({**options, "name": ["cnn"]}),
                        configured({**options, "channels": {"a": 1}}), configured({**options, "channels": [3, 3, 3]})):
            self.refused(hostile)


if __name__ == "__main__":
    unittest.main()
