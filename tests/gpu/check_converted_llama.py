#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains one Llama twice in each recipe: with `mansard train`, and as a Hugging Face model whose linear layers
mansard.torch.convert() replaced. Both start from the same weights and read the same sequences in the same order;
the validation losses must agree within 1 % with each seed, and the losses of the first steps within 0.5 %, to notice
other data or other weights. Stochastic rounding draws other numbers in the two programs; with --rounding-seeds,
`mansard train` also runs with other numbers, which shows how far they alone move its losses. If they move those of the
first steps by more than 0.5 %, the first steps of both programs are compared in BF16 instead. Exits with 77 without a
GPU, PyTorch or transformers.

  check_converted_llama.py MANSARD PYTHON_FOLDER TEXT_FILE [--steps 3000] [--recipes fp8 nvfp4] [--seeds 1 2 3]
                           [--bf16-last 2] [--rounding-seeds 101 102]

PYTHON_FOLDER contains the package mansard, such as BUILD/lib/python."""
import argparse
import csv
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

try:
    import numpy
    import torch
    from safetensors.torch import load_file
    from transformers import LlamaConfig, LlamaForCausalLM
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

HEAD_SIZE, VOCABULARY, ROPE_BASE = 64, 256, 500000.0
WARMUP, PEAK, FINAL_FRACTION = 100, 1e-3, 0.1
VALIDATION_SEQUENCES = 512
LARGEST_DIFFERENCE = 0.01  # of validation losses
EAGER_STEPS = 3  # before the step is captured in a CUDA graph
FIRST_STEPS = 20
LARGEST_FIRST_DIFFERENCE = 5e-3  # of the losses of these steps, to notice other data or other weights


def mix64(z):
    z = (z ^ (z >> numpy.uint64(30))) * numpy.uint64(0xbf58476d1ce4e5b9)
    z = (z ^ (z >> numpy.uint64(27))) * numpy.uint64(0x94d049bb133111eb)
    return z ^ (z >> numpy.uint64(31))


def splitmix64(x):
    return mix64(numpy.asarray(x, numpy.uint64) + numpy.array(0x9e3779b97f4a7c15, numpy.uint64))


@numpy.errstate(over="ignore")
def order_of_windows(count, epoch, seed):
    """The order in which kernels/training/token_sequences.cpp visits `count` windows."""
    word = lambda value: numpy.array(value, numpy.uint64)
    key = splitmix64(splitmix64(word(seed)) ^ word(epoch))
    half_bits = word((max(2, (count - 1).bit_length()) + 1) // 2)
    mask = (word(1) << half_bits) - word(1)
    order, places, index = numpy.empty(count, numpy.int64), numpy.arange(count), numpy.arange(count, dtype=numpy.uint64)
    while len(places):
        left, right = index >> half_bits, index & mask
        for number in range(6):
            left, right = right, left ^ (mix64(splitmix64(key + word(number)) ^ right) & mask)
        index = left << half_bits | right
        inside = index < count
        order[places[inside]] = index[inside]
        places, index = places[~inside], index[~inside]
    return order


class Sequences:
    """Inputs and targets of consecutive windows of a text, in the order of `mansard train`."""

    def __init__(self, file, length, seed):
        text = torch.frombuffer(bytearray(file.read_bytes()), dtype=torch.uint8)
        count = (len(text) - 1) // length
        self.windows = text[:count * length + 1].unfold(0, length + 1, length)
        self.orders, self.seed = {}, seed

    def training(self, start, count):
        numbers = []
        for position in range(start, start + count):
            epoch, index = divmod(position, len(self.windows))
            if epoch not in self.orders:
                self.orders[epoch] = order_of_windows(len(self.windows), epoch, self.seed)
            numbers.append(self.orders[epoch][index])
        return self.windows[numbers].long().cuda()


def arguments_of(o, folder, seed):
    return [o.mansard, "train", "--data", folder / "training.txt", "--validation-data", folder / "validation.txt",
            "--validation-sequences", str(VALIDATION_SEQUENCES), "--hidden", str(o.hidden), "--layers", str(o.layers),
            "--heads", str(o.hidden // HEAD_SIZE), "--ffn", str(3 * o.hidden), "--batch", str(o.batch), "--sequence",
            str(o.sequence), "--vocabulary", str(VOCABULARY), "--warmup", str(WARMUP), "--seed", str(seed), "--format",
            "json"]


def run(command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stdout


def initial_weights(o, folder, seed):
    """Written after a step whose learning rate moves no weight by more than 1e-12."""
    checkpoints = folder / f"initial_{seed}"
    run(arguments_of(o, folder, seed) + ["--steps", 1, "--learning-rate", 1e-12, "--weight-decay", 0, "--checkpoints",
                                         checkpoints])
    return load_file(next(checkpoints.glob("*.safetensors")))


def train_mansard(o, folder, recipe, seed, rounding_seed=None):
    """The losses of all steps, the validation loss, and the time of a step in milliseconds."""
    log = folder / f"{recipe}_{seed}_{rounding_seed}_{o.steps}.csv"
    options = ["--recipe", recipe] + (["--bf16-last", o.bf16_last] if recipe != "bf16" else [])
    if rounding_seed is not None:
        options += ["--rounding-seed", rounding_seed]
    run(arguments_of(o, folder, seed) + ["--steps", o.steps, "--learning-rate", PEAK, "--log", log] + options)
    rows = list(csv.DictReader(open(log, encoding="utf-8")))
    times = sorted(float(row["time_s"]) for row in rows)
    return [float(row["loss"]) for row in rows], float(rows[-1]["validation_loss"]), 1e3 * times[len(times) // 2]


def learning_rate(step, steps):
    if step < WARMUP:
        return (step + 1) / WARMUP
    progress = (step - WARMUP) / max(1, steps - 1 - WARMUP)
    return FINAL_FRACTION + (1 - FINAL_FRACTION) * (1 + math.cos(math.pi * progress)) / 2


def loss_of(model, windows):
    with torch.autocast("cuda", dtype=torch.bfloat16):
        logits = model(input_ids=windows[:, :-1], use_cache=False).logits
    return torch.nn.functional.cross_entropy(logits.float().view(-1, VOCABULARY), windows[:, 1:].reshape(-1))


def train_converted(o, folder, recipe, seed, weights):
    heads = o.hidden // HEAD_SIZE
    model = LlamaForCausalLM(LlamaConfig(
        hidden_size=o.hidden, intermediate_size=3 * o.hidden, num_hidden_layers=o.layers, num_attention_heads=heads,
        num_key_value_heads=heads, vocab_size=VOCABULARY, max_position_embeddings=o.sequence, rms_norm_eps=1e-5,
        rope_parameters={"rope_type": "default", "rope_theta": ROPE_BASE}, rope_theta=ROPE_BASE,
        tie_word_embeddings=False)).cuda().float()
    # Versions of transformers differ in the name of this option and ignore unknown ones.
    assert abs(model.model.rotary_emb.inv_freq[1] * ROPE_BASE ** (2 / HEAD_SIZE) - 1) < 1e-3, "other rotary positions"
    model.load_state_dict({name: weights[name] for name in model.state_dict()})
    if recipe != "bf16":
        keep = ["lm_head"]
        for block in range(o.layers - o.bf16_last, o.layers):
            keep += [name for name, _ in model.named_modules() if name.startswith(f"model.layers.{block}.")]
        mansard.torch.convert(model, recipe=recipe, keep=keep, seed=1000 * seed)
    matrices = [p for p in model.parameters() if p.dim() > 1]
    gains = [p for p in model.parameters() if p.dim() == 1]
    rate = torch.zeros((), device="cuda")  # the graph reads it
    optimizer = torch.optim.AdamW([{"params": matrices, "weight_decay": 0.1}, {"params": gains, "weight_decay": 0}],
                                  lr=rate, betas=(0.9, 0.95), eps=1e-8, fused=True, capturable=True)
    sequences, losses = Sequences(folder / "training.txt", o.sequence, seed), []
    batch = sequences.training(0, o.batch)

    def train_step():
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(model, batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.detach()

    # Most steps are replays of a CUDA graph, so that the host does not limit them.
    graph, stream = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for step in range(o.steps):
            batch.copy_(sequences.training(step * o.batch, o.batch))
            rate.fill_(PEAK * learning_rate(step, o.steps))
            if step < EAGER_STEPS:
                losses.append(train_step())
                continue
            if step == EAGER_STEPS:
                with torch.cuda.graph(graph, stream=stream):
                    loss = train_step()
                torch.cuda.synchronize()
                start = time.perf_counter()
            graph.replay()
            losses.append(loss.clone())
    torch.cuda.synchronize()
    step_ms = 1e3 * (time.perf_counter() - start) / (o.steps - EAGER_STEPS)
    windows = Sequences(folder / "validation.txt", o.sequence, seed).windows[:VALIDATION_SEQUENCES].long().cuda()
    with torch.no_grad():
        validation = [loss_of(model, part).item() for part in windows.split(o.batch) if len(part) == o.batch]
    return torch.stack(losses).tolist(), sum(validation) / len(validation), step_ms


def first_difference(losses, others):
    """The largest relative difference of the losses of the first steps."""
    return max(abs(b / a - 1) for a, b in zip(losses[:FIRST_STEPS], others))


def first_difference_in_bf16(o, folder, seed, weights):
    """That of two short trainings, whose learning rates equal those of `o.steps` during the warm-up."""
    short = argparse.Namespace(**{**vars(o), "steps": FIRST_STEPS})
    mine = train_mansard(short, folder, "bf16", seed)
    return first_difference(mine[0], train_converted(short, folder, "bf16", seed, weights)[0])


def print_curves(mine, theirs):
    """Mean losses of ten parts of the training, and the largest loss of a step, which shows a spike."""
    part = max(1, len(mine) // 10)
    for start in range(0, len(mine), part):
        a, b = mine[start:start + part], theirs[start:start + part]
        print(f"  steps {start} to {start + len(a) - 1}: mean loss {sum(a) / len(a):.4f} and {sum(b) / len(b):.4f}, "
              f"largest {max(a):.4f} and {max(b):.4f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("mansard")
    parser.add_argument("python_folder")
    parser.add_argument("text", type=pathlib.Path)
    parser.add_argument("--recipes", nargs="+", default=["bf16", "fp8", "nvfp4"])
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3], metavar="N",
                        help="of weights, data order and stochastic rounding")
    parser.add_argument("--bf16-last", type=int, default=0, metavar="N", help="last blocks that stay in BF16")
    parser.add_argument("--rounding-seeds", nargs="+", type=int, default=[], metavar="N")
    parser.add_argument("--hidden", type=int, default=512)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--sequence", type=int, default=512)
    o = parser.parse_args()
    if o.steps <= EAGER_STEPS:
        parser.error(f"--steps must be larger than {EAGER_STEPS}")
    if not torch.cuda.is_available():
        print("skipped: no GPU")
        return 77
    global mansard
    sys.path.insert(0, o.python_folder)
    import mansard.torch

    faults = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        text = o.text.read_bytes()
        held_out = VALIDATION_SEQUENCES * o.sequence + 1
        if len(text) < 2 * held_out:
            sys.exit(f"'{o.text}' has {len(text)} bytes; the check needs at least {2 * held_out}")
        (folder / "training.txt").write_bytes(text[:-held_out])
        (folder / "validation.txt").write_bytes(text[-held_out:])
        for recipe in o.recipes:
            differences = []
            for seed in o.seeds:
                mine = train_mansard(o, folder, recipe, seed)
                weights = initial_weights(o, folder, seed)
                theirs = train_converted(o, folder, recipe, seed, weights)
                first = first_difference(mine[0], theirs[0])
                last = theirs[1] / mine[1] - 1
                differences.append(100 * last)
                print_curves(mine[0], theirs[0])
                print(f"{recipe}, seed {seed}: losses of the first {FIRST_STEPS} steps within {100 * first:.2f} %; "
                      f"after {o.steps} steps validation loss {mine[1]:.4f} (mansard train), {theirs[1]:.4f} "
                      f"(Hugging Face, {100 * last:+.2f} %), step {mine[2]:.1f} and {theirs[2]:.1f} ms"
                      f"{'' if abs(last) <= LARGEST_DIFFERENCE else ': FAILED'}", flush=True)
                faults += abs(last) > LARGEST_DIFFERENCE
                by_rounding = 0
                for rounding_seed in o.rounding_seeds if recipe != "bf16" else []:
                    other = train_mansard(o, folder, recipe, seed, rounding_seed)
                    moved = first_difference(mine[0], other[0])
                    by_rounding = max(by_rounding, moved)
                    print(f"{recipe}, seed {seed}: `mansard train` with rounding seed {rounding_seed}: losses of the "
                          f"first {FIRST_STEPS} steps within {100 * moved:.2f} %; "
                          f"validation loss {other[1]:.4f} ({100 * (other[1] / mine[1] - 1):+.2f} %)", flush=True)
                if first > LARGEST_FIRST_DIFFERENCE and by_rounding > LARGEST_FIRST_DIFFERENCE:
                    first = first_difference_in_bf16(o, folder, seed, weights)
                    print(f"{recipe}, seed {seed}: rounding alone moves the first steps by {100 * by_rounding:.2f} %; in "
                          f"BF16 the two programs differ by {100 * first:.2f} %", flush=True)
                if first > LARGEST_FIRST_DIFFERENCE:
                    print(f"{recipe}, seed {seed}: first steps differ by more than "
                          f"{100 * LARGEST_FIRST_DIFFERENCE:.1f} %: FAILED", flush=True)
                    faults += 1
            if len(differences) > 1:
                error = statistics.stdev(differences) / math.sqrt(len(differences))
                print(f"{recipe}: mean difference of {len(differences)} seeds {statistics.mean(differences):+.2f} %, "
                      f"standard error {error:.2f} %", flush=True)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
