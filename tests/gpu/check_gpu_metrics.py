# SPDX-License-Identifier: Apache-2.0
"""Checks `mansard profile --gpu-metrics-period` with a program that copies memory in bursts with pauses
between them: the sampled bytes must equal those copied, and must lie within the bursts according to the
kernel records.

Usage: check_gpu_metrics.py MANSARD OUTPUT_FOLDER

Needs PyTorch and the permission to read counters."""

import bisect
import pathlib
import sqlite3
import subprocess
import sys

BURSTS, COPIES, BYTES = 40, 10, 1 << 29
PROGRAM = f"""
import time, torch
a = torch.empty({BYTES}, dtype=torch.uint8, device="cuda").random_()
b = torch.empty_like(a)
torch.cuda.synchronize()
time.sleep(1.5)  # until sampling has started
for _ in range({BURSTS}):
    for _ in range({COPIES}):
        torch.add(a, 1, out=b)  # a kernel: copies would use another engine
    torch.cuda.synchronize()
    time.sleep(0.01)
time.sleep(0.3)
"""
PERIODS_US = (1000, 200)
ALLOWED_DIFFERENCE = 0.03  # relative, in bytes; 0.1 % is other traffic
ALLOWED_OUTSIDE = 0.02


def bytes_outside(bursts, samples):
    """Bytes of the samples that overlap no burst."""
    begins = [begin for begin, _ in bursts]
    outside = 0
    for end_ns, period_ns, value in samples:
        i = bisect.bisect_right(begins, end_ns) - 1
        if i < 0 or bursts[i][1] < end_ns - period_ns:
            outside += value
    return outside


def check(mansard, file, period_us):
    subprocess.run([mansard, "profile", "-f", "-o", str(file), "--gpu-metrics-period", str(period_us), "--",
                    sys.executable, "-c", PROGRAM], check=True, timeout=120)
    database = sqlite3.connect(file)
    kernels = database.execute(
        "SELECT k.start, k.end FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.shortName "
        "WHERE s.value LIKE '%elementwise%' ORDER BY k.start").fetchall()[-BURSTS * COPIES:]
    bursts = [(kernels[i][0], kernels[i + COPIES - 1][1]) for i in range(0, len(kernels), COPIES)]
    failed = len(bursts) != BURSTS
    first, last = bursts[0][0] - 20_000_000, bursts[-1][1] + 20_000_000
    for metric in ("dram__bytes_read.sum", "dram__bytes_write.sum"):
        samples = database.execute(
            "SELECT m.timestamp, m.value FROM MANSARD_GPU_METRIC m JOIN StringIds s ON s.id = m.metricId "
            "WHERE s.value = ? AND m.timestamp BETWEEN ? AND ? ORDER BY 1", (metric, first, last)).fetchall()
        with_period = [(end, period_us * 1000, value) for end, value in samples]
        total = sum(value for _, value in samples)
        expected = BURSTS * COPIES * BYTES
        outside = bytes_outside(bursts, with_period)
        steps = sorted(b[0] - a[0] for a, b in zip(samples, samples[1:]))
        print(f"{period_us} µs, {metric}: {len(samples)} samples, {steps[len(steps) // 2] / 1e3:.1f} µs apart "
              f"({steps[0] / 1e3:.1f} to {steps[-1] / 1e3:.1f}); {total / expected:.4f} of the bytes copied; "
              f"{outside / total:.5f} of them outside the bursts")
        failed |= abs(total / expected - 1) > ALLOWED_DIFFERENCE or outside > ALLOWED_OUTSIDE * total
    averages = database.execute(
        "SELECT s.value, avg(m.value), max(m.value) FROM MANSARD_GPU_METRIC m "
        "JOIN StringIds s ON s.id = m.metricId GROUP BY 1").fetchall()
    for name, mean, most in averages:
        print(f"    {name}: mean {mean:.4g}, maximum {most:.4g}")
    return failed


def main():
    mansard, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    failed = False
    for period_us in PERIODS_US:
        failed |= check(mansard, folder / f"gpu_metrics_{period_us}.sqlite", period_us)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
