# SPDX-License-Identifier: Apache-2.0
"""Trains the models of examples/pytorch/train_llama.py, in turns with and without a profiler of this
process that is switched on and off, and prints the times of the steps as JSON.

Usage: overhead_program.py none|mansard|annotated|torch|proton PLAN

PLAN is JSON: pairs, of windows with and without; most_s, after which a case gets no more of them; lead_in_s,
of steps that begin each window and are not counted; and cases, each with options (of train_llama.py), and
counted, the steps of a window that are. mansard and annotated want to run under
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

FIRST_WINDOWS = 2  # before anything was recorded in this process
STEPS_QUEUED = 2  # that the host is ahead of the GPU during a lead-in


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
    """The layers are annotated in the recorded windows only, so that the others are plain."""

    def __init__(self):
        self.tool = annotate._tool
        if self.tool is None:
            sys.exit("no tool takes annotations: not under `mansard profile`, or MANSARD_ANNOTATE=0")
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
    """A session for each window: deactivate() would leave CUPTI's records and callbacks switched on."""

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
    """The number of steps run. What was recorded is still being written when a window of plain steps begins,
    it takes a while until a recorded window does all that recording does, and a GPU that goes from waiting to
    working changes its clocks. So some steps are queued at any time, as in training."""
    queued, first, end = collections.deque(), training.steps, time.perf_counter() + seconds
    while time.perf_counter() < end:
        training.step()
        queued.append(torch.cuda.Event())
        queued[-1].record()
        if len(queued) > STEPS_QUEUED:
            queued.popleft().synchronize()
    return training.steps - first


def step_times_ms(training, case):
    """No waiting before the first of them either."""
    clock = train_llama.StepClock(case["device"])
    for _ in range(case["counted"]):
        training.step()
        clock.lap()
    return clock.times_ms()  # waits for the GPU


def window(training, case, tool, plan):
    """Starting, stopping, and throwing away what a tool collected are outside of the counted steps."""
    gc.collect()
    torch.cuda.synchronize()
    tool.start()
    not_counted = lead_in(training, plan["lead_in_s"])
    times_ms = step_times_ms(training, case)
    tool.stop()
    return {"steps": not_counted + len(times_ms), "step_ms": times_ms}


def in_turns(training, case, tool, plan):
    """Pairs of windows, every other the other way round, so that what drifts makes one half of the pairs look
    slower and the other half faster."""
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
    # All cases before the tool is first started: some leave things behind in the process.
    prepared = [prepare(case, plan) for case in plan["cases"]]
    results = []
    for case, (training, before) in zip(plan["cases"], prepared):
        results.append({"before_step_ms": before, "windows": list(in_turns(training, case, tool, plan))})
    print(json.dumps(results))


if __name__ == "__main__":
    main()
