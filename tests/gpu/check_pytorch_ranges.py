#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mansard profile --pytorch with a Hugging Face Llama: each module has a range in both passes, ranges nest as modules do, and
the program runs as without them. Prints what they cost. Needs a GPU, PyTorch and transformers.

usage: check_pytorch_ranges.py MANSARD [eager|compile...]"""

import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

LLAMA = pathlib.Path(__file__).parent / "huggingface_llama.py"
STEPS, LAYERS = 40, 4
PROJECTIONS = [f"self_attn.{name}_proj" for name in "qkvo"] + [f"mlp.{name}_proj" for name in ("gate", "up", "down")]


def step_ms(command):
    output = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(re.search(r"median step ([0-9.]+) ms", output.stdout)[1])


def check_modules(file):
    """Returns the faults."""
    with sqlite3.connect(file) as db:
        rows = db.execute("SELECT coalesce(text, (SELECT value FROM StringIds WHERE id = textId)), start, end, globalTid "
                          "FROM NVTX_EVENTS WHERE eventType = 59 ORDER BY globalTid, start, end DESC").fetchall()
    faults, seen, open_ranges = [], {}, []
    for name, start, end, thread in rows:
        while open_ranges and (open_ranges[-1][3] != thread or open_ranges[-1][2] <= start):
            open_ranges.pop()
        path = name.removesuffix(" (backward)")
        if path.startswith("model."):
            seen[name] = seen.get(name, 0) + 1
            parent = path.rsplit(".", 1)[0].removesuffix(".layers") + name[len(path):]
            if not open_ranges or open_ranges[-1][0] != parent:
                faults.append(f"'{name}' is within {open_ranges[-1][0] if open_ranges else 'nothing'}")
        open_ranges.append((name, start, end, thread))
    for layer in range(LAYERS):
        for projection in PROJECTIONS:
            for suffix in ("", " (backward)"):
                name = f"model.layers.{layer}.{projection}{suffix}"
                if seen.get(name) != STEPS:
                    faults.append(f"'{name}' has {seen.get(name, 0)} ranges in {STEPS} steps")
    return faults


def main():
    mansard = sys.argv[1]
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/run.sqlite"
        for how in sys.argv[2:] or ("eager", "compile"):
            program = [sys.executable, str(LLAMA), how, str(STEPS)]
            plain = step_ms(program)
            record = [mansard, "profile", "-f", "-o", file, "--counters", "off"]
            off = step_ms([*record, "--", *program])
            for ranges in ("modules", "nvtx", "shapes"):
                with_ranges = step_ms([*record, "--pytorch", ranges, "--", *program])
                print(f"{how}: {plain:.2f} ms per step, profiled {off:.2f} ms, with --pytorch {ranges} {with_ranges:.2f} ms")
                if (how, ranges) == ("eager", "modules"):
                    faults = check_modules(file)
    for fault in faults[:20]:
        print(fault)
    print(f"{len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
