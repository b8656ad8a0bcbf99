# SPDX-License-Identifier: Apache-2.0
"""Trains the models of examples/pytorch/train_llama.py, alternating with and without a profiler that is
switched on and off in this process, and prints the times of the steps as JSON.

Usage: overhead_program.py none|mansard|annotated|torch|proton PLAN

PLAN is JSON: pairs, the number of window pairs with and without the profiler; most_s, the time after which a
case gets no more pairs; lead_in_s, the time of uncounted steps at the start of each window; and cases, each with
options (of train_llama.py) and counted, the number of counted steps per window. mansard and annotated must run under
`mansard profile --capture-range cudaProfilerApi`."""

import collections
import gc
import json
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples/pytorch"))
import torch  # noqa: E402

import train_llama  # noqa: E402
from linear_work import annotate  # noqa: E402

FIRST_WINDOWS = 2  # before the first recording in this process
STEPS_QUEUED = 2  # steps that the host is ahead of the GPU during a lead-in


class Nothing:
    def start(self):
        pass

    def stop(self):
        pass


class Mansard:
    def start(self):
        torch.cuda.profiler.start()

    def stop(self):
        torch.cuda.profiler.stop()


class AnnotatedMansard(Mansard):
    """Layers are annotated only in the recorded windows, so that the others are plain."""

    def __init__(self):
        self.tool = annotate._tool
        if self.tool is None:
            sys.exit("no tool receives annotations: not run under `mansard profile`, or MANSARD_ANNOTATE=0")
        annotate._tool = None

    def start(self):
        annotate._tool = self.tool
        super().start()

    def stop(self):
        super().stop()
        annotate._tool = None


class TorchProfiler:
    def start(self):
        self.profile = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA])
        self.profile.start()

    def stop(self):
        self.profile.stop()
        self.profile = None


class Proton:
    """A session per window: deactivate() would leave CUPTI's records and callbacks enabled."""

    def __init__(self):
        import triton.profiler
        self.proton = triton.profiler
        self.folder = tempfile.TemporaryDirectory()

    def start(self):
        self.proton.start(f"{self.folder.name}/run")

    def stop(self):
        self.proton.finalize()


TOOLS = {"none": Nothing, "mansard": Mansard, "annotated": AnnotatedMansard, "torch": TorchProfiler,
         "proton": Proton}


def lead_in(training, seconds):
    """Runs uncounted steps and returns their number. When a window of plain steps starts, earlier records are still
    being written; a recorded window takes a while until all of its work is in progress; and a GPU changes its clocks
    when it starts working. Some steps are queued at all times, as in training."""
    queued, first, end = collections.deque(), training.steps, time.perf_counter() + seconds
    while time.perf_counter() < end:
        training.step()
        queued.append(torch.cuda.Event())
        queued[-1].record()
        if len(queued) > STEPS_QUEUED:
            queued.popleft().synchronize()
    return training.steps - first


def step_times_ms(training, case):
    """Does not synchronize before the first step either."""
    clock = train_llama.StepClock(case["device"])
    for _ in range(case["counted"]):
        training.step()
        clock.lap()
    return clock.times_ms()  # waits for the GPU


def window(training, case, tool, plan):
    """The counted steps exclude starting, stopping and discarding what a tool collected."""
    gc.collect()
    torch.cuda.synchronize()
    tool.start()
    not_counted = lead_in(training, plan["lead_in_s"])
    times_ms = step_times_ms(training, case)
    tool.stop()
    return {"steps": not_counted + len(times_ms), "step_ms": times_ms}


def in_turns(training, case, tool, plan):
    """Pairs of windows in alternating order, so that drift makes half of the pairs look slower and the other
    half faster."""
    end = time.perf_counter() + plan["most_s"]
    for number in range(plan["pairs"]):
        if number % 2 == 0 and time.perf_counter() > end:
            return
        for recorded in (False, True) if number % 2 == 0 else (True, False):
            yield {"recorded": recorded, **window(training, case, tool if recorded else Nothing(), plan)}


def prepare(case, plan):
    args = train_llama.parse(case["options"].split())
    training = train_llama.Training(args)
    case["device"] = args.device
    for _ in range(args.warmup):
        training.step()
    before = [window(training, case, Nothing(), plan)["step_ms"] for _ in range(FIRST_WINDOWS)]
    return training, before


def main():
    if not torch.cuda.is_available():
        sys.exit("no GPU")
    tool, plan = TOOLS[sys.argv[1]](), json.loads(sys.argv[2])
    # Measure all cases before the first start of the tool, because some tools leave state behind in the process.
    prepared = [prepare(case, plan) for case in plan["cases"]]
    results = []
    for case, (training, before) in zip(plan["cases"], prepared):
        results.append({"before_step_ms": before, "windows": list(in_turns(training, case, tool, plan))})
    print(json.dumps(results))


if __name__ == "__main__":
    main()
