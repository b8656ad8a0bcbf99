// SPDX-License-Identifier: Apache-2.0
// The operations of a transformer besides its linear layers. Each is a struct of its operands and
// sizes. Matrices are row-major; a row is a token. Activations and weights are BF16, gradients of
// weights and statistics are FP32; arithmetic is FP32. No result depends on the order in which
// threads run, except the gradient of Q in cuDNN's attention unless
// OperationOptions::deterministic.
//
// An operation whose `amax` is set raises this FP32 scalar to the largest magnitude of the matrix
// that is named there, as rounded to BF16, so that a recipe need not read the matrix for it. A NaN
// is larger than infinity, as in Conversions::amax(). ClearAmax comes before.
//
// Every CUDA file of this folder includes this header, so it needs little of the standard library.
#pragma once

#include <cstdint>

#include "kernels/formats/bf16.h"
#include "kernels/formats/shape.h"
#include "kernels/vocabulary/precision.h"

namespace mansard::kernels {

// ---- Embedding ----

struct EmbeddingForward {
  static constexpr const char* kName = "embedding";
  static constexpr const char* kClass = "embedding";
  static constexpr Precision kPrecision = Precision::bf16;
  std::int64_t rows = 0, cols = 0;
  const std::int32_t* tokens = nullptr;  // [rows]
  const Bf16* table = nullptr;           // [vocabulary x cols]
  // Learned positions [sequence x cols], added to the row of the token; null: none.
  const Bf16* positions = nullptr;
  std::int64_t sequence = 0;
  Bf16* out = nullptr;
  Shape size() const { return {rows, cols}; }
  double bytes() const { return static_cast<double>(rows * (4 + 2 * cols * (positions ? 3 : 2))); }
};

// The rows of a batch grouped by token: the gradient of a token's embedding is the sum over its
// rows, in this order. Token `token[g]` has the rows row[start[g]] to row[start[g + 1]]. All arrays
// have as many elements as the batch has rows (`start` one more); groups after the last are empty.
struct TokenGroups {
  const std::int32_t* row = nullptr;
  const std::int32_t* start = nullptr;
  const std::int32_t* token = nullptr;
};

// Overwrites the gradients (with 0 for tokens that do not occur), or adds to them.
struct EmbeddingBackward {
  static constexpr const char* kName = "embedding backward";
  static constexpr const char* kClass = "embedding";
  static constexpr Precision kPrecision = Precision::bf16;
  std::int64_t rows = 0, cols = 0, vocabulary = 0;
  TokenGroups groups;
  const Bf16* d_out = nullptr;
  float* d_table = nullptr;  // [vocabulary x cols]
  bool accumulate_table = false;
  float* d_positions = nullptr;  // [sequence x cols]; null: none
  bool accumulate_positions = false;
  std::int64_t sequence = 0;
  Shape size() const { return {rows, cols}; }
  // Traffic of the table's gradient: every row is read once, and each row of the table is written
  // once (or updated, at most once per token).
  double bytes() const {
    const std::int64_t updated = rows < vocabulary ? rows : vocabulary;
    const std::int64_t table = accumulate_table ? 8 * updated : 4 * vocabulary;
    return static_cast<double>((2 * rows + table) * cols);
  }
};

// ---- Largest magnitudes ----

// Sets `count` scalars to 0.
struct ClearAmax {
  static constexpr const char* kName = "clear amax";
  static constexpr const char* kClass = "copy";
  static constexpr Precision kPrecision = Precision::fp32;
  std::int64_t count = 0;
  float* amax = nullptr;
  Shape size() const { return {1, count}; }
  double bytes() const { return 4.0 * static_cast<double>(count); }
};

// ---- Normalization ----

enum class Norm { rms, layer };

// out = (z - mean(z)) * inverse * gain + bias with z = x + delta, where RMS norms have no mean and
// no bias; inverse = 1 / sqrt(mean((z - mean)^2) + epsilon).
struct NormForward {
  static constexpr const char* kName = "norm";
  static constexpr const char* kClass = "norm";
  static constexpr Precision kPrecision = Precision::bf16;
  Norm kind = Norm::rms;
  std::int64_t rows = 0, cols = 0;
  const Bf16* x = nullptr;
  const Bf16* delta = nullptr;  // null: 0
  Bf16* sum = nullptr;          // z, rounded before it is normalized; required with `delta`
  const Bf16* gain = nullptr;
  const Bf16* bias = nullptr;
  Bf16* out = nullptr;
  float* mean = nullptr;     // [rows]; layer norms only
  float* inverse = nullptr;  // [rows]
  float epsilon = 1e-5f;
  float* amax = nullptr;  // of `out`
  Shape size() const { return {rows, cols}; }
  double bytes() const {
    return static_cast<double>(rows * (2 * cols * (delta ? 4 : 2) + (mean ? 8 : 4)));
  }
};

// d_x = d_residual + the norm's gradient; d_gain and d_bias are overwritten, or added to.
struct NormBackward {
  static constexpr const char* kName = "norm backward";
  static constexpr const char* kClass = "norm";
  static constexpr Precision kPrecision = Precision::bf16;
  // Rows of the scratch matrix that collects the partial sums of d_gain and d_bias.
  static constexpr std::int64_t kPartialRows = 256;

