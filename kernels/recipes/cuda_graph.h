// SPDX-License-Identifier: Apache-2.0
// Work of a stream, captured once and launched as a whole.
#pragma once

#include <functional>

#include <cuda_runtime_api.h>

namespace mansard::kernels {

class CudaGraph {
 public:
  // Captures what `enqueue` puts on `stream`, which executes none of it. That must neither
  // allocate, synchronize nor touch the legacy default stream: CUDA then fails with the reason.
  // What only a first launch does (loading kernels) must have happened before.
  CudaGraph(cudaStream_t stream, const std::function<void()>& enqueue);
  ~CudaGraph();
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  void launch(cudaStream_t stream) const;

 private:
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace mansard::kernels
