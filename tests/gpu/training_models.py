# SPDX-License-Identifier: Apache-2.0
"""The models of `mansard train` in PyTorch, with the parameter names of its checkpoints."""
import torch
from torch import nn
from torch.nn import functional as F


class LlamaAttention(nn.Module):
    def __init__(self, hidden, heads, kv_heads, size):
        super().__init__()
        self.heads, self.kv_heads, self.size = heads, kv_heads, size
        self.q_proj = nn.Linear(hidden, heads * size, bias=False)
        self.k_proj = nn.Linear(hidden, kv_heads * size, bias=False)
        self.v_proj = nn.Linear(hidden, kv_heads * size, bias=False)
        self.o_proj = nn.Linear(heads * size, hidden, bias=False)

    def forward(self, x, cosine, sine):
        def heads(y, count):
            return y.view(y.shape[0], y.shape[1], count, self.size).transpose(1, 2)

        def rotate(y):
            a, b = y.float().chunk(2, dim=-1)
            return torch.cat((a * cosine - b * sine, b * cosine + a * sine), dim=-1).to(y.dtype)

        q = rotate(heads(self.q_proj(x), self.heads))
        k = rotate(heads(self.k_proj(x), self.kv_heads))
        v = heads(self.v_proj(x), self.kv_heads)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=self.heads != self.kv_heads)
        return self.o_proj(y.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1))


class LlamaMlp(nn.Module):
    def __init__(self, hidden, ffn):
        super().__init__()
        self.gate_proj = nn.Linear(hidden, ffn, bias=False)
        self.up_proj = nn.Linear(hidden, ffn, bias=False)
        self.down_proj = nn.Linear(ffn, hidden, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class LlamaBlock(nn.Module):
    def __init__(self, hidden, heads, kv_heads, size, ffn):
        super().__init__()
        self.input_layernorm = nn.RMSNorm(hidden, eps=1e-5)
        self.self_attn = LlamaAttention(hidden, heads, kv_heads, size)
        self.post_attention_layernorm = nn.RMSNorm(hidden, eps=1e-5)
        self.mlp = LlamaMlp(hidden, ffn)

    def forward(self, x, cosine, sine):
        x = x + self.self_attn(self.input_layernorm(x), cosine, sine)
        return x + self.mlp(self.post_attention_layernorm(x))


class LlamaBody(nn.Module):
    def __init__(self, vocabulary, hidden, layers, heads, kv_heads, ffn):
        super().__init__()
        self.size = hidden // heads
        self.embed_tokens = nn.Embedding(vocabulary, hidden)
        self.layers = nn.ModuleList(
            LlamaBlock(hidden, heads, kv_heads, self.size, ffn) for _ in range(layers))
        self.norm = nn.RMSNorm(hidden, eps=1e-5)

    def forward(self, tokens):
        half = self.size // 2
        rate = 500000.0 ** (-torch.arange(half, device=tokens.device, dtype=torch.float32) / half)
        angle = torch.arange(tokens.shape[1], device=tokens.device, dtype=torch.float32)[:, None] * rate
        cosine, sine = angle.cos(), angle.sin()
        x = self.embed_tokens(tokens)
        for layer in self.layers:
            x = layer(x, cosine, sine)
        return self.norm(x)


class Llama(nn.Module):
    def __init__(self, vocabulary, hidden, layers, heads, kv_heads, ffn):
        super().__init__()
        self.model = LlamaBody(vocabulary, hidden, layers, heads, kv_heads, ffn)
        self.lm_head = nn.Linear(hidden, vocabulary, bias=False)

    def forward(self, tokens, targets):
        logits = self.lm_head(self.model(tokens))
        return F.cross_entropy(logits.float().flatten(0, 1), targets.flatten())


class Gpt2Attention(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.heads = heads
        self.c_attn = nn.Linear(hidden, 3 * hidden)
        self.c_proj = nn.Linear(hidden, hidden)

    def forward(self, x):
        batch, length, hidden = x.shape
        q, k, v = (y.view(batch, length, self.heads, -1).transpose(1, 2)
                   for y in self.c_attn(x).split(hidden, dim=2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.c_proj(y.transpose(1, 2).reshape(batch, length, hidden))


class Gpt2Mlp(nn.Module):
    def __init__(self, hidden, ffn):
        super().__init__()
        self.c_fc = nn.Linear(hidden, ffn)
        self.c_proj = nn.Linear(ffn, hidden)

    def forward(self, x):
        return self.c_proj(F.gelu(self.c_fc(x), approximate="tanh"))


class Gpt2Block(nn.Module):
    def __init__(self, hidden, heads, ffn):
        super().__init__()
        self.ln_1 = nn.LayerNorm(hidden)
        self.attn = Gpt2Attention(hidden, heads)
        self.ln_2 = nn.LayerNorm(hidden)
        self.mlp = Gpt2Mlp(hidden, ffn)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class Gpt2(nn.Module):
    """The embedding's weights are also those of the LM head."""

    def __init__(self, vocabulary, hidden=768, layers=12, heads=12, ffn=3072, positions=1024):
        super().__init__()
        self.transformer = nn.ModuleDict(dict(
            wte=nn.Embedding(vocabulary, hidden), wpe=nn.Embedding(positions, hidden),
            h=nn.ModuleList(Gpt2Block(hidden, heads, ffn) for _ in range(layers)),
            ln_f=nn.LayerNorm(hidden)))

    def forward(self, tokens, targets):
        t = self.transformer
        x = t.wte(tokens) + t.wpe(torch.arange(tokens.shape[1], device=tokens.device))
        for block in t.h:
            x = block(x)
        logits = F.linear(t.ln_f(x), t.wte.weight)
        return F.cross_entropy(logits.float().flatten(0, 1), targets.flatten())


def optimizer_of(model, learning_rate=3e-4, weight_decay=0.1):
    """AdamW as in `mansard train`: weight decay for matrices only."""
    matrices = [p for p in model.parameters() if p.dim() > 1]
    vectors = [p for p in model.parameters() if p.dim() == 1]
    return torch.optim.AdamW(
        [{"params": matrices, "weight_decay": weight_decay}, {"params": vectors, "weight_decay": 0.0}],
        lr=learning_rate, betas=(0.9, 0.95), eps=1e-8, fused=True)
