// SPDX-License-Identifier: Apache-2.0
#include "kernels/training/parameters.h"

#include <cmath>

#include "kernels/device/parallel.h"
#include "kernels/formats/random_input.h"

namespace mansard::kernels {
namespace {

constexpr float kDeviation = 0.02f;

// Elements between the starts of tensors, so that every tensor is aligned to 256 bytes in BF16.

std::string block_prefix(const TransformerModel& model, std::int64_t block) {
  const bool llama = model.architecture == Architecture::llama;
  return (llama ? "model.layers." : "transformer.h.") + std::to_string(block) + ".";
}

}  // namespace

Parameter Parameters::add(const std::string& name, Shape shape, float deviation, float mean) {
  Parameter p{name, shape, size_, deviation, mean};
  size_ += round_up(shape.elements(), kGranule);
  all_.push_back(p);
  return p;
}

Parameters::Parameters(const TransformerModel& model, int ranks) {
  const bool llama = model.architecture == Architecture::llama;
  const std::int64_t hidden = model.hidden;
  const std::int64_t q = model.q_features();
  const std::int64_t kv = model.kv_features();

  std::int64_t block = 0;
  for (const TransformerBlocks& run : model.blocks) {
    for (std::int64_t i = 0; i < run.count; ++i, ++block) {
      if (run.attention) parts_.emplace_back().block = block;
      if (run.ffn == 0) continue;
      parts_.emplace_back().block = block;
      parts_.back().ffn = run.ffn;
    }
  }
  const float residual =
      kDeviation / std::sqrt(static_cast<float>(std::max<std::size_t>(1, parts_.size())));

  // A padded row of the head is a product with 0, and its logit is not part of the softmax.
  const auto add_vocabulary = [&](const std::string& name) {
    Parameter p = add(name, {model.vocabulary, hidden}, kDeviation);
    size_ = p.offset + round_up(padded_vocabulary(model) * hidden, kGranule);
    return p;
  };
  embedding_ = add_vocabulary(llama ? "model.embed_tokens.weight" : "transformer.wte.weight");
  if (!llama) {
    positions_ = add("transformer.wpe.weight", {model.positions, hidden}, kDeviation);
  }
  for (PartParameters& part : parts_) {
    const std::string prefix = block_prefix(model, part.block);
    const auto matrix = [&](const char* name, std::int64_t out, std::int64_t in, float deviation) {
      return add(prefix + name + ".weight", {out, in}, deviation);
    };
    if (part.ffn == 0 && llama) {
      part.in = {matrix("self_attn.q_proj", q, hidden, kDeviation),
                 matrix("self_attn.k_proj", kv, hidden, kDeviation),
                 matrix("self_attn.v_proj", kv, hidden, kDeviation)};
      part.out = matrix("self_attn.o_proj", hidden, q, residual);
    } else if (part.ffn == 0) {
      part.in = {matrix("attn.c_attn", q + 2 * kv, hidden, kDeviation)};
      part.out = matrix("attn.c_proj", hidden, q, residual);
    } else if (llama) {
      part.in = {matrix("mlp.gate_proj", part.ffn, hidden, kDeviation),
                 matrix("mlp.up_proj", part.ffn, hidden, kDeviation)};
      part.out = matrix("mlp.down_proj", hidden, part.ffn, residual);
    } else {
      part.in = {matrix("mlp.c_fc", part.ffn, hidden, kDeviation)};
      part.out = matrix("mlp.c_proj", hidden, part.ffn, residual);
    }
  }
  head_ = llama ? add_vocabulary("lm_head.weight") : embedding_;
  decayed_ = size_;

  for (PartParameters& part : parts_) {
    const std::string prefix = block_prefix(model, part.block);
    const bool attention = part.ffn == 0;
    if (llama) {
      part.gain =
          add(prefix + (attention ? "input_layernorm" : "post_attention_layernorm") + ".weight",
              {1, hidden}, 0, 1);
      continue;
    }
    const std::string norm = prefix + (attention ? "ln_1" : "ln_2");
    part.gain = add(norm + ".weight", {1, hidden}, 0, 1);
    part.bias = add(norm + ".bias", {1, hidden}, 0);
    part.in_bias = add(prefix + (attention ? "attn.c_attn" : "mlp.c_fc") + ".bias",
                       {1, attention ? q + 2 * kv : part.ffn}, 0);
    part.out_bias =
        add(prefix + (attention ? "attn.c_proj" : "mlp.c_proj") + ".bias", {1, hidden}, 0);
  }
  const std::string last = llama ? "model.norm" : "transformer.ln_f";
  final_gain_ = add(last + ".weight", {1, hidden}, 0, 1);
  if (!llama) final_bias_ = add(last + ".bias", {1, hidden}, 0);
  size_ = round_up(size_, kGranule * ranks);
}

std::int64_t Parameters::count() const {
  std::int64_t sum = 0;
  for (const Parameter& p : all_) sum += p.shape.elements();
  return sum;
}

void Parameters::initialize(std::uint64_t seed, float* values) const {
  std::fill(values, values + size_, 0.0f);
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const Parameter& p = all_[i];
    const std::uint64_t own_seed = HashBuilder().add(seed).add(i).hash();
    constexpr std::int64_t kPiece = 1 << 16;
    parallel_for(ceil_div(p.shape.elements(), kPiece), [&](std::int64_t piece) {
      const std::int64_t end = std::min(p.shape.elements(), (piece + 1) * kPiece);
      for (std::int64_t at = piece * kPiece; at < end; ++at) {
        values[p.offset + at] =
            p.mean + (p.deviation == 0
                          ? 0.0f
                          : p.deviation * random_float(DataPattern::random_normal, own_seed,
                                                       static_cast<std::uint64_t>(at)));
      }
    });
  }
}

}  // namespace mansard::kernels
