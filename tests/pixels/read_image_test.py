"""Image files: the same pixels as the program makes."""
import struct
import tempfile
import unittest
import zlib
from pathlib import Path

import torch

import scdcf


def png(rows, colour=0):
    """The bytes of a PNG file; rows of samples: grey (0), colours (2), grey and opacity (4)."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    width = len(rows[0]) // {0: 1, 2: 3, 4: 2}[colour]
    data = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, len(rows), 8, colour, 0, 0, 0)) +
            chunk(b"IDAT", data) + chunk(b"IEND", b""))


class ReadImage(unittest.TestCase):
    def test_fits(self):
        wide = png([[0, 10, 20, 30], [40, 50, 60, 70]])
        self.assertEqual(scdcf.read_image(wide).tolist(), [[[0, 10, 20, 30], [40, 50, 60, 70]]])
        self.assertEqual(scdcf.read_image(wide, 2).tolist(), [[[10, 20], [50, 60]]])
        self.assertEqual(scdcf.read_image(wide, 2, fit="stretch").tolist(), [[[5, 25], [45, 65]]])
        self.assertEqual(scdcf.read_image(wide, 4, fit="pad").tolist(),
                         [[[0] * 4, [0, 10, 20, 30], [40, 50, 60, 70], [0] * 4]])

    def test_channels_and_background(self):
        clear = png([[200, 255, 9, 0]], colour=4)
        self.assertEqual(scdcf.read_image(clear, background=7).tolist(), [[[200, 7]]])
        self.assertEqual(scdcf.read_image(clear, channels=3).tolist(), [[[200, 255]]] * 3)
        self.assertEqual(scdcf.read_image(png([[255, 0, 0]], colour=2), channels=1).tolist(), [[[76]]])

    def test_files_and_faults(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "\u00e9.png"
            file.write_bytes(png([[1, 2], [3, 4]]))
            self.assertEqual(scdcf.read_image(file, 2).tolist(), [[[1, 2], [3, 4]]])
            file.write_bytes(b"RIFFsizeWEBPVP8 ")
            with self.assertRaisesRegex(ValueError, "\u00e9.png: neither a PNG nor a JPEG image, but WebP"):
                scdcf.read_image(file)
            with self.assertRaises(FileNotFoundError):
                scdcf.read_image(Path(folder) / "none.png")
        for wrong, text in (({"fit": "squeeze"}, "crop, pad or stretch"), ({"size": -1}, "size: got -1"),
                            ({"channels": 2}, "channels: got 2"), ({"background": 256}, "background: got 256")):
            with self.assertRaisesRegex(ValueError, text):
                scdcf.read_image(png([[1]]), **wrong)
        with self.assertRaisesRegex(ValueError, "the bytes: neither a PNG nor a JPEG"):
            scdcf.read_image(b"")

    def test_a_network_reads_what_it_expects(self):
        network = scdcf.models.cnn(channels=[2, 2, 2], hidden=4, image_size=12, in_channels=3)
        images = network.read_images(png([[0, 255] * 12] * 24), png([[9] * 5] * 9))
        self.assertEqual((images.dtype, images.shape), (torch.uint8, (2, 3, 12, 12)))
        self.assertTrue((images[1] == 9).all())
        network.about = {"config": {"data": {"fit": "pad"}}, "background": 0}
        self.assertEqual(network.read_images(png([[9] * 5] * 9))[0, 0, :, 0].tolist(), [0] * 12)


if __name__ == "__main__":
    unittest.main()
