// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/layer_cost.h"

namespace mansard::analysis {
namespace {

constexpr double kBf16Bytes = 2;

void add_attention_flop(double flop, DirectionCost& cost) {
  cost.attention_flop += flop;
  cost.flop[Precision::bf16] += flop;
}

}  // namespace

void LayerCosts::add_gemm(kernels::Recipe recipe, const GemmShape& shape, double time_s,
                          DirectionCost& cost) const {
  cost.gemm_s += time_s;
  cost.flop[precision_of(recipe)] += shape.flop();
  const double error_s = time_s * kernels_.gemm_error(recipe, shape);
  cost.gemm_error2_s2 += error_s * error_s;
}

void LayerCosts::add_linear(const Linear& linear, kernels::Recipe recipe, LayerCost& cost) const {
  const GemmShape fprop = {tokens(), linear.out, linear.in};
  const GemmShape dgrad = {tokens(), linear.in, linear.out};
  const GemmShape wgrad = {linear.out, linear.in, tokens()};
  add_gemm(recipe, fprop, kernels_.gemm_s(recipe, fprop), cost.forward);
  add_gemm(recipe, dgrad, kernels_.gemm_s(recipe, dgrad), cost.backward);
  add_gemm(recipe, wgrad, kernels_.wgrad_s(recipe, wgrad), cost.backward);
  if (job_.fully_sharded) {
    cost.backward.elementwise_s +=
        kernels_.elementwise_s(assumptions_.sharded_gradient_bytes * linear.in * linear.out, 1);
  }
  // A weight is quantized once per step, in the first micro-batch.
  cost.forward.conversion_s += kernels_.conversion_s(recipe, linear.in * linear.out, 1) /
                               static_cast<double>(job_.micro_batches());
}

void LayerCosts::add_frame(kernels::Recipe recipe, LayerCost& cost) const {
  const auto hidden = static_cast<double>(job_.model.hidden);
  const auto tensor = static_cast<double>(job_.tensor);
  const double own = tokens() / tensor * hidden;  // elements of this rank's share of the sequence
  // Forward: the norm reads x and writes y; the residual reads two tensors and writes one.
  // Backward: the norm reads dy and x and writes dx; two gradients are added.
  cost.forward.elementwise_s += kernels_.elementwise_s((2 + 3) * kBf16Bytes * own, 4);
  cost.backward.elementwise_s += kernels_.elementwise_s((3 + 3) * kBf16Bytes * own, 4);
  // The input of a part and the gradient of its output are converted before ranks gather them.
  cost.forward.conversion_s += kernels_.conversion_s(recipe, own, 1);
  cost.backward.conversion_s += kernels_.conversion_s(recipe, own, 1);
  if (job_.tensor == 1) return;
  // Forward gathers converted operands and reduces in BF16; backward gathers dy. The other
  // collectives of backward overlap with wgrad and dgrad.
  const double exposed = 1 - (recipe == kernels::Recipe::nvfp4 ? assumptions_.nvfp4_tensor_overlap
                                                               : assumptions_.layer_overlap);
  const LinkTraffic gather =
      links_.tensor(CollectiveOperation::all_gather, tokens() * hidden * operand_bytes(recipe));
  const LinkTraffic reduce =
      links_.tensor(CollectiveOperation::reduce_scatter, tokens() * hidden * kBf16Bytes);
  cost.forward.tensor_s += exposed * (gather.longest_s() + reduce.longest_s());
  cost.backward.tensor_s += exposed * gather.longest_s();
  cost.forward.traffic.add(gather).add(reduce);
  // The overlapped ones gather x for wgrad and reduce dx in BF16.
  cost.backward.traffic.add(gather, 2).add(reduce);
}

void LayerCosts::add_attention(kernels::Recipe recipe, LayerCost& cost) const {
  const kernels::TransformerModel& model = job_.model;
  const auto tensor = static_cast<double>(job_.tensor);
  const auto hidden = static_cast<double>(model.hidden);
  const double q = static_cast<double>(model.q_features()) / tensor;
  const double kv = static_cast<double>(model.kv_features()) / tensor;
  add_frame(recipe, cost);
  add_linear({hidden, q + 2 * kv}, recipe, cost);
  add_linear({q, hidden}, recipe, cost);
  cost.forward.conversion_s += kernels_.conversion_s(recipe, tokens() * q, 1);
  cost.backward.conversion_s += kernels_.conversion_s(recipe, tokens() * (q + 2 * kv), 1);
  // Rotary embedding reads and writes queries and keys.
  const double rope_bytes = 2 * kBf16Bytes * tokens() * (q + kv);
  cost.forward.elementwise_s += kernels_.elementwise_s(rope_bytes, 0);
  cost.backward.elementwise_s += kernels_.elementwise_s(rope_bytes, 0);
  // Two GEMMs with 2 FLOP per multiply-add, over half of the keys (causal).
  const auto sequence = static_cast<double>(job_.sequence);
  const auto context = static_cast<double>(job_.context);
  const double flop = 2 * sequence * q * tokens();
  const KernelTimes::Attention attention = kernels_.attention(flop, sequence / context);
  cost.forward.attention_s += attention.forward_s;
  cost.backward.attention_s += attention.backward_s;
  // Backward has five such GEMMs, because it computes the scores again.
  add_attention_flop(flop, cost.forward);
  add_attention_flop(2.5 * flop, cost.backward);
  if (job_.context > 1) {
    // The ring passes keys and values; in backward also their gradients.
    const LinkTraffic ring = links_.context(2 * kBf16Bytes * kv * tokens());
    const double ring_s = (1 - assumptions_.layer_overlap) * ring.longest_s();
    cost.forward.context_s += ring_s;
    cost.backward.context_s += 2 * ring_s;
    cost.forward.traffic.add(ring);
    cost.backward.traffic.add(ring, 2);
    // Each step's partial result (BF16) is merged into a running one (FP32).
    const double merge_bytes = (2 + 4 + 4) * context * tokens();
    cost.forward.elementwise_s += kernels_.elementwise_s(merge_bytes * q, 1);
    cost.backward.elementwise_s += kernels_.elementwise_s(merge_bytes * (q + 2 * kv), 1);
  }
}

void LayerCosts::add_ffn(double ffn, kernels::Recipe recipe, LayerCost& cost) const {
  const auto hidden = static_cast<double>(job_.model.hidden);
  add_frame(recipe, cost);
  add_linear({hidden, 2 * ffn}, recipe, cost);
  add_linear({ffn, hidden}, recipe, cost);
  cost.forward.conversion_s += kernels_.conversion_s(recipe, tokens() * ffn, 1);
  cost.backward.conversion_s += kernels_.conversion_s(recipe, tokens() * 2 * ffn, 1);
  // SwiGLU reads two and writes one; backward reads three and writes two.
  cost.forward.elementwise_s += kernels_.elementwise_s(3 * kBf16Bytes * tokens() * ffn, 0);
  cost.backward.elementwise_s += kernels_.elementwise_s(5 * kBf16Bytes * tokens() * ffn, 0);
}

LayerCost LayerCosts::layer(const kernels::TransformerBlocks& block, kernels::Recipe recipe) const {
  LayerCost cost;
  if (block.attention) add_attention(recipe, cost);
  if (block.ffn > 0) {
    add_ffn(static_cast<double>(block.ffn) / static_cast<double>(job_.tensor), recipe, cost);
  }
  return cost;
}

LayerCost LayerCosts::head() const {
  const auto hidden = static_cast<double>(job_.model.hidden);
  const double vocabulary =
      static_cast<double>(job_.model.vocabulary) / static_cast<double>(job_.tensor);
  LayerCost cost;
  add_linear({hidden, vocabulary}, kernels::Recipe::bf16, cost);
  // Loss: reads BF16 logits, writes and reads an FP32 copy; backward writes and casts the gradient.
  const double logits = tokens() * vocabulary;
  cost.forward.elementwise_s +=
      kernels_.elementwise_s((2 + 4 + 4) * logits + 2 * kBf16Bytes * tokens() * hidden, 4);
  cost.backward.elementwise_s +=
      kernels_.elementwise_s((2 + 2) * logits + 2 * kBf16Bytes * tokens() * hidden, 4);
  return cost;
}

}  // namespace mansard::analysis
