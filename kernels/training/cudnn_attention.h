// SPDX-License-Identifier: Apache-2.0
// Attention with cuDNN's graph interface. cuDNN is loaded when the first graph needs it, so that
// everything else works without it. Include only in files that are compiled with MANSARD_HAVE_CUDNN
// == 1.
#pragma once

#include <memory>
#include <string>

#include <cuda_runtime_api.h>

#include "kernels/training/operation_types.h"

namespace mansard::kernels {

class CudnnAttention {
 public:
  // Builds the forward and the backward graph of the shape, with workspace on the current device.
  // The forward pass gives the same bits for the same input. The backward pass does so if
  // `deterministic`, with additional workspace of 2 * batch * heads * sequence^2 bytes (tested on
  // compute capability 9.0; on 10.x, cuDNN may choose an engine that does not). Otherwise it sums
  // the gradient of Q in the order in which thread blocks run.
  // Throws std::runtime_error with cuDNN's reason if the library cannot be loaded or is too old, or
  // if no engine supports the shape.
  CudnnAttention(const AttentionShape& shape, cudaStream_t stream, bool deterministic);
  ~CudnnAttention();
  CudnnAttention(const CudnnAttention&) = delete;
  CudnnAttention& operator=(const CudnnAttention&) = delete;

  // "cuDNN 9.19.0": the version loaded at run time.
  static std::string name();

  // Enqueue on the stream; can be captured in a CUDA graph. The operation must have the shape of
  // the constructor. AttentionBackward::scratch is not used.
  void run(const AttentionForward& o);
  void run(const AttentionBackward& o);

 private:
  struct Graphs;
  std::unique_ptr<Graphs> graphs_;
};

}  // namespace mansard::kernels
