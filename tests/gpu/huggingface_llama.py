# SPDX-License-Identifier: Apache-2.0
"""Trains a Hugging Face Llama as any script would: no NVTX ranges, nothing of Mansard.

usage: huggingface_llama.py [eager|compile] [causal] [STEPS]; prints the median step time and the FLOPs of its GEMMs
per step. "causal" calls attention with is_causal=True; without it, the compiled model passes a mask tensor."""

import sys
import time

import torch
from transformers import AttentionInterface, LlamaConfig, LlamaForCausalLM

HIDDEN, INTERMEDIATE, LAYERS, VOCABULARY = 2048, 5504, 4, 32000
BATCH, SEQUENCE = 2, 2048
STEPS = int(next((argument for argument in sys.argv if argument.isdigit()), 12))


def causal_attention(module, query, key, value, mask, scaling=None, **unused):
    out = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True, scale=scaling)
    return out.transpose(1, 2).contiguous(), None


def main():
    torch.manual_seed(0)
    config = LlamaConfig(hidden_size=HIDDEN, intermediate_size=INTERMEDIATE, num_hidden_layers=LAYERS,
                         num_attention_heads=32, num_key_value_heads=32, vocab_size=VOCABULARY)
    if "causal" in sys.argv:
        AttentionInterface.register("causal", causal_attention)
        config._attn_implementation = "causal"
    model = LlamaForCausalLM(config).to("cuda", torch.bfloat16)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    step_model = torch.compile(model) if "compile" in sys.argv else model
    tokens = torch.randint(0, VOCABULARY, (BATCH, SEQUENCE), device="cuda")
    times = []
    for _ in range(STEPS):
        torch.cuda.synchronize()
        start = time.perf_counter()
        step_model(input_ids=tokens, labels=tokens).loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    weights = LAYERS * (4 * HIDDEN**2 + 3 * HIDDEN * INTERMEDIATE) + VOCABULARY * HIDDEN
    print(f"median step {1e3 * sorted(times)[len(times) // 2]:.2f} ms, "
          f"GEMMs {6 * weights * BATCH * SEQUENCE / 1e12:.4f} TFLOP per step")


if __name__ == "__main__":
    main()
