// SPDX-License-Identifier: Apache-2.0
// The operations of a stream, captured once and launched as a whole.
#pragma once

#include <functional>

#include <cuda_runtime_api.h>

namespace mansard::kernels {

class CudaGraph {
 public:
  // Captures the operations that `enqueue` enqueues on `stream`, without executing them. `enqueue`
  // must not allocate, synchronize or use the legacy default stream; CUDA then fails with the
  // reason. One-time work of a first launch (loading kernels) must have happened before.
  CudaGraph(cudaStream_t stream, const std::function<void()>& enqueue);
  ~CudaGraph();
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  void launch(cudaStream_t stream) const;

 private:
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace mansard::kernels
