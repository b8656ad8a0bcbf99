# SPDX-License-Identifier: Apache-2.0
"""examples/pytorch: the work its layers declare; where PyTorch is installed, a tiny training run.

By hand: MANSARD=build/dev/bin/mansard python3 -m unittest -v train_llama_test"""

import importlib.util
import json
import os
import pathlib
import py_compile
import sqlite3
import subprocess
import sys
import tempfile
import unittest

from sanitizer import records_other_programs

MANSARD = os.environ["MANSARD"]
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples/pytorch"
sys.path.insert(0, str(EXAMPLES))
os.environ.pop("NVTX_INJECTION64_PATH", None)
from linear_work import linear_pass, quantize_work, transpose_work  # noqa: E402

HAVE_TORCH = importlib.util.find_spec("torch") is not None
TINY = ["--layers", "2", "--hidden", "64", "--heads", "2", "--sequence", "32", "--vocabulary", "128",
        "--steps", "3", "--warmup", "1", "--device", "cpu", "--json"]


class Work(unittest.TestCase):
    def test_products_of_a_linear_layer(self):
        tokens, inputs, outputs = 16, 8, 4
        for name, shape in (("fprop", (16, 4, 8)), ("dgrad", (16, 8, 4)), ("wgrad", (4, 8, 16))):
            bf16 = linear_pass(name, tokens, inputs, outputs, "bf16")
            self.assertEqual(bf16["shape"], shape)
            self.assertEqual(bf16["flop"], 2 * 16 * 8 * 4, name)
            # Each pass touches x, W and y (or their gradients) once, at 2 bytes an element.
            self.assertEqual(bf16["hbm"], 2 * (16 * 8 + 8 * 4 + 16 * 4), name)
            self.assertEqual((bf16["precision"], bf16["operation_class"]), ("bf16", "gemm"))
        fp8 = linear_pass("wgrad", tokens, inputs, outputs, "fp8")
        self.assertEqual(fp8["hbm"], 16 * 4 + 16 * 8 + 2 * 4 * 8)
        self.assertEqual(fp8["precision"], "fp8_e5m2")
        self.assertEqual(linear_pass("fprop", 1, 1, 1, "fp8")["precision"], "fp8_e4m3")

    def test_conversions(self):
        self.assertEqual(quantize_work(10, "fp8_e4m3"), {
            "hbm": 50, "precision": "fp8_e4m3", "operation_class": "quantize"})
        self.assertEqual(transpose_work(10)["hbm"], 20)


class Scripts(unittest.TestCase):
    def test_they_compile(self):
        with tempfile.TemporaryDirectory() as folder:
            for script in EXAMPLES.glob("*.py"):
                py_compile.compile(str(script), cfile=f"{folder}/{script.stem}.pyc", doraise=True)

    def run_tiny(self, *more, before=()):
        env = dict(os.environ, PYTHONDONTWRITEBYTECODE="1")
        result = subprocess.run([*before, sys.executable, EXAMPLES / "train_llama.py", *TINY, *more],
                                env=env, capture_output=True, text=True, check=False, timeout=280)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout), result.stderr

    @unittest.skipUnless(HAVE_TORCH, "PyTorch is not installed")
    def test_a_tiny_model_learns(self):
        run, _ = self.run_tiny("--steps", "30", "--learning-rate", "1e-2")
        self.assertLess(run["loss"][-1], run["loss"][0] - 0.1)

    @unittest.skipUnless(HAVE_TORCH, "PyTorch is not installed")
    def test_fp8_without_a_gpu_says_so(self):
        run, err = self.run_tiny("--precision", "fp8")
        self.assertEqual(run["precision"], "bf16")
        self.assertIn("FP8 needs a GPU", err)

    @unittest.skipUnless(HAVE_TORCH, "PyTorch is not installed")
    @records_other_programs(MANSARD)
    def test_ranges_are_recorded_and_change_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            file = f"{folder}/run.sqlite"
            plain, _ = self.run_tiny()
            recorded, _ = self.run_tiny(before=(MANSARD, "profile", "-o", file, "--"))
            self.assertEqual(plain["loss"], recorded["loss"])
            database = sqlite3.connect(file)
            self.addCleanup(database.close)
            count = dict(database.execute("SELECT text, count(*) FROM NVTX_EVENTS GROUP BY text"))
            for text in ("forward", "backward", "optimizer", "layer 1", "layer 0 backward"):
                self.assertEqual(count[text], 4, text)
            self.assertEqual(count["step 3"], 1)
            flop, rows = database.execute("SELECT sum(flop), count(*) FROM MANSARD_WORK").fetchone()
            weights = 2 * (4 * 64 * 64 + 3 * 64 * 256) + 64 * 128
            self.assertEqual((flop, rows), (4 * 6 * 32 * weights, 4 * 3 * (2 * 4 + 1)))


if __name__ == "__main__":
    unittest.main()
