# SPDX-License-Identifier: Apache-2.0
"""Holds what each ceiling of the GPU claims to compute and move against the hardware's counters.

Usage: check_counters.py MANSARD OUTPUT.md [CEILING...]

Runs each ceiling once under Nsight Compute and compares `mansard run`'s FLOP or bytes with the
counters of the kernel whose name contains "ceiling". Needs ncu and the permission to read counters.
Writes a table; exits 1 when a claim is off by more than 1 %."""

import csv
import io
import json
import subprocess
import sys

TOLERANCE = 0.01
SASS = "smsp__sass_thread_inst_executed_op_{}_pred_on.sum"
TENSOR = "sm__ops_path_tensor_src_{}.sum"

# Compute capability 9.0: one count of ops_path is one operation.
TENSOR_METRIC = {"BF16": "bf16_dst_fp32", "FP16": "fp16", "TF32": "tf32_dst_fp32", "FP64": "fp64",
                 "FP8 E4M3": "fp8", "FP8 E5M2": "fp8", "INT8": "int8"}

# Operations of a lane's instruction on the CUDA cores; the pipe's count is of warps.
CORE_TERMS = {
    "fma_fp64": [(2, SASS.format("dfma"))],
    "fma_fp32": [(2, SASS.format("ffma"))],
    "fma_fp16x2": [(4, SASS.format("hfma"))],
    "fma_bf16x2": [(4, SASS.format("hfma"))],
    "imad_int32": [(2 * 32, "smsp__inst_executed_pipe_fmaheavy.sum")],
}
CORE_PIPES = {"sfu_": (32, "smsp__inst_executed_pipe_xu.sum")}

TIER_TERMS = {
    "HBM": [(1, "dram__bytes.sum")],
    "L2": [(32, "lts__t_sectors_srcunit_tex.sum")],
    "Shared/L1": [(1, "l1tex__t_bytes.sum"),
               (128, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum")],
}


def mansard_rows(mansard, *arguments):
    text = subprocess.run([mansard, *arguments, "--format", "json"], capture_output=True, text=True,
                          check=True).stdout
    return json.loads(text)["findings"][0]["tables"][0]["rows"]


def terms_of(ceiling):
    """Counters whose weighted sum is the claim; None where no counter tells."""
    name = ceiling["name"]
    if ceiling["role"] == "bandwidth":
        swept_l2 = ceiling["tier"] == "swept" and name.startswith("l2")
        return TIER_TERMS.get("L2" if swept_l2 else ceiling["tier"])
    if ceiling["role"] != "compute":
        return None
    if name in CORE_TERMS:
        return CORE_TERMS[name]
    for prefix, term in CORE_PIPES.items():
        if name.startswith(prefix):
            return [term]
    if ceiling["precision"] in TENSOR_METRIC:
        return [(1, TENSOR.format(TENSOR_METRIC[ceiling["precision"]]))]
    return None


def counted(mansard, name, metrics, library):
    """Sums of the metrics over the launches of the measured kernel, and the claim of the same run."""
    which = ["-k", "regex:^(?!.*(fill|spin|count)).*$"] if library else ["-k", "regex:ceiling"]
    done = subprocess.run(
        ["ncu", "--csv", "--page", "raw", "--print-units", "base", "--metrics", ",".join(metrics),
         *which, "--target-processes", "all", mansard, "run", name, "--steps", "1", "--warmup", "0",
         "--no-verify", "--format", "csv"], capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
    rows = list(csv.DictReader(io.StringIO("\n".join(lines))))
    launches = [r for r in rows if r.get("ID", "").isdigit()]
    if not launches:
        return None, 0, (done.stderr or done.stdout)[-300:].replace("\n", " ")
    if library:  # the search runs many; the last is the one that is kept
        launches = launches[-1:]
    sums = {}
    for metric in metrics:
        values = [r.get(metric, "") for r in launches]
        if not all(values):
            return None, len(launches), f"{metric} is not known here"
        sums[metric] = sum(float(v.replace(",", "")) for v in values)
    return sums, len(launches), ""


def main():
    mansard, output, *only = sys.argv[1:]
    ceilings = [c for c in mansard_rows(mansard, "list", "ceilings") if c["on"] == "GPU"]
    lines = ["| ceiling | launches | claimed | counted | counted / claimed | counters |",
             "|---|---|---|---|---|---|"]
    failed = []
    for ceiling in ceilings:
        name = ceiling["name"]
        if (only and name not in only) or ceiling["runs_here"] != "yes":
            continue
        terms = terms_of(ceiling)
        if terms is None:
            lines.append(f"| {name} | - | - | - | - | none tells |")
            continue
        claim = mansard_rows(mansard, "run", name, "--steps", "1", "--warmup", "0", "--no-verify")[0]
        claimed = claim["bytes"] if ceiling["role"] == "bandwidth" else claim["flop"]
        sums, launches, why = counted(mansard, name, [m for _, m in terms],
                                      name.startswith("cublaslt"))
        if sums is None:
            lines.append(f"| {name} | {launches} | {claimed:.4e} | - | - | {why} |")
            failed.append(name)
            continue
        total = sum(factor * sums[metric] for factor, metric in terms)
        ratio = total / (claimed * launches)
        good = abs(ratio - 1) <= TOLERANCE
        if not good:
            failed.append(name)
        formula = " + ".join(f"{factor} x {metric}" for factor, metric in terms)
        lines.append(f"| {name} | {launches} | {claimed:.4e} | {total / launches:.4e} | "
                     f"{ratio:.4f}{'' if good else ' **off**'} | {formula} |")
        print(lines[-1], flush=True)
    with open(output, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    print("off or not counted: " + (", ".join(failed) or "none"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
