# SPDX-License-Identifier: Apache-2.0
"""Trains the models of examples/pytorch/train_llama.py, in turns with and without a profiler of this
process that is switched on and off, and prints the times of the steps as JSON.

Usage: overhead_program.py none|mansard|annotated|torch|proton PLAN

PLAN is JSON: pairs, of windows with and without; warm_s, for which steps run before the first window;
settle_s, which Mansard gets to finish writing; and cases, each with options (of train_llama.py), and
uncounted and counted, the steps of a window. mansard and annotated want to run under
`mansard profile --capture-range cudaProfilerApi`."""

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


class Nothing:
    background = False  # whether it goes on working after stop()

    def start(self):
        pass

    def stop(self):
        pass


class Mansard:
    background = True

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


class TorchProfiler(Nothing):
    def start(self):
        self.profile = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA])
        self.profile.start()

    def stop(self):
        self.profile.stop()
        self.profile = None


class Proton(Nothing):
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


def run_for(training, seconds):
    """Steps, rather than a pause, in which the GPU would cool and change its clock."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        training.step()
        torch.cuda.synchronize()


def step_times_ms(training, case):
    """Of the counted steps of a window. No waiting before the first of them: the GPU has work queued,
    as in training."""
    for _ in range(case["uncounted"]):
        training.step()
    clock = train_llama.StepClock(case["device"])
    for _ in range(case["counted"]):
        training.step()
        clock.lap()
    return clock.times_ms()  # waits for the GPU


def window(training, case, tool):
    """Starting, stopping, and throwing away what a tool collected are outside of the counted steps."""
    gc.collect()
    torch.cuda.synchronize()
    tool.start()
    times_ms = step_times_ms(training, case)
    torch.cuda.synchronize()
    tool.stop()
    return times_ms


def in_turns(pairs):
    """Whether each window is recorded. Every other pair is the other way round, so that what drifts
    makes one half of the pairs look slower and the other half faster."""
    for number in range(pairs):
        yield from ((False, True) if number % 2 == 0 else (True, False))


def alternate(training, case, tool, plan):
    windows = []
    for number, recorded in enumerate(in_turns(plan["pairs"])):
        if tool.background and number % 2 == 1:
            # What is left to be written belongs to the recording; it must not slow plain steps. And in
            # all pairs, so that drift still cancels.
            run_for(training, plan["settle_s"])
        times_ms = window(training, case, tool if recorded else Nothing())
        windows.append({"recorded": recorded, "step_ms": times_ms})
    return windows


def prepare(case, plan):
    args = train_llama.parse(case["options"].split())
    training = train_llama.Training(args)
    case["device"] = args.device
    for _ in range(args.warmup):
        training.step()
    run_for(training, plan["warm_s"])
    before = [window(training, case, Nothing()) for _ in range(FIRST_WINDOWS)]
    return training, before


def main():
    if not torch.cuda.is_available():
        sys.exit("no GPU")
    tool, plan = TOOLS[sys.argv[1]](), json.loads(sys.argv[2])
    # All cases before the tool is first started: some leave things behind in the process.
    prepared = [prepare(case, plan) for case in plan["cases"]]
    results = []
    for case, (training, before) in zip(plan["cases"], prepared):
        run_for(training, plan["warm_s"])
        windows = alternate(training, case, tool, plan)
        results.append({"before_step_ms": before, "windows": windows})
    print(json.dumps(results))


if __name__ == "__main__":
    main()
