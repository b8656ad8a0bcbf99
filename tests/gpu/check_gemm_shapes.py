#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The GEMMs of a program that knows nothing of Mansard, from the arguments of its cuBLAS calls, against the formula of
its model; and step times with and without the preloaded library, in turn. Needs a GPU, PyTorch and transformers.

usage: check_gemm_shapes.py MANSARD [eager|compile]"""

import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(__file__).with_name("huggingface_llama.py")
STEPS = 12


def run(*command):
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    step_ms, tflop = re.search(r"median step ([0-9.]+) ms, GEMMs ([0-9.]+) TFLOP", text).groups()
    return float(step_ms), float(tflop)


def main():
    mansard, how = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "eager"
    program = [sys.executable, str(PROGRAM), how]
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/run.sqlite"
        for repetition in range(3):
            for calls in ("off", "on"):
                step_ms, expected = run(mansard, "profile", "-f", "-o", file, "--library-calls", calls, "--", *program)
                print(f"{how}, --library-calls {calls}: {step_ms:.2f} ms")
        flop, = sqlite3.connect(file).execute(
            "SELECT sum(flop) FROM MANSARD_WORK WHERE modeled = 1 AND class = 'gemm' AND precision = 'bf16'").fetchone()
    found = flop / STEPS / 1e12
    print(f"GEMMs: {found:.4f} TFLOP per step, by the model's formula {expected:.4f}")
    return 0 if abs(found / expected - 1) < 0.01 else 1


if __name__ == "__main__":
    sys.exit(main())
