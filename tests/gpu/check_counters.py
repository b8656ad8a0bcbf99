# SPDX-License-Identifier: Apache-2.0
"""Compares the FLOPs and bytes that each GPU ceiling reports with hardware counters.

Usage: check_counters.py MANSARD OUTPUT.md [CEILING...]

Runs each ceiling once under Nsight Compute and compares `mansard run`'s FLOPs or bytes with the
counters of its kernels. Needs ncu and the permission to read counters. Writes a table; exits with 1
if a ceiling is off by more than 1 %. Counters are those of compute capability 9.0."""

import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile

TOLERANCE = 0.01
SASS = "smsp__sass_thread_inst_executed_op_{}_pred_on.sum"
TENSOR = "sm__ops_path_tensor_src_{}.sum"
PIPE = "smsp__inst_executed_pipe_{}.sum"

# One count of ops_path is one operation.
TENSOR_METRIC = {"BF16": "bf16_dst_fp32", "FP16": "fp16", "TF32": "tf32_dst_fp32", "FP64": "fp64",
                 "FP8 E4M3": "fp8", "FP8 E5M2": "fp8", "INT8": "int8"}
# Here, mma.sync of FP8 converts its operands and multiplies in FP16.
MMA_FP8 = [(1, TENSOR.format("fp16"))]

# Metrics of the compute ceilings on the CUDA cores, with the operations per count: those of a thread's
# instruction, or of a warp's if only its pipe is counted.
CORE_TERMS = {
    "fma_fp64": [(2, SASS.format("dfma"))],
    "fma_fp32": [(2, SASS.format("ffma"))],
    "fma_fp16x2": [(4, SASS.format("hfma"))],
    "fma_bf16x2": [(4, SASS.format("hfma"))],
    "imad_int32": [(2 * 32, PIPE.format("fmaheavy"))],
    "sfu_ex2": [(32, PIPE.format("xu"))],
    "sfu_rsqrt": [(32, PIPE.format("xu"))],
    # Two elements per thread and instruction.
    "cvt_bf16x2": [(2, SASS.format("conversion"))],
    "cvt_e4m3x2": [(2, SASS.format("conversion"))],
    "cvt_e4m3x2_f16x2": [(2, SASS.format("conversion"))],
}

