# SPDX-License-Identifier: Apache-2.0
"""Trains a small Llama-like model on synthetic tokens, in BF16 or FP8, as an example for `mansard profile`:

    mansard profile -o bf16.sqlite -- python3 examples/pytorch/train_llama.py
    mansard profile -o fp8.sqlite -- python3 examples/pytorch/train_llama.py --precision fp8

Ranges: "step N" with "forward", "backward" and "optimizer", every layer, and the three GEMMs of
every linear layer with their FLOPs and bytes (not with --compile, which cannot trace into ranges)."""

import argparse
import json
import math
import statistics
import sys
import time

import torch

from linear_layers import Linear, fp8_obstacle
from linear_work import annotate
from llama import Attention, Llama


def parse(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--hidden", type=int, default=4096)
    parser.add_argument("--heads", type=int, help="default: a head of 128, or 64 below a width of 1024")
    parser.add_argument("--sequence", type=int, default=4096)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--vocabulary", type=int, default=32000)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--warmup", type=int, default=3, help="untimed steps before the timed ones")
    parser.add_argument("--precision", choices=("bf16", "fp8"), default="bf16")
    parser.add_argument("--tied", action="store_true", help="one matrix for embedding and head")
    parser.add_argument("--compile", action="store_true", help="torch.compile each layer")
    parser.add_argument("--learning-rate", type=float, default=3e-4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--skip", action="append", default=[],
                        choices=("attention", "optimizer", "quantization"),
                        help="skip this part to measure a step without it; the model then does not learn "
                             "correctly")
    parser.add_argument("--device", help="default: the GPU if there is one")
    parser.add_argument("--json", action="store_true", help="print step times and losses as JSON")
    args = parser.parse_args(arguments)
    args.device = torch.device(args.device or ("cuda" if torch.cuda.is_available() else "cpu"))
    if args.heads is None:
        args.heads = max(1, args.hidden // (128 if args.hidden >= 1024 else 64))
    if args.hidden % (2 * args.heads):
        parser.error(f"--hidden {args.hidden} is not a multiple of twice --heads {args.heads}")
    if args.precision == "fp8":
        obstacle = fp8_obstacle(args.device)
        if obstacle:
            print(f"train_llama: {obstacle}; training in BF16 instead", file=sys.stderr)
            args.precision = "bf16"
        elif args.batch * args.sequence % 16:
            parser.error(f"--batch {args.batch} times --sequence {args.sequence} must be a multiple "
                         "of 16 for FP8 GEMMs")
    return args


def synthetic_batches(args, count=4):
    """Tokens with the skewed frequencies of words, which a model learns within some steps. Each batch is
    the inputs and, shifted by one, the targets."""
    generator = torch.Generator().manual_seed(args.seed)
    for _ in range(count):
        uniform = torch.rand(args.batch, args.sequence + 1, generator=generator)
        tokens = (args.vocabulary * uniform**4).long().clamp_(max=args.vocabulary - 1)
        tokens = tokens.to(args.device)
        yield tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous()


class Training:
    def __init__(self, args):
        torch.manual_seed(args.seed)
        self.batches = list(synthetic_batches(args))
        with args.device:
            self.model = Llama(args.vocabulary, args.layers, args.hidden, args.heads, args.precision,
                               args.tied).to(torch.bfloat16)
        for module in self.model.modules():
            if "attention" in args.skip and isinstance(module, Attention):
                module.mixes = False
            if "quantization" in args.skip and isinstance(module, Linear):
                module.kept = {}
        self.updates = "optimizer" not in args.skip
        if args.compile:
            for layer in self.model.layers:
                layer.compile()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=args.learning_rate,
                                           fused=args.device.type == "cuda")
        self.steps = 0

    def step(self):
        """The loss, still on the device: this does not wait for the GPU."""
        tokens, targets = self.batches[self.steps % len(self.batches)]
        with annotate.work(f"step {self.steps}"):
            with annotate.work("forward"):
                logits = self.model(tokens).flatten(0, 1)
                loss = torch.nn.functional.cross_entropy(logits.float(), targets.flatten())
            with annotate.work("backward"):
                loss.backward()
            with annotate.work("optimizer"):
                if self.updates:
                    self.optimizer.step()
                self.optimizer.zero_grad(set_to_none=True)
        self.steps += 1
        return loss.detach()


class StepClock:
    """Times steps from end to end; on a GPU with events, so that timing does not add synchronization."""

    def __init__(self, device):
        self.on_gpu = device.type == "cuda"
        self.marks = [self._mark()]

    def _mark(self):
        if not self.on_gpu:
            return time.perf_counter()
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def lap(self):
        self.marks.append(self._mark())

    def times_ms(self):
        if not self.on_gpu:
            return [1e3 * (b - a) for a, b in zip(self.marks, self.marks[1:])]
        torch.cuda.synchronize()
        return [a.elapsed_time(b) for a, b in zip(self.marks, self.marks[1:])]


def train(training, args):
    """(times in ms, losses) of the timed steps."""
    for _ in range(args.warmup):
        training.step()
    if args.device.type == "cuda":
        torch.cuda.synchronize()
    clock = StepClock(args.device)
    losses = []
    for _ in range(args.steps):
        losses.append(training.step())
        clock.lap()
    return clock.times_ms(), [loss.item() for loss in losses]


def main():
    args = parse()
    times_ms, losses = train(Training(args), args)
    if args.json:
        print(json.dumps({"precision": args.precision, "step_ms": times_ms, "loss": losses}))
    elif times_ms:
        print(f"{args.precision}: median step {statistics.median(times_ms):.2f} ms, "
              f"loss {losses[0]:.4f} to {losses[-1]:.4f}")
    if not args.skip and not all(map(math.isfinite, losses)):
        sys.exit("the loss is no longer finite")


if __name__ == "__main__":
    main()
