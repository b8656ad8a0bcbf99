# SPDX-License-Identifier: Apache-2.0
"""Checks that the ledger's cost of quantization equals the time that a step saves without it: linear layers in BF16 and
FP8 are profiled and explained, and FP8 is timed without the profiler, alternating with and without quantization
(--reuse-quantized).

Usage: check_explain.py MANSARD OUTPUT_FOLDER [ROUNDS]   (default 3)

Prints both times and their ratio; exits with 1 if they differ by more than 10 %. At the power limit, a step without the
memory-bound kernels runs at a lower clock, so its GEMMs take longer. The check counts this against the ledger, and
prints the effect, which it reads from a profile without quantization."""

import json
import pathlib
import statistics
import subprocess
import sys

TOLERANCE = 0.10
LINES = ("amax", "quantize")


def run(command):
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit {result.returncode}\n{result.stderr[-2000:]}")
    return json.loads(result.stdout) if "json" in command else None


def layer(mansard, recipe, *options):
    return [mansard, "run", "layer", "--device", "gpu", "--recipe", recipe, "--no-verify", *options]


def step_s(mansard, recipe, *options):
    report = run([*layer(mansard, recipe, "--steps", 100, *options), "--format", "json"])
    rows = report["findings"][0]["tables"][0]["rows"]
    return next(row["time_s"] for row in rows if row["pass"] == "step")


def ledger(mansard, files):
    report = run([mansard, "explain", "--baseline", files["bf16"], "--candidate", files["fp8"],
                  "--format", "json"])
    return {line["id"]: line["time_s"] for line in report["findings"][0]["tables"][0]["rows"]}


def gemm_s(mansard, file):
    """GEMM time of a typical step."""
    report = run([mansard, "analyze", file, "--analysis", "steps", "--format", "json"])
    return sum(row["time_s"] for row in report["findings"][0]["tables"][0]["rows"]
               if (row["kind"], row["name"]) == ("kernels", "gemm"))


def main():
    mansard, out = sys.argv[1], pathlib.Path(sys.argv[2])
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    programs = {"bf16": ["bf16"], "fp8": ["fp8"], "fp8_kept": ["fp8", "--reuse-quantized"]}
    files = {name: out / f"explain_{name}.sqlite" for name in programs}
    for name, program in programs.items():
        run([mansard, "profile", "-f", "-o", files[name], "--", *layer(mansard, *program, "--steps", 60)])
    lines = ledger(mansard, files)
    said_s = sum(lines.get(line) or 0 for line in LINES)
    pairs = [(step_s(mansard, "fp8"), step_s(mansard, "fp8", "--reuse-quantized")) for _ in range(rounds)]
    gained_s = statistics.median(full - kept for full, kept in pairs)
    for full, kept in pairs:
        print(f"step {1e3 * full:.3f} ms, without quantization {1e3 * kept:.3f} ms")
    ratio = gained_s / said_s
    print(f"the ledger's lines {' and '.join(LINES)}: {1e3 * said_s:.3f} ms; measured saving: "
          f"{1e3 * gained_s:.3f} ms; ratio {ratio:.3f}")
    longer_s = gemm_s(mansard, files["fp8_kept"]) - gemm_s(mansard, files["fp8"])
    print(f"without quantization the GEMMs took {1e3 * longer_s:+.3f} ms longer; corrected for that the ratio is "
          f"{(gained_s + longer_s) / said_s:.3f}")
    return 0 if abs(ratio - 1) <= TOLERANCE else 1


if __name__ == "__main__":
    sys.exit(main())
