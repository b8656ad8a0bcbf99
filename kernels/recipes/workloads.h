// SPDX-License-Identifier: Apache-2.0
// The linear layers of known models, and the FLOPs of a training step of the whole model.
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
  std::int64_t count = 1;  // layers of this kind in the model
};

// A run of equal blocks. Models from an architecture search omit attention or the feed-forward part
// of some blocks, and vary the feed-forward width. A block that the search removed entirely remains
// as a block without attention and feed-forward part, because layers are counted and assigned to
// pipeline stages including it.
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

  // Each shape once, in the order of the forward pass: qkv, o, gate_up, down. The latter two
  // include the width ("gate_up_14336") if the model has several. Projections that share an input
  // are one GEMM, as in training programs.
  std::vector<LinearShape> linear_layers() const;
  double parameters() const;
  // Forward and backward, with causal attention over sequences of `sequence` tokens: 6 FLOP per
  // matrix weight, and 6 * sequence * heads * head size for the attention products of each block.
  double training_flop_per_token(std::int64_t sequence) const;
};

const std::vector<TransformerModel>& transformer_models();
const TransformerModel* find_transformer_model(std::string_view name);

}  // namespace mansard::kernels
