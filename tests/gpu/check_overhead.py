# SPDX-License-Identifier: Apache-2.0
"""Measures the overhead of recording on a training step, compared with torch.profiler (CUDA only) and Triton's Proton.

Usage: check_overhead.py MANSARD OUTPUT_FOLDER [--pairs N] [--seconds S] [--ways WAY,...] [--cases CASE,...]

Each way of recording runs in its own process, in which windows of plain and of recorded steps alternate, because
processes differ from each other (memory placement, clocks: about 1 %) by more than the allowed overhead. The overhead
is the median, over the pairs of neighboring windows, of the ratio of their mean steps. A process that records nothing
shows the error of the method itself.

Prints a table in Markdown, writes all times to OUTPUT_FOLDER/overhead.json, and exits with 1 if the overhead is above
its limit, if records are missing, or if the machine is too noisy. Annotating every GEMM of every layer from Python
costs the program itself some time: that row is for information."""

import argparse
import collections
import importlib.util
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys

from overhead_recording import Failed, judge_recording

PROGRAM = pathlib.Path(__file__).with_name("overhead_program.py")
START_S = 150  # that a process may take in addition to its pairs

# counted: steps of a window, after its lead-in; a multiple of the 4 batches. limit: the maximum overhead
# relative to a step. must_beat: the overhead must also be lower than that of the other profilers.
Case = collections.namedtuple("Case", "key name options layers counted limit must_beat")
CASES = [
    Case("large", "large kernels: 4 layers of 4096, 4096 tokens",
         "--layers 4 --hidden 4096 --sequence 4096 --warmup 5", 4, 24, 0.005, False),
    Case("launch", "launch-bound: 24 layers of 512, 512 tokens",
         "--layers 24 --hidden 512 --sequence 512 --warmup 10", 24, 24, 0.03, True),
]
# In order of importance, in case the run is cut short.
TITLES = {"none": "plain against plain", "mansard": "mansard", "torch": "torch.profiler",
          "proton": "Proton", "annotated": "mansard, annotated"}
RECORDED = ("mansard", "annotated")
FEWEST_PAIRS = 6  # with fewer, even the smallest and largest do not enclose the median with 95 % confidence
# CUPTI is flushed every 0.3 s, the writer runs every 0.2 s, and it may have a second's records to write.
LEAD_IN_S = 0.6
# Limit of the ratio of plain steps in the process with Mansard to those in a process without it.
ALLOWED_BESIDE = 0.03

Summary = collections.namedtuple(
    "Summary", "pairs overhead low high quartile1 quartile3 of_median plain_ms recorded_ms before_ms")


def median_interval(values):
    """A 95 % interval of the median for any distribution: two of the sorted values."""
    ordered, n = sorted(values), len(values)
    outside, rank = 0.0, 0
    while True:
        outside += 2 * math.comb(n, rank) / 2**n
        if outside > 0.05:
            break
        rank += 1
    rank = max(rank, 1)
    return ordered[rank - 1], ordered[n - rank]


def pair_ratios(windows, of_steps):
    """Recorded over plain, for each pair of windows."""
    ratios = []
    for pair in zip(windows[::2], windows[1::2]):
        time_ms = {window["recorded"]: of_steps(window["step_ms"]) for window in pair}
        ratios.append(time_ms[True] / time_ms[False])
    return ratios


def summarize(result):
    windows = result["windows"]
    costs = [ratio - 1 for ratio in pair_ratios(windows, statistics.fmean)]
    median_costs = [ratio - 1 for ratio in pair_ratios(windows, statistics.median)]
    quartile1, median, quartile3 = statistics.quantiles(costs, n=4, method="inclusive")
    of_windows = {recorded: statistics.median(statistics.fmean(w["step_ms"]) for w in windows
                                              if w["recorded"] == recorded)
                  for recorded in (False, True)}
    before_ms = statistics.median(statistics.fmean(times) for times in result["before_step_ms"])
    return Summary(len(costs), median, *median_interval(costs), quartile1, quartile3,
                   statistics.median(median_costs), of_windows[False], of_windows[True], before_ms)


