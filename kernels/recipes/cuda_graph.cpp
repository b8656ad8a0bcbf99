// SPDX-License-Identifier: Apache-2.0
#if MANSARD_HAVE_CUBLASLT

#include "kernels/recipes/cuda_graph.h"

#include <memory>

#include "kernels/device/cuda_check.h"

namespace mansard::kernels {
namespace {

using Graph = std::unique_ptr<CUgraph_st, cudaError_t (*)(cudaGraph_t)>;

// Always end the capture; otherwise the stream would stay unusable.
Graph capture(cudaStream_t stream, const std::function<void()>& enqueue) {
  // Other threads, including a profiler's, may allocate during the capture.
  cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
             "begin graph capture");
  cudaGraph_t graph = nullptr;
  try {
    enqueue();
  } catch (...) {
    cudaStreamEndCapture(stream, &graph);
    if (graph != nullptr) cudaGraphDestroy(graph);
    throw;
  }
  cuda_check(cudaStreamEndCapture(stream, &graph), "capture a graph");
  return Graph(graph, cudaGraphDestroy);
}

}  // namespace

CudaGraph::CudaGraph(cudaStream_t stream, const std::function<void()>& enqueue) {
  const Graph graph = capture(stream, enqueue);
  cuda_check(cudaGraphInstantiate(&executable_, graph.get(), 0), "instantiate a graph");
  // Otherwise the first launch would pay for the upload.
  const cudaError_t uploaded = cudaGraphUpload(executable_, stream);
  if (uploaded != cudaSuccess) cudaGraphExecDestroy(executable_);
  cuda_check(uploaded, "upload a graph");
}

CudaGraph::~CudaGraph() { cudaGraphExecDestroy(executable_); }

void CudaGraph::launch(cudaStream_t stream) const {
  cuda_check(cudaGraphLaunch(executable_, stream), "launch a graph");
}

}  // namespace mansard::kernels

#endif
