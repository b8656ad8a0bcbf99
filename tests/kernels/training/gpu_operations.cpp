// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernels/training/operations.h"
#include "tests/kernels/training/operation_checks.h"

namespace mansard::kernels {
namespace {

class GpuOperations : public testing::Test {
 protected:
  Backend& backend() { return *backend_; }

 private:
  std::unique_ptr<Backend> backend_ = make_cuda_backend(cuda_devices().front());
};

TEST_F(GpuOperations, EmbeddingMatchesFp64) {
  check_embedding(backend(), false);
  check_embedding(backend(), true);
}

TEST_F(GpuOperations, NormsMatchFp64) {
  // One, several and many vectors per thread; rows of one warp and of several.
  for (const std::int64_t cols : {48, 272, 768, 1600, 5120, 8192, 16384}) {
    check_norm(backend(), Norm::rms, cols);
    check_norm(backend(), Norm::layer, cols);
  }
}

TEST_F(GpuOperations, RopeMatchesFp64) { check_rope(backend()); }

// With cuDNN where it is installed, and with Mansard's kernels.
TEST_F(GpuOperations, AttentionMatchesFp64) {
  for (const OperationOptions& options :
       {OperationOptions{false, false}, OperationOptions{true, false},
        OperationOptions{true, true}}) {
    for (const std::int64_t size : {64, 128}) {
      for (const std::int64_t sequence : {1, 17, 64, 128}) {
        check_attention(backend(), {2, sequence, 4, 2, size}, options);
      }
      check_attention(backend(), {1, 257, 3, 3, size}, options);
      check_attention(backend(), {1, 96, 6, 1, size}, options);
    }
  }
}

TEST_F(GpuOperations, ActivationsMatchFp64) {
  check_swiglu(backend());
  check_gelu(backend());
  check_bias(backend());
}

TEST_F(GpuOperations, AmaxIsThatOfASeparatePass) { check_amax(backend()); }

TEST_F(GpuOperations, LossMatchesFp64) {
  check_cross_entropy(backend(), 37, 128);
  check_cross_entropy(backend(), 1000, 1024);
  check_cross_entropy(backend(), 50257, 50304);
}

TEST_F(GpuOperations, OptimizerMatchesFp64) {
  for (const std::int64_t count : {3, 4096, 5000001}) check_sum(backend(), count);
  check_adamw(backend());
}

TEST_F(GpuOperations, OperationsOnReplicasMatchFp64) { check_replica_operations(backend()); }

}  // namespace
}  // namespace mansard::kernels
