# SPDX-License-Identifier: Apache-2.0
"""The training steps of examples/pytorch/train_llama.py under a profiler of this process; prints their
times as JSON. The profiler starts after the warm-up, so its own start is not timed.

Usage: overhead_program.py none|torch|proton [options of train_llama.py]"""

import contextlib
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples/pytorch"))
import train_llama  # noqa: E402


@contextlib.contextmanager
def profiler(name):
    if name == "torch":
        from torch.profiler import ProfilerActivity, profile
        with profile(activities=[ProfilerActivity.CUDA]):
            yield
    elif name == "proton":
        import triton.profiler as proton
        with tempfile.TemporaryDirectory() as folder:
            proton.start(f"{folder}/run")
            yield
            proton.finalize()
    else:
        yield


def main():
    args = train_llama.parse(sys.argv[2:])
    training = train_llama.Training(args)
    for _ in range(args.warmup):
        training.step()
    args.warmup = 1  # within the profiler, for what it does at its first kernel
    with profiler(sys.argv[1]):
        times_ms, losses = train_llama.train(training, args)
    print(json.dumps({"step_ms": times_ms, "loss": losses}))


if __name__ == "__main__":
    main()
