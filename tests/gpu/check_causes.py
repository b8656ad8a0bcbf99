# SPDX-License-Identifier: Apache-2.0
"""Checks `mansard analyze --what-if`: three causes are removed one at a time, and the measured change of the step is
compared with the prediction from a profile of the whole program. The causes are attention, the optimizer and
quantization of a Llama in BF16 and FP8, and quantization of linear layers in FP8, MXFP8 and NVFP4. The programs
alternate with and without the cause.

Usage: check_causes.py MANSARD OUTPUT_FOLDER [ROUNDS]   (default 4)

Prints a line for each case, and writes OUTPUT_FOLDER/causes.json. Exits with 0 if at most one case of nine is off by
more than 10 %, and every measured step is within the predicted interval; otherwise with 1."""

import json
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TRAIN = HERE.parents[1] / "examples/pytorch/train_llama.py"
TOLERANCE = 0.10
ALLOWED_MISSES = 1
LAYERS = 4
LAYER_RECIPES = ("fp8", "fp8_delayed", "mxfp8", "nvfp4")
LAYER_STEPS = {"fp8": 500, "fp8_delayed": 500, "mxfp8": 300, "nvfp4": 300}
TARGETS = {"attention": ["attention=0"], "optimizer": ["optimizer=0"], "quantization": ["quantize=0", "amax=0"]}


def run(command, timeout=300):
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, timeout=timeout)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit {result.returncode}\n{result.stderr[-2000:]}")
    return result.stdout


def profile(mansard, file, program):
    run([mansard, "profile", "-f", "--device-state-period", 20, "-o", file, "--", *program])


def said(mansard, file, cause):
    """(measured, predicted, low, high) of the step, in seconds."""
    classes = json.loads(run([mansard, "analyze", file, "--analysis", "classes", "--format", "json"]))
    present = {row["class"] for row in classes["findings"][0]["tables"][0]["rows"]}
    targets = [t for t in TARGETS[cause] if t.split("=")[0] in present]
    options = [option for target in targets for option in ("--what-if", target)]
    report = json.loads(run([mansard, "analyze", file, *options, "--format", "json"]))
    finding = next(f for f in report["findings"] if f["id"] == "what_if")
    rows = {row["case"]: row for row in finding["tables"][0]["rows"]}
    changed = rows["with the changes"]
    return (rows["measured"]["time_s"], changed["time_s"], changed["low_s"], changed["high_s"],
            rows["with the changes, at the present clock"]["time_s"])


def layer_ms(mansard, recipe, *options):
    report = json.loads(run([mansard, "run", "layer", "--device", "gpu", "--recipe", recipe, "--no-verify", "--steps",
                             LAYER_STEPS[recipe], *options, "--format", "json"]))
    rows = report["findings"][0]["tables"][0]["rows"]
    return 1e3 * next(row["time_s"] for row in rows if row["pass"] == "step")


def measured_pairs(mansard, rounds):
    """{(program, cause): [(step, step without), ...]} in ms."""
    pairs = {}
    for precision in ("bf16", "fp8"):
        out = json.loads(run([sys.executable, HERE / "causes_program.py", precision, rounds, 3, LAYERS]))
        pairs |= {(f"llama_{precision}", cause): values for cause, values in out.items()}
    for recipe in LAYER_RECIPES:
        pairs[(f"layer_{recipe}", "quantization")] = [
            (layer_ms(mansard, recipe), layer_ms(mansard, recipe, "--reuse-quantized")) for _ in range(rounds)]
    return pairs


def profiles(mansard, out):
    files = {}
    for precision in ("bf16", "fp8"):
        name = f"llama_{precision}"
        files[name] = out / f"causes_{name}.sqlite"
        profile(mansard, files[name], [sys.executable, TRAIN, "--precision", precision, "--layers", LAYERS, "--steps",
                                       150])
    for recipe in LAYER_RECIPES:
        name = f"layer_{recipe}"
        files[name] = out / f"causes_{name}.sqlite"
        profile(mansard, files[name], [mansard, "run", "layer", "--device", "gpu", "--recipe", recipe, "--no-verify",
                                       "--steps", LAYER_STEPS[recipe]])
    return files


def judge(mansard, files, pairs):
    misses = outside = 0
    for (name, cause), values in pairs.items():
        step_s, after_s, low_s, high_s, same_clock_s = said(mansard, files[name], cause)
        base = statistics.median(a for a, _ in values)
        without = statistics.median(b for _, b in values)
        moved = statistics.median(a - b for a, b in values)
        # The profiled step includes the overhead of profiling, so relative changes are compared.
        expected = base * (1 - after_s / step_s)
        ratio = moved / expected
        inside = low_s / step_s <= without / base <= high_s / step_s
        misses += abs(ratio - 1) > TOLERANCE
        outside += not inside
        print(f"{name:18} {cause:13} step {base:7.3f} ms, without {without:7.3f}: saved {moved:6.3f}; what-if predicts "
              f"{expected:6.3f} ({base * (1 - same_clock_s / step_s):6.3f} at the same clock): {ratio:5.3f}"
              f"{'' if abs(ratio - 1) <= TOLERANCE else '  MISSED'}{'' if inside else '  OUTSIDE THE INTERVAL'}")
    print(f"{len(pairs) - misses} of {len(pairs)} within {100 * TOLERANCE:.0f} %, "
          f"{len(pairs) - outside} of {len(pairs)} within the interval")
    return 0 if misses <= ALLOWED_MISSES and outside == 0 else 1


def main():
    mansard, out = sys.argv[1], pathlib.Path(sys.argv[2])
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 4
    pairs = measured_pairs(mansard, rounds)
    files = profiles(mansard, out)
    (out / "causes.json").write_text(json.dumps([[*key, values] for key, values in pairs.items()], indent=1))
    return judge(mansard, files, pairs)


if __name__ == "__main__":
    sys.exit(main())
