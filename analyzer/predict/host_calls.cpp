// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/host_calls.h"

#include "analyzer/predict/kernel_times.h"

namespace mansard::analysis {
namespace {

// Two linear layers of three GEMMs each, norm and residual forward and backward, and conversions of
// the inputs and gradients of both layers.
double calls_of_part(kernels::Recipe recipe) {
  return 6 + 2 + 2 + 4 * kernels_per_conversion(recipe);
}

// Sequence parallelism has five collectives around a part: two in forward, three in backward. With
// overlap, three of them become rings with one piece per rank, each with its own GEMM and exchange.
double tensor_calls(const TrainingJob& job, kernels::Recipe recipe) {
  if (job.tensor == 1) return 0;
  if (recipe == kernels::Recipe::nvfp4) return 5;  // not overlapped
  return 2 + 3 * (2 * static_cast<double>(job.tensor) - 1);
}

// Without context parallelism: one call forward, one backward. With it: a ring. Each forward step
// slices, sends, computes, and merges sums and outputs (5 calls); each backward step slices, sends
// keys and gradients, computes, and adds three gradients (7). See AttnFuncWithCPAndKVP2P of
// Transformer Engine.
double attention_calls(const TrainingJob& job) {
  return job.context == 1 ? 2 : (5 + 7) * static_cast<double>(job.context);
}

}  // namespace

double host_calls(const TrainingJob& job, const kernels::TransformerBlocks& block,
                  kernels::Recipe recipe) {
  double calls = 0;
  if (block.attention) {
    const double rope = 2;
    calls += calls_of_part(recipe) + tensor_calls(job, recipe) + attention_calls(job) + rope;
  }
  if (block.ffn > 0) {
    const double activation = 2;
    calls += calls_of_part(recipe) + tensor_calls(job, recipe) + activation;
  }
  return calls;
}

}  // namespace mansard::analysis