  Norm kind = Norm::rms;
  std::int64_t rows = 0, cols = 0;
  const Bf16* z = nullptr;
  const Bf16* gain = nullptr;
  const float* mean = nullptr;
  const float* inverse = nullptr;
  const Bf16* d_out = nullptr;
  const Bf16* d_residual = nullptr;  // null: 0; may be d_x
  Bf16* d_x = nullptr;
  float* d_gain = nullptr;
  float* d_bias = nullptr;  // layer norms only
  bool accumulate = false;
  float* scratch = nullptr;  // [kPartialRows x cols], for layer norms twice
  float* amax = nullptr;     // of d_x
  Shape size() const { return {rows, cols}; }
  double bytes() const {
    return static_cast<double>(rows * (2 * cols * (d_residual ? 4 : 3) + (mean ? 8 : 4)));
  }
};

// ---- Attention ----

struct AttentionShape {
  std::int64_t batch = 0, sequence = 0;
  std::int64_t heads = 0;     // of Q and of the output; a multiple of kv_heads
  std::int64_t kv_heads = 0;  // of K and V
  std::int64_t head_size = 0;
  constexpr std::int64_t rows() const { return batch * sequence; }
  constexpr std::int64_t qkv_cols() const { return (heads + 2 * kv_heads) * head_size; }
  constexpr std::int64_t out_cols() const { return heads * head_size; }
};

// Rotary position embedding of Q and K, in place: rotates the pairs (i, i + head_size / 2) of each
// head by the angle of the row's position; by the negative angle if `inverse`, for gradients.
struct Rope {
  static constexpr const char* kName = "RoPE";
  static constexpr const char* kClass = "elementwise";
  static constexpr Precision kPrecision = Precision::bf16;
  AttentionShape shape;
  // Cosine and sine: [sequence x head_size / 2 x 2].
  const float* table = nullptr;
  bool inverse = false;
  Bf16* qkv = nullptr;    // as in AttentionForward
  float* amax = nullptr;  // of qkv: V is read for it
  Shape size() const { return {shape.rows(), (shape.heads + shape.kv_heads) * shape.head_size}; }
  double bytes() const {
    const std::int64_t read_heads = amax != nullptr ? shape.kv_heads : 0;
    const std::int64_t rotated_heads = shape.heads + shape.kv_heads;
    return static_cast<double>(shape.rows() * shape.head_size *
                               (4 * rotated_heads + 2 * read_heads));
  }
};

// out = softmax(Q K^T / sqrt(head_size)) V with a causal mask, for each head. A row of `qkv` holds
// the heads of Q, then those of K, then those of V.
struct AttentionForward {
  AttentionShape shape;
  const Bf16* qkv = nullptr;  // [rows x qkv_cols]
  Bf16* out = nullptr;        // [rows x out_cols]
  float* stats = nullptr;     // [batch x heads x sequence]: log of the sum of exp(scaled scores)
  float* amax = nullptr;      // of `out`; only if Operations::attention_finds_amax()
};

struct AttentionBackward {
  AttentionShape shape;
  const Bf16* qkv = nullptr;
  const Bf16* out = nullptr;
  const float* stats = nullptr;
  const Bf16* d_out = nullptr;
  Bf16* d_qkv = nullptr;
  void* scratch = nullptr;  // Operations::attention_scratch_bytes()
};

// ---- Activations ----

// out = silu(gate) * up; a row of gate_up holds `width` gates, then `width` factors.
struct SwigluForward {
  static constexpr const char* kName = "SwiGLU";
  static constexpr const char* kClass = "activation";
  static constexpr Precision kPrecision = Precision::bf16;
  std::int64_t rows = 0, width = 0;
  const Bf16* gate_up = nullptr;
  Bf16* out = nullptr;
  float* amax = nullptr;  // of `out`
  Shape size() const { return {rows, width}; }
  double bytes() const { return static_cast<double>(6 * rows * width); }
};
struct SwigluBackward {
  static constexpr const char* kName = "SwiGLU backward";
  static constexpr const char* kClass = "activation";
  static constexpr Precision kPrecision = Precision::bf16;
  std::int64_t rows = 0, width = 0;
  const Bf16* gate_up = nullptr;
  const Bf16* d_out = nullptr;
  Bf16* d_gate_up = nullptr;
  float* amax = nullptr;  // of d_gate_up
  Shape size() const { return {rows, width}; }
  double bytes() const { return static_cast<double>(10 * rows * width); }
};

// GELU with the tanh approximation of GPT-2.
struct GeluForward {
  static constexpr const char* kName = "GELU";
  static constexpr const char* kClass = "activation";
  static constexpr Precision kPrecision = Precision::bf16;
  std::int64_t rows = 0, width = 0;
  const Bf16* x = nullptr;
  Bf16* out = nullptr;
  float* amax = nullptr;  // of `out`
  Shape size() const { return {rows, width}; }
  double bytes() const { return static_cast<double>(4 * rows * width); }
};
struct GeluBackward {
  static constexpr const char* kName = "GELU backward";
  static constexpr const char* kClass = "activation";
  static constexpr Precision kPrecision = Precision::bf16;
  std::int64_t rows = 0, width = 0;
  const Bf16* x = nullptr;
  const Bf16* d_out = nullptr;
  Bf16* d_x = nullptr;
  float* amax = nullptr;  // of d_x
  Shape size() const { return {rows, width}; }
  double bytes() const { return static_cast<double>(6 * rows * width); }
};

// ---- Bias ----

struct BiasForward {
  static constexpr const char* kName = "bias";
  static constexpr const char* kClass = "elementwise";
  static constexpr Precision kPrecision = Precision::bf16;
  std::int64_t rows = 0, cols = 0;
  const Bf16* bias = nullptr;
  Bf16* x = nullptr;  // in place
  Shape size() const { return {rows, cols}; }
  double bytes() const { return static_cast<double>(4 * rows * cols); }
};
// Sums the columns of d_out; overwrites d_bias or adds to it.
struct BiasBackward {
  static constexpr const char* kName = "bias backward";
  static constexpr const char* kClass = "reduction";
  static constexpr Precision kPrecision = Precision::bf16;
  std::int64_t rows = 0, cols = 0;
  const Bf16* d_out = nullptr;
  float* d_bias = nullptr;
  bool accumulate = false;
  float* scratch = nullptr;  // [NormBackward::kPartialRows x cols]
  float* amax = nullptr;     // of d_out
  Shape size() const { return {rows, cols}; }
  double bytes() const { return static_cast<double>(2 * rows * cols); }
};

// ---- Loss ----

// loss = -log(softmax(logits)[target]) for each row, over the first `vocabulary` of `cols` columns.
// With a gradient scale, logits are replaced by their gradient times the scale (0 in the columns
// that pad the vocabulary).
struct CrossEntropy {
  static constexpr const char* kName = "cross-entropy";
  static constexpr const char* kClass = "loss";
  static constexpr Precision kPrecision = Precision::bf16;
  std::int64_t rows = 0, cols = 0, vocabulary = 0;
  Bf16* logits = nullptr;
  const std::int32_t* targets = nullptr;  // [rows]
  float* losses = nullptr;                // [rows]
  float gradient_scale = 0;               // 0: loss only
  Shape size() const { return {rows, vocabulary}; }
  double bytes() const {
    return static_cast<double>(rows * (2 * vocabulary + (gradient_scale != 0 ? 2 * cols : 0) + 8));
  }
};

// ---- Optimizer ----

// *out = the sum of the elements, or of their squares.
struct Sum {
  static constexpr const char* kName = "sum";
  static constexpr const char* kClass = "reduction";
  static constexpr Precision kPrecision = Precision::fp32;
  static constexpr std::int64_t kPartials = 1024;
  std::int64_t count = 0;
  bool squares = false;
  const float* x = nullptr;
  float* partials = nullptr;  // [kPartials], scratch
  float* out = nullptr;
  Shape size() const { return {1, count}; }
  double bytes() const { return 4.0 * static_cast<double>(count); }
};

// Values that change with every step, in the tensors' memory so that a recorded step reads them.
struct AdamWStep {
  float learning_rate = 0;
  float correction1 = 1;  // 1 / (1 - beta1^t)
  float correction2 = 1;  // 1 / (1 - beta2^t)
};

// AdamW (arXiv 1711.05101) of FP32 master weights, which are then rounded to BF16. Gradients are
// multiplied by min(1, max_norm / norm), with the norm over all parameters.
struct AdamW {
  static constexpr const char* kName = "AdamW";
  static constexpr const char* kClass = "optimizer";
  static constexpr Precision kPrecision = Precision::fp32;
  std::int64_t count = 0;
  std::int64_t decayed = 0;  // the first parameters, to which weight decay applies
  float beta1 = 0.9f, beta2 = 0.95f, epsilon = 1e-8f, weight_decay = 0.1f;
  float max_norm = 1;                   // 0: no clipping
  const float* squared_norm = nullptr;  // of the gradients
  const AdamWStep* step = nullptr;
  const float* gradient = nullptr;
  float* first_moment = nullptr;
  float* second_moment = nullptr;
  float* master = nullptr;
  Bf16* weights = nullptr;
  Shape size() const { return {1, count}; }
  double bytes() const { return 30.0 * static_cast<double>(count); }
};

// ---- Replicas that are synchronized (replica_sync.h) ----

struct CopyWeights {
  static constexpr const char* kName = "copy of the weights";
  static constexpr const char* kClass = "copy";
  static constexpr Precision kPrecision = Precision::fp32;
  std::int64_t count = 0;
  const float* from = nullptr;
  float* to = nullptr;
  Shape size() const { return {1, count}; }
  double bytes() const { return 8.0 * static_cast<double>(count); }
};

struct ScaleWeights {
  static constexpr const char* kName = "scaling of weights";
  static constexpr const char* kClass = "optimizer";
  static constexpr Precision kPrecision = Precision::fp32;
  std::int64_t count = 0;
  float scale = 1;
  float* weights = nullptr;
  Shape size() const { return {1, count}; }
  double bytes() const { return 8.0 * static_cast<double>(count); }
};

// The step of a replica towards a target, from where it was when its weights were copied:
// master += elasticity (scale * target - copy), and the weights are rounded to BF16.
struct ElasticStep {
  static constexpr const char* kName = "elastic step";
  static constexpr const char* kClass = "optimizer";
  static constexpr Precision kPrecision = Precision::fp32;
  std::int64_t count = 0;
  float elasticity = 1;
  float scale = 1;
  const float* target = nullptr;
  const float* copy = nullptr;
  float* master = nullptr;
  Bf16* weights = nullptr;
  Shape size() const { return {1, count}; }
  double bytes() const { return 18.0 * static_cast<double>(count); }
};

// The step of EASGD's center towards a replica: moved = center + elasticity (copy - center).
struct CenterStep {
  static constexpr const char* kName = "center step";
  static constexpr const char* kClass = "optimizer";
  static constexpr Precision kPrecision = Precision::fp32;
  std::int64_t count = 0;
  float elasticity = 1;
  const float* center = nullptr;
  const float* copy = nullptr;
  float* moved = nullptr;
  Shape size() const { return {1, count}; }
  double bytes() const { return 12.0 * static_cast<double>(count); }
};

// Block momentum of BMUF: velocity = momentum velocity + rate (scale * sum - global), then
// global += velocity, which also replaces the sum.
struct BlockUpdate {
  static constexpr const char* kName = "block update";
  static constexpr const char* kClass = "optimizer";
  static constexpr Precision kPrecision = Precision::fp32;
  std::int64_t count = 0;
  float momentum = 0, rate = 1, scale = 1;
  float* sum = nullptr;
  float* global = nullptr;
  float* velocity = nullptr;
  Shape size() const { return {1, count}; }
  double bytes() const { return 24.0 * static_cast<double>(count); }
};

}  // namespace mansard::kernels
