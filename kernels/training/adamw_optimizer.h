// SPDX-License-Identifier: Apache-2.0
// AdamW over the parameters of a transformer, with the exchange of gradients between data-parallel
// ranks: every rank updates all parameters with the summed gradients, or only its share of them
// and sends the result to the others (ZeRO stage 1, arXiv 1910.02054).
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/distributed/collectives.h"
#include "kernels/recipes/arena.h"
#include "kernels/training/checkpoint.h"
#include "kernels/training/operations.h"
#include "kernels/training/transformer.h"

namespace mansard::kernels {

struct OptimizerOptions {
  float beta1 = 0.9f, beta2 = 0.95f, weight_decay = 0.1f;
  float max_norm = 1;  // of the gradient; 0: no clipping

  // With ranks:
  bool sharded = false;           // ZeRO-1: each rank has 1 / ranks of the FP32 weights and moments
  bool overlap = true;            // starts to exchange gradients while backward computes others
  std::int64_t bucket_bytes = 0;  // gradients exchanged at once; 0: Collectives::bucket_bytes()
};

// Consecutive elements of the parameters' arrays.
struct ParameterSpan {
  std::int64_t first = 0, count = 0;
};

// The gradients of a step in the order in which backward finishes them, as spans of at least
// `elements`, if possible, which `ranks` can split into equal parts of whole vectors. Together they
// are the array.
std::vector<ParameterSpan> gradient_buckets(const Parameters& parameters, int ranks,
                                            std::int64_t elements);

class AdamWOptimizer {
 public:
  // Reserves its memory in the arena. `collectives` may be null: one rank. Everything passed must
  // outlive the optimizer.
  AdamWOptimizer(const OptimizerOptions& options, Transformer& transformer, Operations& operations,
                 Backend& backend, Collectives* collectives, Arena& arena);

  // Writes the weights, and moments of 0.
  void initialize(const std::vector<float>& values);

  // Before a step, which is number `step` (the first is 0). Not part of a recorded step.
  void begin_step(std::int64_t step, double learning_rate);
  // Backward has finished the gradients of the matrices from this element on.
  void exchange_from(std::int64_t first);
  // Enqueues the remaining exchange and the update. Sums `shared` over the ranks, `shared_count`
  // floats, and writes the squared norm of the gradient.
  void finish_step(float* shared, std::int64_t shared_count, float* squared_norm);

  // *out = the sum of x, or of its squares.
  void sum(const float* x, std::int64_t count, bool squares, float* out);

  // FP32 weights and moments of all parameters. All ranks must fetch or store them together.
  std::vector<CheckpointTensor> checkpoint_tensors();
  // Those of one parameter: weights, first and second moment. Not for a sharded optimizer.
  std::vector<CheckpointTensor> checkpoint_tensors(const Parameter& parameter) const;
  // Rounds the FP32 weights to the transformer's, as after a step.
  void publish_weights();
  // Those of one parameter. Not for a sharded optimizer.
  void publish_weights(const Parameter& parameter);
  bool is_sharded() const { return options_.sharded; }

  const std::vector<ParameterSpan>& buckets() const { return buckets_; }
  // FP32 weights: of all parameters, unless the optimizer is sharded.
  float* master() const { return master_.as<float>(); }

 private:
  // A span of the parameters, and where this rank's arrays have it.
  struct Piece {
    ParameterSpan span;
    std::int64_t local = 0;
  };

  void exchange(const ParameterSpan& bucket);
  // Enqueues the sums of squares of what this rank has of these buckets after their exchange.
  void sum_squares(std::size_t first_bucket, std::size_t end_bucket);
  void update(const Piece& piece, const float* squared_norm);
  void gather_weights(std::size_t bucket);
  void publish(const Piece& piece);
  void gather(const Buffer& array);
  void scatter(const Buffer& array);

  OptimizerOptions options_;
  Transformer* transformer_;
  Operations* operations_;
  Backend* backend_;
  Collectives* collectives_;
  std::vector<ParameterSpan> buckets_;  // empty: one rank
  // Summed apart from each other, so that the norm of the gradient does not depend on the buckets,
  // unless the optimizer is sharded. Empty: one rank.
  std::vector<ParameterSpan> norm_spans_;
  std::vector<Piece> pieces_;  // if sharded, of the bucket with the same index
  std::size_t exchanged_ = 0;  // buckets of this step
  std::int64_t local_size_ = 0;
  Buffer master_, first_moment_, second_moment_, partials_, norms_, step_;
};

}  // namespace mansard::kernels