def plan_of(args):
    cases = [{"options": case.options, "counted": case.counted} for case in args.cases]
    return {"pairs": args.pairs, "most_s": args.seconds, "lead_in_s": LEAD_IN_S, "cases": cases}


def run_process(command, env, timeout_s):
    """Returns the output. On a timeout, a signal that `mansard profile` forwards ends the process."""
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, env=env)
    try:
        printed, complaints = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        process.terminate()
        try:
            process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
        raise Failed(f"not finished after {timeout_s} s") from None
    if process.returncode != 0:
        raise Failed(f"exit {process.returncode}:\n{complaints[-4000:]}")
    return printed, complaints


def run_way(args, file, way):
    """(measurements of the program, messages of `mansard`)"""
    command = [sys.executable, PROGRAM, way, json.dumps(plan_of(args))]
    if way in RECORDED:
        command = [args.mansard, "profile", "-f", "-o", file, "--capture-range", "cudaProfilerApi", "--",
                   *command]
    env = dict(os.environ, MANSARD_ANNOTATE=str(int(way == "annotated")))
    printed, complaints = run_process(command, env, START_S + args.seconds * len(args.cases))
    results = [line for line in printed.splitlines() if line.startswith("[{")]
    if not results:
        raise Failed(f"no times printed:\n{printed[-2000:]}\n{complaints[-2000:]}")
    results = json.loads(results[-1])
    fewest = min(len(result["windows"]) // 2 for result in results)
    if fewest < FEWEST_PAIRS:
        raise Failed(f"{fewest} pairs in {args.seconds:g} s; the median needs {FEWEST_PAIRS}")
    return results, complaints


def percent(fraction):
    return f"{100 * fraction:+.2f} %"


def judge(case, summaries):
    """Errors as sentences, from the summaries of the ways that have one."""
    wrong = []
    floor, ours = summaries.get("none"), summaries.get("mansard")
    if floor and floor.high - floor.low > case.limit:
        wrong.append(f"this machine is too noisy: without any recording the interval is "
                     f"{100 * (floor.high - floor.low):.2f} % wide, and {100 * case.limit:g} % is to be "
                     "told")
    if not ours:
        return wrong
    if ours.overhead > case.limit:
        wrong.append(f"the overhead is {percent(ours.overhead)}, more than {100 * case.limit:g} %")
    for other in ("torch", "proton"):
        if case.must_beat and other in summaries and ours.overhead >= summaries[other].overhead:
            wrong.append(f"the overhead is {percent(ours.overhead)}, not less than {TITLES[other]}'s "
                         f"{percent(summaries[other].overhead)}")
    if floor and ours.plain_ms > floor.plain_ms * (1 + ALLOWED_BESIDE):
        wrong.append(f"plain steps between the windows take {ours.plain_ms:.3f} ms, and "
                     f"{floor.plain_ms:.3f} ms in a process without Mansard")
    return wrong


def table(summaries):
    lines = ["| way | pairs | overhead | 95 % interval | quartiles of the pairs | of the median step "
             "| recorded step, ms | plain step, ms | plain before the first recording, ms |",
             "|---|---|---|---|---|---|---|---|---|"]
    for way, s in summaries.items():
        lines.append(f"| {TITLES[way]} | {s.pairs} | {percent(s.overhead)} | {percent(s.low)} to "
                     f"{percent(s.high)} | {percent(s.quartile1)} to {percent(s.quartile3)} "
                     f"| {percent(s.of_median)} | {s.recorded_ms:.3f} | {s.plain_ms:.3f} "
                     f"| {s.before_ms:.3f} |")
    return "\n".join(lines)


def write_times(file, results, chosen):
    """Writes all measurements so far."""
    named = {TITLES[way]: dict(zip((c.name for c in chosen), cases)) for way, cases in results.items()}
    file.write_text(json.dumps(named, indent=1) + "\n")


def remove_recording(file):
    """Removes the profile, which has about a million rows and is not needed any more."""
    for suffix in ("", "-wal", "-shm"):
        pathlib.Path(f"{file}{suffix}").unlink(missing_ok=True)


def measure(args, way):
    """(results of the cases, errors); prints the results."""
    file = args.output_folder / "overhead.sqlite"
    results, complaints = run_way(args, file, way)
    for case, result in zip(args.cases, results):
        s = summarize(result)
        print(f"{TITLES[way]}; {case.name}: {percent(s.overhead)} (95 %: {percent(s.low)} to "
              f"{percent(s.high)}) of {s.plain_ms:.3f} ms, {s.pairs} pairs", flush=True)
    if way not in RECORDED:
        return results, []
    try:
        notes, wrong = judge_recording(file, args.cases, results)
    except Failed as failure:
        notes, wrong = [], [str(failure)]
    print("".join(f"{TITLES[way]}; {note}\n" for note in notes), end="", flush=True)
    if wrong:
        wrong.append(f"messages: {complaints.strip()[-2000:]}")
    remove_recording(file)
    return results, wrong


def measure_all(args):
    """(results of each way that has some, errors of each way)"""
    all_results, all_wrong = {}, {}
    for way in args.ways:
        try:
            results, wrong = measure(args, way)
            all_results[way] = results
            write_times(args.output_folder / "overhead.json", all_results, args.cases)
        except Failed as failure:
            wrong = [str(failure)]
        all_wrong[way] = wrong
        print("".join(f"FAILED: {TITLES[way]}: {w}\n" for w in wrong), end="", flush=True)
    return all_results, all_wrong


def verdict(case, ours):
    return (f"the overhead is {percent(ours.overhead)} (95 %: {percent(ours.low)} to "
            f"{percent(ours.high)}), within {100 * case.limit:g} %")


def report(results, whole, chosen):
    """Prints the tables and verdicts; returns whether all passed. Times measured with an incomplete profile prove
    nothing."""
    well = True
    for number, case in enumerate(chosen):
        summaries = {way: summarize(cases[number]) for way, cases in results.items()}
        wrong = judge(case, summaries)
        print(f"\n### {case.name}\n\n{table(summaries)}\n")
        if wrong:
            print("\n".join(f"FAILED: {w}" for w in wrong), flush=True)
        else:
            print(verdict(case, summaries["mansard"]) if whole else "no verdict: the profile is incomplete", flush=True)
        well = well and not wrong
    return well


def parse(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mansard")
    parser.add_argument("output_folder", type=pathlib.Path)
    parser.add_argument("--pairs", type=int, default=20, help="pairs of windows, for each way and case")
    parser.add_argument("--seconds", type=float, default=150, help="time after which no more pairs start")
    parser.add_argument("--ways", default=",".join(TITLES), help="default: %(default)s")
    parser.add_argument("--cases", default=",".join(case.key for case in CASES), help="default: %(default)s")
    args = parser.parse_args(arguments)
    args.ways = args.ways.split(",")
    if not set(args.ways) <= set(TITLES):
        parser.error(f"ways are {', '.join(TITLES)}")
    unknown = set(args.cases.split(",")) - {case.key for case in CASES}
    if unknown:
        parser.error(f"cases are {', '.join(case.key for case in CASES)}, not {', '.join(sorted(unknown))}")
    args.cases = [case for case in CASES if case.key in args.cases.split(",")]
    if args.pairs < FEWEST_PAIRS or args.pairs % 2:
        parser.error(f"an interval of the median needs at least {FEWEST_PAIRS} pairs, and drift cancels only "
                     "in an even number")
    return args


def has_proton():
    return importlib.util.find_spec("triton") and importlib.util.find_spec("triton.profiler")


def main():
    args = parse()
    if "proton" in args.ways and not has_proton():
        print("Proton is not installed; skipping the comparison\n")
        args.ways.remove("proton")
    args.output_folder.mkdir(parents=True, exist_ok=True)
    results, wrong = measure_all(args)
    whole = "mansard" in results and not wrong["mansard"]
    well = report(results, whole, args.cases) and not any(wrong.values())
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
