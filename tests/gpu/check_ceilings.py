# SPDX-License-Identifier: Apache-2.0
"""Compares the ceilings measured on an H200 SXM with known rates of that GPU. Prints a table of targets
and results in Markdown.

Usage: check_ceilings.py machine.json

The model must be from `mansard characterize --device gpu --full`; ceilings that another plan does not
measure are listed as "not measured". Exits with 1 if a measured ceiling misses its target."""

import json
import sys

WGMMA = ["wgmma_bf16", "wgmma_fp16", "wgmma_fp8_e4m3", "wgmma_fp8_e5m2", "wgmma_int8", "wgmma_tf32"]
PATTERNS = ["", "@random_uniform", "@zeros"]
THEORY = "fraction_of_theory_at_clock"

# Title, id of the ceiling, field, minimum, factor, unit. Datasheet: FP32 67, FP64 33.5 TFLOP/s.
LEAST = (
    [(f"{w}{p}, fraction of theory at the measured clock", w + p, THEORY, 0.99, 1, "")
     for w in WGMMA for p in PATTERNS] +
    [("BF16 sustained on uniform data", "wgmma_bf16@random_uniform@sustained", "value", 890, 1e12,
      "TFLOP/s"),
     ("FP8 sustained on uniform data", "wgmma_fp8_e4m3@random_uniform@sustained", "value", 1730,
      1e12, "TFLOP/s"),
     ("cuBLASLt BF16, normal data", "cublaslt_bf16", "value", 790, 1e12, "TFLOP/s"),
     ("cuBLASLt FP8, normal data", "cublaslt_fp8_e4m3", "value", 1500, 1e12, "TFLOP/s"),
     ("HBM read", "hbm_read", "value", 4.5, 1e12, "TB/s"),
     ("HBM write", "hbm_write", "value", 4.4, 1e12, "TB/s"),
     ("HBM copy", "hbm_copy", "value", 4.1, 1e12, "TB/s"),
     ("L2 read, a third of the L2", "l2_read@l2", "value", 9, 1e12, "TB/s"),
     ("L2 read of 5 MB that all SMs share", "l2_read_together", "value", 10.3, 1e12, "TB/s"),
     ("L1 read, fraction of 128 B/clk/SM", "l1_read", THEORY, 0.97, 1, ""),
     ("shared memory load, fraction of 128 B/clk/SM", "shared_load", THEORY, 0.97, 1, ""),
     ("shared memory store, fraction of 128 B/clk/SM", "shared_store", THEORY, 0.97, 1, ""),
     ("ldmatrix, fraction of 128 B/clk/SM", "shared_ldmatrix", THEORY, 0.97, 1, ""),
     ("distributed shared memory", "dsmem_cluster2", "value", 3.2, 1e12, "TB/s"),
     ("PCIe to the device, pinned", "pcie_h2d_pinned", "value", 50, 1e9, "GB/s"),
     ("PCIe to the host, pinned", "pcie_d2h_pinned", "value", 50, 1e9, "GB/s"),
     ("FP32 FMA", "fma_fp32", "value", 0.95 * 67, 1e12, "TFLOP/s"),
     ("FP64 FMA", "fma_fp64", "value", 0.95 * 33.5, 1e12, "TFLOP/s")])
MOST = [("launch in a graph", "launch_graph", "value", 1.3, 1e-6, "µs"),
        ("launch in a stream", "launch_stream", "value", 2.5, 1e-6, "µs")]
# Speed-up of the raw instruction over the library, in the same regime and data pattern.
LEADS = [("BF16 sustained over cuBLASLt's", "wgmma_bf16@sustained", "cublaslt_bf16@sustained"),
         ("FP8 sustained over cuBLASLt's", "wgmma_fp8_e4m3@sustained",
          "cublaslt_fp8_e4m3@sustained"),
         ("BF16 burst over cuBLASLt's", "wgmma_bf16", "cublaslt_bf16"),
         ("FP8 burst over cuBLASLt's", "wgmma_fp8_e4m3", "cublaslt_fp8_e4m3")]
LEAST_LEAD = 1.08
SMALL_L2 = (4e6, 6.5e6, 10.3e12)  # working sets from and to, in bytes; minimum B/s


def row(what, aim, reached, good):
    print(f"| {what} | {aim} | {reached} | {'met' if good else 'missed'} |")
    return 0 if good else 1


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        model = json.load(file)
    gpu = next(d for d in model["devices"] if d["device"]["target"] == "cuda")
    ceilings = {c["id"]: c for c in gpu["ceilings"]}
    missed = 0

    def absent(what, *ids):
        gone = [i for i in ids if i not in ceilings]
        if gone:
            print(f"| {what} | - | not measured | - |")
        return bool(gone)

    print("| target | minimum or maximum | measured | |\n|---|---|---|---|")
    for sign, rows in ((1, LEAST), (-1, MOST)):
        for what, name, field, bar, factor, unit in rows:
            if absent(what, name):
                continue
            ceiling = ceilings[name]
            value = ceiling[field] / factor
            clock = f" at {ceiling['clock_hz'] / 1e9:.3f} GHz" if unit == "TFLOP/s" else ""
            missed += row(what, f"{bar:.5g} {unit}", f"{value:.5g} {unit}{clock}",
                          sign * value >= sign * bar)
    for what, raw, library in LEADS:
        if not absent(what, raw, library):
            lead = ceilings[raw]["value"] / ceilings[library]["value"]
            missed += row(what, f"{LEAST_LEAD} x", f"{lead:.3f} x", lead >= LEAST_LEAD)
    first, last, bar = SMALL_L2
    points = [p["bytes_per_s"] for p in gpu["sweep"]
              if p["kernel"] == "l2_read" and first <= p["working_set_bytes"] <= last]
    if points:
        missed += row("L2 read at 4 to 6 MB, bytes that the SMs receive", f"{bar / 1e12} TB/s",
                      f"{min(points) / 1e12:.4g} to {max(points) / 1e12:.4g} TB/s",
                      min(points) >= bar)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