L1_TERMS = [(1, "l1tex__t_bytes.sum"), (128, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum")]
TIER_TERMS = {
    "HBM": [(1, "dram__bytes.sum")],
    "L2": [(32, "lts__t_sectors_srcunit_tex.sum")],
    "Shared/L1": L1_TERMS,
    "Distributed shared": [(1, "l1tex__m_xbar2l1tex_read_bytes_mem_dshared.sum")],
}


def findings(text):
    return json.loads(text)["findings"][0]["tables"][0]["rows"]


def terms_of(ceiling):
    """Counters whose weighted sum should equal the reported amount; None if no counter measures it."""
    name = ceiling["name"]
    if ceiling["role"] == "bandwidth":
        if name == "l2_read_together":  # the slices serve only few of these bytes
            return [(1, "l1tex__m_xbar2l1tex_read_bytes.sum")]
        return TIER_TERMS.get(ceiling["tier"])
    if ceiling["role"] != "compute":
        return None
    if name in CORE_TERMS:
        return CORE_TERMS[name]
    if name.startswith("mma_fp8"):
        return MMA_FP8
    if ceiling["precision"] in TENSOR_METRIC:
        return [(1, TENSOR.format(TENSOR_METRIC[ceiling["precision"]]))]
    return None


def group_of(ceiling):
    """Ceilings that are counted in one run of ncu: few metrics need few passes."""
    if ceiling["name"].startswith("cublaslt"):
        return "library"
    return ceiling["tier"] if ceiling["role"] == "bandwidth" else "compute"


def count(mansard, group, ceilings, metrics):
    """For each name: the result of its run and the rows of its kernels."""
    library = group == "library"
    which = "^(?!.*(fill|spin|count|tick)).*$" if library else "ceiling"
    # A fixed shape with algorithm 1 instead of cuBLASLt's search, which launches many kernels.
    shape = "--shape 4096x4096x4096x1 " if library else ""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        script = "\n".join(
            f"'{mansard}' run {c['name']} --steps 1 --warmup 0 --no-verify {shape}--format json "
            f"> '{folder}/{c['name']}.json'" for c in ceilings)
        subprocess.run(
            ["ncu", "--csv", "--page", "raw", "--print-units", "base", "--log-file",
             folder / "log.csv", "--metrics", ",".join(metrics), "-k", "regex:" + which,
             "--target-processes", "all", "sh", "-c", script], capture_output=True, check=False)
        lines = [line for line in (folder / "log.csv").read_text().splitlines()
                 if line.startswith('"')]
        rows = [r for r in csv.DictReader(io.StringIO("\n".join(lines)))
                if r.get("ID", "").isdigit()]
        # Processes run in the order of the ceilings; one that failed has no launch.
        launches = {}
        for row in rows:
            launches.setdefault(row["Process ID"], []).append(row)
        claims = {}
        for ceiling in ceilings:
            try:
                claims[ceiling["name"]] = findings(
                    (folder / f"{ceiling['name']}.json").read_text())[0]
            except (OSError, ValueError, IndexError, KeyError):
                pass
        if len(claims) != len(launches):
            sys.exit(f"{len(launches)} of {len(ceilings)} runs of '{group}' launched a kernel, "
                     f"{len(claims)} gave a result; run these one by one")
        return dict(zip(claims, zip(claims.values(), launches.values())))


def line_of(ceiling, terms, claim, launches):
    """The row of the table, and whether the reported amount is within the tolerance."""
    if ceiling["name"].startswith("cublaslt"):
        launches = launches[-1:]  # the first launch is a trial
    claimed = claim["bytes"] if ceiling["role"] == "bandwidth" else claim["flop"]
    formula = " + ".join(f"{factor} x {metric}" for factor, metric in terms)
    total = 0
    for factor, metric in terms:
        values = [r.get(metric, "") for r in launches]
        if not all(values):
            return f"| {ceiling['name']} | - | {claimed:.4e} | - | - | {metric}: unknown |", False
        total += factor * sum(float(v.replace(",", "")) for v in values)
    ratio = total / (claimed * len(launches))
    good = abs(ratio - 1) <= TOLERANCE
    return (f"| {ceiling['name']} | {len(launches)} | {claimed:.4e} | {total / len(launches):.4e} | "
            f"{ratio:.4f}{'' if good else ' **off**'} | {formula} |"), good


def main():
    mansard, output, *only = sys.argv[1:]
    listed = findings(subprocess.run([mansard, "list", "ceilings", "--format", "json"],
                                     capture_output=True, text=True, check=True).stdout)
    lines = ["| ceiling | launches | reported | counted | counted / reported | counters |",
             "|---|---|---|---|---|---|"]
    groups = {}
    untold = []
    for ceiling in listed:
        if ceiling["on"] != "GPU" or ceiling["runs_here"] != "yes":
            continue
        if only and ceiling["name"] not in only:
            continue
        if terms_of(ceiling) is None:
            untold.append(ceiling["name"])
        else:
            groups.setdefault(group_of(ceiling), []).append(ceiling)
    failed = []
    for group, ceilings in groups.items():
        metrics = sorted({metric for c in ceilings for _, metric in terms_of(c)})
        counted = count(mansard, group, ceilings, metrics)
        for ceiling in ceilings:
            name = ceiling["name"]
            if name in counted:
                line, good = line_of(ceiling, terms_of(ceiling), *counted[name])
            else:
                line, good = f"| {name} | 0 | - | - | - | did not run |", False
            lines.append(line)
            print(line, flush=True)
            if not good:
                failed.append(name)
    lines += ["", "No counter available: " + ", ".join(untold) + "."] if untold else []
    pathlib.Path(output).write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("more than 1 % off, or not counted: " + (", ".join(failed) or "none"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
