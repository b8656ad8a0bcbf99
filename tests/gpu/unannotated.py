# SPDX-License-Identifier: Apache-2.0
"""Training programs without NVTX ranges, as their users write them; nothing of Mansard.

usage: unannotated.py KIND STEPS; prints the number of steps and the mean time of those after the first half.

eager       AdamW, one batch, nothing is copied to the host: the device is never waited for
accumulate  4 micro-batches a step, an evaluation every 10 steps, the loss printed every 5
padded      every batch has another length; the loss is read in every step
graph       a whole step captured in a CUDA graph and replayed
overhead    torch.compile(mode="reduce-overhead"), which uses CUDA graphs
autotune    torch.compile(mode="max-autotune-no-cudagraphs"), which runs benchmarks at first
jax         a transformer under jax.jit
"""

import json
import sys
import time

HIDDEN, HEADS, LAYERS, VOCABULARY, BATCH, SEQUENCE = 1024, 16, 4, 16384, 4, 1024


class Clock:
    """Times the steps of the second half together: nothing waits for the device in between."""

    def __init__(self, steps, wait):
        self.half, self.steps, self.wait = steps // 2, steps, wait

    def before(self, step):
        if step == self.half:
            self.wait()
            self.start = time.perf_counter()

    def finish(self):
        self.wait()
        mean_ms = 1e3 * (time.perf_counter() - self.start) / (self.steps - self.half)
        print(json.dumps({"steps": self.steps, "mean_ms": mean_ms}))


def pytorch(kind, steps):
    import torch
    from torch import nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norms = nn.ModuleList(nn.LayerNorm(HIDDEN) for _ in range(2))
            self.qkv, self.out = nn.Linear(HIDDEN, 3 * HIDDEN), nn.Linear(HIDDEN, HIDDEN)
            self.up, self.down = nn.Linear(HIDDEN, 4 * HIDDEN), nn.Linear(4 * HIDDEN, HIDDEN)

        def forward(self, x):
            q, k, v = (t.unflatten(-1, (HEADS, -1)).transpose(1, 2) for t in self.qkv(self.norms[0](x)).chunk(3, -1))
            y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(y.transpose(1, 2).flatten(2))
            return x + self.down(nn.functional.gelu(self.up(self.norms[1](x))))

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding, self.head = nn.Embedding(VOCABULARY, HIDDEN), nn.Linear(HIDDEN, VOCABULARY, bias=False)
            self.blocks, self.norm = nn.Sequential(*(Block() for _ in range(LAYERS))), nn.LayerNorm(HIDDEN)

        def forward(self, tokens):
            logits = self.head(self.norm(self.blocks(self.embedding(tokens))))
            return nn.functional.cross_entropy(logits.flatten(0, 1), tokens.flatten())

    torch.manual_seed(0)
    model = Model().to("cuda", torch.bfloat16)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, capturable=kind == "graph")
    tokens = torch.randint(0, VOCABULARY, (BATCH, SEQUENCE), device="cuda")
    run = {"overhead": lambda: torch.compile(model, mode="reduce-overhead"),
           "autotune": lambda: torch.compile(model, mode="max-autotune-no-cudagraphs")}.get(kind, lambda: model)()

    def train(batches):
        for batch in batches:
            loss = run(batch)
            loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=kind != "graph")
        return loss

    if kind == "graph":
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            for _ in range(3):
                train([tokens])
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            train([tokens])
    clock = Clock(steps, torch.cuda.synchronize)
    for step in range(steps):
        clock.before(step)
        if kind == "graph":
            graph.replay()
        elif kind == "accumulate":
            loss = train([tokens] * 4)
            if step % 5 == 4:
                print("loss", loss.item(), file=sys.stderr)
            if step % 10 == 9:
                with torch.no_grad():
                    sum(run(tokens) for _ in range(3)).item()
        elif kind == "padded":
            train([tokens[:, :SEQUENCE - 64 * (step % 5)].contiguous()]).item()
        else:
            train([tokens])
    clock.finish()


def jax_(steps):
    import jax
    import jax.numpy as jnp

    keys = jax.random.split(jax.random.PRNGKey(0), LAYERS)
    half = jnp.bfloat16

    def matrix(key, *shape):
        return jax.random.normal(key, shape, half) * 0.02

    def layer(key):
        a, b, c, d = jax.random.split(key, 4)
        return {"qkv": matrix(a, HIDDEN, 3 * HIDDEN), "out": matrix(b, HIDDEN, HIDDEN),
                "up": matrix(c, HIDDEN, 4 * HIDDEN), "down": matrix(d, 4 * HIDDEN, HIDDEN)}

    def norm(x):
        x = x.astype(jnp.float32)
        return ((x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)).astype(half)

    def loss(parameters, tokens):
        x = parameters["embedding"][tokens]
        for p in parameters["layers"]:
            q, k, v = (t.reshape(BATCH, SEQUENCE, HEADS, -1) for t in jnp.split(norm(x) @ p["qkv"], 3, -1))
            x = x + jax.nn.dot_product_attention(q, k, v, is_causal=True).reshape(BATCH, SEQUENCE, HIDDEN) @ p["out"]
            x = x + jax.nn.gelu(norm(x) @ p["up"]) @ p["down"]
        logits = (norm(x) @ parameters["embedding"].T).astype(jnp.float32)
        return -jnp.take_along_axis(jax.nn.log_softmax(logits), tokens[..., None], -1).mean()

    @jax.jit
    def update(parameters, tokens):
        return jax.tree.map(lambda p, g: p - 0.01 * g, parameters, jax.grad(loss)(parameters, tokens))

    parameters = {"embedding": matrix(keys[0], VOCABULARY, HIDDEN), "layers": [layer(key) for key in keys]}
    tokens = jax.random.randint(keys[0], (BATCH, SEQUENCE), 0, VOCABULARY)
    clock = Clock(steps, lambda: jax.block_until_ready(parameters))
    for step in range(steps):
        clock.before(step)
        parameters = update(parameters, tokens)
    clock.finish()


if __name__ == "__main__":
    kind, steps = sys.argv[1], int(sys.argv[2])
    jax_(steps) if kind == "jax" else pytorch(kind, steps)
