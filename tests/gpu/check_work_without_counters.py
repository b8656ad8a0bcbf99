#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The FLOPs of a typical step that are known without hardware counters, against those of the model's matrix products,
of programs without NVTX ranges. Needs a GPU, PyTorch, transformers and JAX. Fails if less than 95 % are known, or more
than 30 % too many: attention comes on top.

usage: check_work_without_counters.py MANSARD [KIND...]"""

import json
import pathlib
import subprocess
import sys
import tempfile

from unannotated import BATCH, HIDDEN, LAYERS, SEQUENCE, VOCABULARY

HERE = pathlib.Path(__file__).parent
TRANSFORMER = 6 * BATCH * SEQUENCE * (12 * LAYERS * HIDDEN**2 + VOCABULARY * HIDDEN)
LLAMA = 6.5842e12  # as huggingface_llama.py prints it
KINDS = {kind: ([HERE / "unannotated.py", kind, 30], TRANSFORMER) for kind in ("eager", "graph", "overhead", "jax")}
KINDS |= {f"huggingface_{how}": ([HERE / "huggingface_llama.py", how, 30], LLAMA) for how in ("eager", "compile")}


def known(mansard, file):
    """FLOPs per typical step, and the share of its kernel time with FLOPs or bytes."""
    result = subprocess.run([mansard, "analyze", file, "--analysis", "kernels", "--format", "json"],
                            capture_output=True, text=True, check=True)
    rows = json.loads(result.stdout)["findings"][0]["tables"][0]["rows"]
    rows = [row for row in rows if row["class"] not in ("memcpy", "memset") and row["time_s"]]
    flop = sum((row["flop"] or 0) * row["step_time_s"] / row["time_s"] for row in rows)
    # A graph's kernels overlap, and overlapping time counts for one of them only.
    whole = sum(row["step_time_s"] for row in rows)
    return flop, sum(row["step_time_s"] for row in rows if row["origin"] != "none") / whole


def main():
    mansard, kinds = sys.argv[1], sys.argv[2:] or list(KINDS)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for kind in kinds:
            program, expected = KINDS[kind]
            file = f"{folder}/{kind}.sqlite"
            subprocess.run([mansard, "profile", "-f", "-o", file, "--counters", "off", "--", sys.executable,
                            *map(str, program)], capture_output=True, text=True, check=True)
            flop, share = known(mansard, file)
            good = 0.95 < flop / expected < 1.3
            failed += not good
            print(f"{kind}: {flop / 1e12:.4f} TFLOP per step known, {expected / 1e12:.4f} in the model's matrix products; "
                  f"{100 * share:.1f} % of the kernel time has FLOPs or bytes{'' if good else '  FAILED'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
