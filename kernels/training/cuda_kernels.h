// SPDX-License-Identifier: Apache-2.0
// Launches of the operations that are limited by memory bandwidth. Vectors of 8 elements are read
// at a time, so columns must be a multiple of 8 and pointers aligned to 16 bytes. Include only in
// files that are compiled with MANSARD_HAVE_CUDA == 1.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/annotation/range.h"
#include "kernels/training/operation_types.h"

namespace mansard::kernels {

// The work of one kernel, for a range around it within an operation that launches several.
inline WorkAnnotation kernel_work(const char* name, const char* operation_class, double hbm_bytes,
                                  Precision precision) {
  WorkAnnotation work;
  work.name = name;
  work.operation_class = operation_class;
  work.bytes[MemoryLevel::hbm] = hbm_bytes;
  work.precision = precision;
  return work;
}

// elementwise.cu
void launch(const ClearAmax& o, cudaStream_t stream);
void launch(const EmbeddingForward& o, cudaStream_t stream);
void launch(const EmbeddingBackward& o, cudaStream_t stream);
void launch(const Rope& o, cudaStream_t stream);
void launch(const SwigluForward& o, cudaStream_t stream);
void launch(const SwigluBackward& o, cudaStream_t stream);
void launch(const GeluForward& o, cudaStream_t stream);
void launch(const GeluBackward& o, cudaStream_t stream);
void launch(const BiasForward& o, cudaStream_t stream);

// norm.cu: at most 16,384 columns.
void launch(const NormForward& o, cudaStream_t stream);
void launch(const NormBackward& o, cudaStream_t stream);
void launch(const BiasBackward& o, cudaStream_t stream);

// loss.cu
void launch(const CrossEntropy& o, cudaStream_t stream);

// optimizer.cu
void launch(const Sum& o, cudaStream_t stream);
void launch(const AdamW& o, cudaStream_t stream);

// replicas.cu
void launch(const CopyWeights& o, cudaStream_t stream);
void launch(const ScaleWeights& o, cudaStream_t stream);
void launch(const ElasticStep& o, cudaStream_t stream);
void launch(const CenterStep& o, cudaStream_t stream);
void launch(const BlockUpdate& o, cudaStream_t stream);

}  // namespace mansard::kernels
