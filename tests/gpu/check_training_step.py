#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares one BF16 step of `mansard train` with PyTorch's autograd on the same weights and tokens.

  check_training_step.py MANSARD

The gradient is taken from a checkpoint: after the first step without clipping, the first moment of
AdamW is (1 - beta1) times the gradient, and a tiny learning rate leaves the weights as they were.
PyTorch runs in BF16 and in FP32 on the same BF16 weights. Exits with 77 without a GPU."""
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import torch
    from safetensors import safe_open
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

from training_models import Gpt2, Llama

LIMIT = 1e-2


def step_of_mansard(mansard, folder, model, batch, sequence):
    """Returns the report, the weights and the gradients."""
    subprocess.run([mansard, "train", "--data", folder / "data.txt", *model, "--batch", str(batch),
                    "--sequence", str(sequence), "--steps", "1", "--warmup", "0", "--clip", "0",
                    "--weight-decay", "0", "--learning-rate", "1e-30", "--checkpoints",
                    folder / "checkpoints", "--log", folder / "log.csv", "--force"],
                   check=True, capture_output=True)
    file = next((folder / "checkpoints").glob("*.safetensors"))
    weights, gradients = {}, {}
    prefix = "optimizer.first_moment."
    with safe_open(file, "pt") as checkpoint:
        for name in checkpoint.keys():
            if name.startswith(prefix):
                gradients[name.removeprefix(prefix)] = checkpoint.get_tensor(name) / 0.1
            elif not name.startswith(("optimizer.", "recipe.")):
                weights[name] = checkpoint.get_tensor(name)
    loss = float((folder / "log.csv").read_text().splitlines()[1].split(",")[1])
    return loss, weights, gradients


def step_of_pytorch(model, weights, tokens, targets, dtype):
    model.load_state_dict({name: w.bfloat16() for name, w in weights.items()})
    model = model.to("cuda", dtype)
    loss = model(tokens.cuda(), targets.cuda())
    loss.backward()
    return loss.item(), {name: p.grad.float().cpu() for name, p in model.named_parameters()}


def error(actual, expected):
    return ((actual - expected).norm() / expected.norm()).item()


def check(name, mansard, options, make_model, batch, sequence):
    with tempfile.TemporaryDirectory() as text:
        folder = pathlib.Path(text)
        # As many windows as the batch has, so that their order does not matter.
        source = random.Random(7)
        data = bytes(source.choice(b"etaoin shrdlu.\n") for _ in range(batch * sequence + 1))
        (folder / "data.txt").write_bytes(data)
        loss, weights, gradients = step_of_mansard(mansard, folder, options, batch, sequence)
    stream = torch.tensor(list(data))
    tokens = stream[:-1].view(batch, sequence)
    targets = stream[1:].view(batch, sequence)
    bf16_loss, bf16 = step_of_pytorch(make_model(), weights, tokens, targets, torch.bfloat16)
    fp32_loss, fp32 = step_of_pytorch(make_model(), weights, tokens, targets, torch.float32)
    rows = [(error(gradients[p], bf16[p]), error(gradients[p], fp32[p]), error(bf16[p], fp32[p]), p)
            for p in gradients]
    worst = max(row[1] for row in rows)
    print(f"{name}: loss {loss:.6f}, PyTorch BF16 {bf16_loss:.6f}, FP32 {fp32_loss:.6f}; "
          f"{len(rows)} parameters, largest error against FP32 {worst:.2e}, of PyTorch's BF16 "
          f"{max(row[2] for row in rows):.2e}, of Mansard against PyTorch's BF16 "
          f"{max(row[0] for row in rows):.2e}")
    for against_bf16, against_fp32, of_bf16, parameter in sorted(rows, reverse=True)[:4]:
        print(f"  {parameter}: {against_bf16:.2e} against BF16, {against_fp32:.2e} against FP32 "
              f"(PyTorch's BF16: {of_bf16:.2e})")
    return worst <= LIMIT and abs(loss - fp32_loss) <= 2e-3 * fp32_loss


def main():
    if not torch.cuda.is_available():
        print("skipped: no GPU")
        return 77
    mansard = sys.argv[1]
    llama = ["--hidden", "256", "--layers", "3", "--heads", "4", "--kv-heads", "2", "--ffn", "512"]
    good = check("Llama", mansard, llama, lambda: Llama(256, 256, 3, 4, 2, 512), 4, 256)
    good &= check("GPT-2 124M", mansard, ["--model", "gpt2-124m"], lambda: Gpt2(256), 4, 512)
    print("passed" if good else f"failed: an error is above {LIMIT}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
