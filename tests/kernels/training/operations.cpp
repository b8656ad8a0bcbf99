// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/kernels/training/operation_checks.h"

namespace mansard::kernels {
namespace {

TEST(CpuOperations, MatchFp64) {
  const auto backend = make_cpu_backend();
  check_embedding(*backend, false);
  check_embedding(*backend, true);
  for (const std::int64_t cols : {48, 272}) {
    check_norm(*backend, Norm::rms, cols);
    check_norm(*backend, Norm::layer, cols);
  }
  check_rope(*backend);
  for (const auto& shape : {AttentionShape{2, 9, 2, 2, 16}, AttentionShape{1, 20, 4, 2, 32},
                            AttentionShape{1, 1, 3, 1, 8}}) {
    check_attention(*backend, shape);
  }
  check_swiglu(*backend);
  check_gelu(*backend);
  check_bias(*backend);
  check_amax(*backend);
  check_cross_entropy(*backend, 37, 128);
  check_cross_entropy(*backend, 1000, 1024);
  check_sum(*backend, 3);
  check_sum(*backend, 100000);
  check_adamw(*backend);
  check_replica_operations(*backend);
}

}  // namespace
}  // namespace mansard::kernels
