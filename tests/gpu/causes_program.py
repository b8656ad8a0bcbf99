# SPDX-License-Identifier: Apache-2.0
"""Times steps of examples/pytorch/train_llama.py with and without attention, optimizer and quantization. The variants
alternate in one process, so that all run on one card in one thermal state. Prints JSON: by cause, pairs of step times
in ms.

Usage: causes_program.py bf16|fp8 ROUNDS SECONDS LAYERS"""

import json
import pathlib
import statistics
import sys
import time

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples/pytorch"))
from linear_layers import Linear  # noqa: E402
from llama import Attention  # noqa: E402
from train_llama import Training, parse  # noqa: E402

SETTLE = 0.5  # fraction of each segment that is not timed: the clock follows the power within a second or two


def leave_out(training, causes):
    for module in training.model.modules():
        if isinstance(module, Attention):
            module.mixes = "attention" not in causes
        if isinstance(module, Linear):
            module.kept = {} if "quantization" in causes else None
    training.updates = "optimizer" not in causes


def segment_ms(training, seconds):
    """Median step time of the later part of a segment, by CUDA events."""
    start = time.monotonic()
    marks = []
    while time.monotonic() - start < seconds:
        for _ in range(5):
            training.step()
            if time.monotonic() - start > SETTLE * seconds:
                marks.append(torch.cuda.Event(enable_timing=True))
                marks[-1].record()
        torch.cuda.current_stream().synchronize() if not marks else marks[max(0, len(marks) - 5)].synchronize()
    torch.cuda.synchronize()
    return statistics.median(a.elapsed_time(b) for a, b in zip(marks, marks[1:]))


def main():
    precision, rounds, seconds, layers = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
    training = Training(parse(["--precision", precision, "--layers", layers]))
    causes = ["attention", "optimizer"] + (["quantization"] if precision == "fp8" else [])
    for cause in causes:  # compiles and allocates everything
        leave_out(training, [cause])
        for _ in range(3):
            training.step()
    leave_out(training, [])
    segment_ms(training, 2 * seconds)
    out = {cause: [] for cause in causes}
    for _ in range(rounds):
        for cause in causes:
            leave_out(training, [])
            base = segment_ms(training, seconds)
            leave_out(training, [cause])
            out[cause].append((base, segment_ms(training, seconds)))
    print(json.dumps(out))


if __name__ == "__main__":
    main()
