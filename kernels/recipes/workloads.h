// SPDX-License-Identifier: Apache-2.0
// The linear layers of known models, and what a training step of the whole model computes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mansard {

struct LinearShape {
  std::string name;
  std::int64_t in_features = 0;
  std::int64_t out_features = 0;
};

// A decoder-only transformer with grouped-query attention, SwiGLU and untied embeddings.
struct TransformerModel {
  std::string name;
  std::int64_t blocks = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t ffn = 0;
  std::int64_t vocabulary = 0;
  static constexpr std::int64_t kHeadSize = 128;

  // Of one block, in the order of the forward pass: qkv, o, gate_up, down. The projections that
  // share an input are one GEMM, as training programs run them.
  std::vector<LinearShape> linear_layers() const;
  double parameters() const;
  // Forward and backward, for causal attention over sequences of `sequence` tokens: 6 FLOP for each
  // weight of a matrix, 6 * sequence * heads * head size for each block's attention products.
  double training_flop_per_token(std::int64_t sequence) const;
};

const std::vector<TransformerModel>& transformer_models();
const TransformerModel* find_transformer_model(std::string_view name);

}  // namespace mansard
