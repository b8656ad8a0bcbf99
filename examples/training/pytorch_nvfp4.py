# SPDX-License-Identifier: Apache-2.0
"""Trains a small Hugging Face Llama on the bytes of a text folder, with its linear layers in a recipe of Mansard:

    python3 examples/training/make_corpus.py corpus
    PYTHONPATH=BUILD/lib/python python3 examples/training/pytorch_nvfp4.py corpus --recipe nvfp4

--recipe none trains the same model with torch.nn.Linear, for comparison."""

import argparse
import pathlib
import sys
import time

import torch
from transformers import LlamaConfig, LlamaForCausalLM

import mansard.torch
from mansard import layers

BYTES = 256
VALIDATION_PART = 0.02  # at the end of the text


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="folder of text files")
    parser.add_argument("--recipe", choices=("none", *layers.recipes()), default="nvfp4")
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--batch", type=int, default=16, help="sequences per step")
    parser.add_argument("--sequence", type=int, default=512, help="bytes per sequence")
    parser.add_argument("--hidden", type=int, default=512)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--learning-rate", type=float, default=6e-4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = parser.parse_args()
    if args.hidden % 64:
        parser.error("--hidden must be a multiple of 64, the size of a head")
    return args


def read_text(folder):
    files = sorted(f for f in folder.rglob("*") if f.is_file() and not f.name.startswith("."))
    content = b"\0".join(f.read_bytes() for f in files)
    if not content:
        sys.exit(f"'{folder}' contains no text; make some with make_corpus.py")
    return torch.frombuffer(bytearray(content), dtype=torch.uint8)


def sample(text, args, generator):
    """A batch of sequences at random positions."""
    starts = torch.randint(len(text) - args.sequence + 1, (args.batch,), generator=generator)
    return torch.stack([text[start:start + args.sequence] for start in starts.tolist()]).long().to(args.device)


def loss_of(model, tokens, args):
    with torch.autocast(torch.device(args.device).type, dtype=torch.bfloat16):
        return model(input_ids=tokens, labels=tokens).loss


@torch.no_grad()
def validate(model, text, args):
    generator = torch.Generator().manual_seed(1)
    return torch.stack([loss_of(model, sample(text, args, generator), args) for _ in range(20)]).mean().item()


def main():
    args = parse()
    text = read_text(args.folder)
    held_out = max(args.sequence, int(VALIDATION_PART * len(text)))
    if len(text) < held_out + args.sequence:
        sys.exit(f"'{args.folder}' has {len(text)} bytes of text, fewer than two sequences")
    training, validation = text[:-held_out], text[-held_out:]

    torch.manual_seed(args.seed)
    heads = args.hidden // 64
    # 8/3 of the width, rounded to a multiple that all recipes take.
    config = LlamaConfig(hidden_size=args.hidden, intermediate_size=-(-8 * args.hidden // 3 // 64) * 64,
                         num_hidden_layers=args.layers, num_attention_heads=heads, num_key_value_heads=heads,
                         vocab_size=BYTES, max_position_embeddings=args.sequence)
    model = LlamaForCausalLM(config).to(args.device)
    if args.recipe != "none":
        mansard.torch.convert(model, recipe=args.recipe, keep=("lm_head",), seed=args.seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.learning_rate, weight_decay=0.1, betas=(0.9, 0.95))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, args.learning_rate, total_steps=args.steps, pct_start=0.1)
    generator = torch.Generator().manual_seed(args.seed)

    print(f"{sum(p.numel() for p in model.parameters()) / 1e6:.1f} M parameters, {len(training) / 1e6:.1f} MB of text, "
          f"recipe {args.recipe}")
    every, start = max(1, args.steps // 20), time.perf_counter()
    for step in range(1, args.steps + 1):
        loss = loss_of(model, sample(training, args, generator), args)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        schedule.step()
        if step % every == 0:
            speed = every * args.batch * args.sequence / (time.perf_counter() - start)
            print(f"step {step}: loss {loss.item():.4f}, {speed:,.0f} bytes/s", flush=True)
            start = time.perf_counter()
    print(f"validation loss {validate(model, validation, args):.4f}")


if __name__ == "__main__":
    main()
