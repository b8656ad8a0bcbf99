// SPDX-License-Identifier: Apache-2.0
// The linear layers of known models, and what a training step of the whole model computes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mansard::kernels {

struct LinearShape {
  std::string name;
  std::int64_t in_features = 0;
  std::int64_t out_features = 0;
  std::int64_t count = 1;  // of them in the model
};

// Blocks of one kind. A model found by architecture search leaves attention or the feed-forward
// part out of some, and varies the width of what it keeps. Where it left out a whole block, the
// place remains, without attention and without a feed-forward part: layers are counted and shared
// out among pipeline stages with it.
struct TransformerBlocks {
  std::int64_t count = 0;
  bool attention = true;
  std::int64_t ffn = 0;  // 0: no feed-forward part
};

// A decoder-only transformer with grouped-query attention, SwiGLU and untied embeddings.
struct TransformerModel {
  std::string name;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t vocabulary = 0;
  std::vector<TransformerBlocks> blocks;  // in order
  static constexpr std::int64_t kHeadSize = 128;

  // Each shape once, in the order of the forward pass: qkv, o, gate_up, down, the latter two with
  // their width ("gate_up_14336") where the model has several. The projections that share an input
  // are one GEMM, as training programs run them.
  std::vector<LinearShape> linear_layers() const;
  double parameters() const;
  // Forward and backward, for causal attention over sequences of `sequence` tokens: 6 FLOP for each
  // weight of a matrix, 6 * sequence * heads * head size for each block's attention products.
  double training_flop_per_token(std::int64_t sequence) const;
};

const std::vector<TransformerModel>& transformer_models();
const TransformerModel* find_transformer_model(std::string_view name);

}  // namespace mansard::kernels
