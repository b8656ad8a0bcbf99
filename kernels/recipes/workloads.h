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

enum class Architecture {
  llama,  // RMS norms, rotary positions, SwiGLU, no biases, untied embeddings
  gpt2,  // layer norms, learned positions, GELU, biases, the LM head shares the embedding's weights
};

// A decoder-only transformer with grouped-query attention.
struct TransformerModel {
  std::string name;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t vocabulary = 0;
  std::vector<TransformerBlocks> blocks;  // in order
  std::int64_t head_size = 128;
  Architecture architecture = Architecture::llama;
  std::int64_t positions = 0;  // learned positions: the longest sequence

  std::int64_t q_features() const { return heads * head_size; }
  std::int64_t kv_features() const { return kv_heads * head_size; }
  // Outputs of the first matrix of a feed-forward part: SwiGLU has a gate and a factor.
  std::int64_t ffn_inputs(std::int64_t ffn) const {
    return architecture == Architecture::llama ? 2 * ffn : ffn;
  }

  // Each shape once, in the order of the forward pass: qkv, o, gate_up (GPT-2: up), down. The
  // latter two include the width ("gate_up_14336") if the model has several. Projections that share
  // an input are one GEMM, as in training programs.
  std::vector<LinearShape> linear_layers() const;
  double parameters() const;
  // Forward and backward, with causal attention over sequences of `sequence` tokens: 6 FLOP per
  // matrix weight, and 6 * sequence * heads * head size for the attention products of each block.
  double training_flop_per_token(std::int64_t sequence) const;
};

// Width of a feed-forward part by Llama's rule: two thirds of multiplier x hidden, rounded up to a
// multiple of 256.
std::int64_t searched_ffn(double multiplier, std::int64_t hidden);

// Blocks in the notation of Llama-Nemotron's architecture search: "3xA5.25" are three blocks with
// attention and an FFN multiplier of 5.25; "-" instead of A: without attention; "5xNone": removed.
// Throws std::invalid_argument that names the first part that is not in this notation.
std::vector<TransformerBlocks> searched_blocks(const std::string& text, std::int64_t hidden);

const std::vector<TransformerModel>& transformer_models();
const TransformerModel* find_transformer_model(std::string_view name);

}  // namespace mansard::kernels
