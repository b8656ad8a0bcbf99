// SPDX-License-Identifier: Apache-2.0
// A CUDA graph of consecutive kernels, uploaded to the device.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/device/cuda_check.h"

namespace mansard::kernels {

class KernelChain {
 public:
  // Every node runs `kernel` with one thread and the argument `count`.
  KernelChain(const void* kernel, int nodes, unsigned* count) {
    cuda_check(cudaGraphCreate(&graph_, 0), "create a graph");
    void* arguments[] = {&count};  // copied into each node
    cudaKernelNodeParams node{};
    node.func = const_cast<void*>(kernel);
    node.gridDim = dim3(1);
    node.blockDim = dim3(1);
    node.kernelParams = arguments;
    cudaGraphNode_t last = nullptr;
    for (int i = 0; i < nodes; ++i) {
      cudaGraphNode_t next = nullptr;
      cuda_check(
          cudaGraphAddKernelNode(&next, graph_, i > 0 ? &last : nullptr, i > 0 ? 1 : 0, &node),
          "add a kernel to a graph");
      last = next;
    }
    cuda_check(cudaGraphInstantiate(&executable_, graph_, 0), "instantiate a graph");
    cuda_check(cudaGraphUpload(executable_, nullptr), "upload a graph");
    cuda_check(cudaStreamSynchronize(nullptr), "upload a graph");
  }
  ~KernelChain() {
    if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
    if (graph_ != nullptr) cudaGraphDestroy(graph_);
  }
  KernelChain(const KernelChain&) = delete;
  KernelChain& operator=(const KernelChain&) = delete;

  cudaError_t launch(cudaStream_t stream) const { return cudaGraphLaunch(executable_, stream); }

 private:
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace mansard::kernels
