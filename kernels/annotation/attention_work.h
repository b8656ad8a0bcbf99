// SPDX-License-Identifier: Apache-2.0
// FLOPs of scaled dot-product attention, softmax(Q K^T) V, modeled from the sizes of its operands.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "kernels/annotation/work_annotation.h"

namespace mansard::kernels {

// Which pairs of a query and a key the call asks for.
enum class AttentionMask {
  none,     // all pairs
  causal,   // query i sees the keys up to i
  tensor,   // added to the scores: all pairs are computed, whatever the tensor holds
  unknown,  // a sliding window, padded sequences, or an unrecorded flag
};

// Q is batch x heads x queries x qk_size, K is keys x qk_size per head, V keys x v_size.
struct Attention {
  std::int64_t batch = 0;
  std::int64_t heads = 0;  // of Q
  std::int64_t queries = 0;
  std::int64_t keys = 0;
  std::int64_t qk_size = 0;
  std::int64_t v_size = 0;
  AttentionMask mask = AttentionMask::unknown;
  bool backward = false;
  double bytes = 0;  // of all operands and results
  std::optional<Precision> precision;
};

// Forward: Q K^T and P V, 2 (qk_size + v_size) FLOPs per pair. Backward: Q K^T again, dV, dP, dQ
// and dK, 2 (3 qk_size + 2 v_size) FLOPs. FLOPs are 0 (unknown) with an unknown mask. Class
// "attention", shape "BATCHxHEADSxQUERIESxKEYSxSIZE". std::nullopt if a size is not positive.
std::optional<WorkAnnotation> attention_work(std::string_view name, const Attention& attention);

}  // namespace mansard::kernels
