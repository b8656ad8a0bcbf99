# SPDX-License-Identifier: Apache-2.0
"""Checks that every kernel, memcpy and memset of a PyTorch loop is recorded: as many as torch.profiler
counts in a separate run; and that the program's result does not change.

Usage: check_pytorch_counts.py MANSARD OUTPUT_FOLDER"""

import pathlib
import sqlite3
import subprocess
import sys

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "examples/pytorch/train_mlp.py"


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} exited {result.returncode}:\n{result.stderr}")
    return result.stdout


def count(database, table):
    try:
        return database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    except sqlite3.OperationalError:
        return 0  # tables exist only when they have rows


def main():
    mansard, out = sys.argv[1], pathlib.Path(sys.argv[2])
    plain = run(sys.executable, SCRIPT)
    expected = run(sys.executable, SCRIPT, "--count").split()
    expected = dict(zip(expected[::2], map(int, expected[1::2])))
    file = out / "mlp.sqlite"
    profiled = run(mansard, "profile", "-f", "-o", file, "--", sys.executable, SCRIPT)
    database = sqlite3.connect(file)
    got = {
        "kernels": count(database, "CUPTI_ACTIVITY_KIND_KERNEL"),
        "memcpy": count(database, "CUPTI_ACTIVITY_KIND_MEMCPY"),
        "memset": count(database, "CUPTI_ACTIVITY_KIND_MEMSET"),
    }
    steps = database.execute("SELECT count(*) FROM NVTX_EVENTS WHERE text LIKE 'step %'").fetchone()
    print(f"torch.profiler {expected}\nmansard        {got}, {steps[0]} steps")
    if plain != profiled:
        sys.exit(f"the program printed {plain!r} without and {profiled!r} under Mansard")
    return 0 if got == expected and steps[0] == 20 else 1


if __name__ == "__main__":
    sys.exit(main())
