#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs without NVTX ranges: the steps that `mansard analyze` finds, against what the program printed. Needs a GPU,
PyTorch, and JAX or transformers for the kinds of that name. Fails if a kind's step time differs by more than 3 %: the
programs time the steps of their second half together, with the wait for the device at its start and end.

usage: check_unannotated.py MANSARD [KIND...]"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
STEPS = 30
KINDS = {kind: [HERE / "unannotated.py", kind, STEPS]
         for kind in ("eager", "accumulate", "padded", "graph", "overhead", "autotune", "jax")}
KINDS |= {f"huggingface_{how}": [HERE / "huggingface_llama.py", how] for how in ("eager", "compile")}
TOLERANCE = 0.03


def printed(text):
    """The number of steps and the time of one, in ms, as printed by the program."""
    llama = re.search(r"median step ([0-9.]+) ms", text)
    if llama:
        return 12, float(llama[1])
    line = json.loads(text.strip().splitlines()[-1])
    return line["steps"], line["mean_ms"]


def found(mansard, file):
    result = subprocess.run([mansard, "analyze", file, "--analysis", "steps", "--format", "json"],
                            capture_output=True, text=True, check=True)
    finding = json.loads(result.stdout)["findings"][0]
    steps = next(table["rows"] for table in finding["tables"] if table["id"] == "steps")
    times = [1e3 * step["time_s"] for step in steps[len(steps) // 2:] if step["typical"] == "yes"]
    return len(steps), sum(times) / max(1, len(times)), finding["summary"]


def main():
    mansard, kinds = sys.argv[1], sys.argv[2:] or list(KINDS)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for kind in kinds:
            file = f"{folder}/{kind}.sqlite"
            program = [sys.executable, *map(str, KINDS[kind])]
            output = subprocess.run([mansard, "profile", "-f", "-o", file, "--", *program],
                                    capture_output=True, text=True, check=True).stdout
            steps, step_ms = printed(output)
            count, mean_ms, summary = found(mansard, file)
            # A graph is captured after three more steps.
            good = steps - 1 <= count <= steps + 3 and abs(mean_ms / step_ms - 1) < TOLERANCE
            failed += not good
            print(f"{kind}: {steps} steps of {step_ms:.2f} ms; found {count} of {mean_ms:.2f} ms"
                  f"{'' if good else '  FAILED'}\n  {summary}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
