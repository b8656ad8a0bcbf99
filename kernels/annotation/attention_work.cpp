// SPDX-License-Identifier: Apache-2.0
#include "kernels/annotation/attention_work.h"

#include <algorithm>
#include <string>

namespace mansard::kernels {
namespace {

// Pairs of a query and a key that a causal mask leaves.
double causal_pairs(double queries, double keys) {
  const double square = std::min(queries, keys);
  return square * (square + 1) / 2 + std::max(queries - keys, 0.0) * keys;
}

}  // namespace

std::optional<WorkAnnotation> attention_work(std::string_view name, const Attention& attention) {
  const auto& [batch, heads, queries, keys, qk_size, v_size, mask, backward, bytes, precision] =
      attention;
  if (std::min({batch, heads, queries, keys, qk_size, v_size}) < 1) return std::nullopt;
  const auto qk = static_cast<double>(qk_size);
  const auto pv = static_cast<double>(v_size);
  const auto flop = [&](double pairs) {
    const double per_pair = 2 * (attention.backward ? 3 * qk + 2 * pv : qk + pv);
    return pairs * static_cast<double>(attention.batch) * static_cast<double>(attention.heads) *
           per_pair;
  };
  const auto q = static_cast<double>(queries);
  const auto k = static_cast<double>(keys);
  WorkAnnotation work = modeled_work(name, "attention", 0, bytes, precision);
  work.shape = std::to_string(batch) + 'x' + std::to_string(heads) + 'x' + std::to_string(queries) +
               'x' + std::to_string(keys) + 'x' + std::to_string(qk_size);
  switch (mask) {
    case AttentionMask::none:
      work.flop = flop(q * k);
      break;
    case AttentionMask::causal:
      work.flop = flop(causal_pairs(q, k));
      work.shape += ",causal";
      break;
    case AttentionMask::tensor:
      work.flop = flop(q * k);
      // Only for a square: with fewer queries than keys, a mask is aligned in several ways.
      if (queries == keys) work.causal_flop = flop(causal_pairs(q, k));
      work.shape += ",mask";
      break;
    case AttentionMask::unknown:
      break;
  }
  return work;
}

}  // namespace mansard::kernels
