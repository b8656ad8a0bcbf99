# SPDX-License-Identifier: Apache-2.0
"""Compares message sizes and bus bandwidths of collectives with the program's own: each size that was sent must be
found, with the number of ranks, and the bandwidths of large messages must match those measured with events in the
program.

Usage: check_collectives.py MANSARD OUTPUT_FOLDER [MACHINE_MODEL]

Needs two GPUs and PyTorch; exits with 77 without them."""

import json
import pathlib
import subprocess
import sys

RANKS = 2
LARGE_BYTES = 1 << 26
# Events around a collective include its launch, and its kernels end within some µs on all ranks.
ALLOWED = 0.05
FACTOR = {"all-reduce": 2 * (RANKS - 1) / RANKS, "all-gather": (RANKS - 1) / RANKS,
          "reduce-scatter": (RANKS - 1) / RANKS, "all-to-all": (RANKS - 1) / RANKS, "broadcast": 1}


def rows_of(mansard, profile, machine):
    command = [mansard, "analyze", profile, "--analysis", "collectives", "--format", "json"]
    if machine:
        command += ["--machine", machine]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True, timeout=100).stdout)
    return found["findings"][0]["tables"][0]["rows"]


def main():
    mansard, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    machine = sys.argv[3] if len(sys.argv) > 3 else None
    import torch
    if torch.cuda.device_count() < RANKS:
        print(f"skipped: {torch.cuda.device_count()} GPUs; {RANKS} are needed")
        return 77
    program = pathlib.Path(__file__).with_name("collectives_program.py")
    printed = subprocess.run(
        [mansard, "profile", "-f", "-o", str(folder / "collectives-%r.sqlite"), "--", "torchrun",
         "--nproc-per-node", str(RANKS), str(program)],
        check=True, timeout=250, capture_output=True, text=True)
    (folder / "collectives_program.log").write_text(printed.stdout + printed.stderr)
    own = [json.loads(line) for line in printed.stdout.splitlines() if line.startswith("{")]
    merged = folder / "collectives.sqlite"
    files = [folder / f"collectives-{rank}.sqlite" for rank in range(RANKS)]
    subprocess.run([mansard, "merge", "-f", "-o", merged, *files], check=True, timeout=100)
    rows = rows_of(mansard, merged, machine)
    failed = 0
    print("| operation | message | program | profile | ratio | of NVLink |")
    for measured in own:
        name, size = measured["operation"], measured["bytes"]
        matching = [row for row in rows if row["operation"] == name and row["message_bytes"] == size and
                    row["ranks"] == RANKS]
        if not matching:
            print(f"| {name} | {size} | not found |")
            failed += 1
            continue
        rate = FACTOR[name] * size / measured["median_s"]
        launches = sum(row["launches"] for row in matching)
        transfer_s = sum(row["transfer_s"] * row["launches"] for row in matching) / launches
        found = FACTOR[name] * size / transfer_s
        of_nvlink = matching[0].get("of_nvlink")
        print(f"| {name} | {size} | {rate / 1e9:.1f} GB/s | {found / 1e9:.1f} GB/s | {found / rate:.3f} | "
              f"{of_nvlink if of_nvlink is None else round(of_nvlink, 3)} |")
        if size >= LARGE_BYTES and abs(found / rate - 1) > ALLOWED:
            failed += 1
        if of_nvlink is not None and of_nvlink > 1.03:
            failed += 1
    print(f"{failed} failed" if failed else "all found, and the bandwidths agree")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
