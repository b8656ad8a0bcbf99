# SPDX-License-Identifier: Apache-2.0
"""A GPT-2 whose parameters stay in host memory (accelerate's cpu_offload): nearly all GPU time is memcpys. It has no
annotations.

Usage: offload_program.py [FORWARD_PASSES]"""

import sys

import accelerate
import torch
import transformers


def main():
    passes = int(sys.argv[1]) if len(sys.argv) > 1 else 12
    torch.manual_seed(0)
    config = transformers.GPT2Config(n_embd=1024, n_layer=12, n_head=16, vocab_size=8192)
    model = transformers.GPT2LMHeadModel(config).to(torch.bfloat16).eval()
    accelerate.cpu_offload(model, execution_device=torch.device("cuda:0"))
    tokens = torch.randint(0, config.vocab_size, (1, 128), device="cuda:0")
    with torch.no_grad():
        for _ in range(passes):
            model(tokens)
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
