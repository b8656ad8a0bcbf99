// SPDX-License-Identifier: Apache-2.0
#include "kernels/training/operations.h"

#include "kernels/annotation/attention_work.h"
#include "kernels/recipes/backend.h"
#include "kernels/training/cpu_operations.h"
#include "kernels/training/cuda_operations.h"

namespace mansard::kernels {
namespace {

WorkAnnotation work_of(const char* name, const AttentionShape& shape, bool backward, double bytes,
                       MemoryLevel level) {
  Attention attention;
  attention.batch = shape.batch;
  attention.heads = shape.heads;
  attention.queries = attention.keys = shape.sequence;
  attention.qk_size = attention.v_size = shape.head_size;
  attention.mask = AttentionMask::causal;
  attention.backward = backward;
  attention.precision = Precision::bf16;
  WorkAnnotation work = attention_work(name, attention).value();
  work.bytes = {{level, bytes}};
  work.modeled = false;
  return work;
}

double rows_of(const AttentionShape& shape) { return static_cast<double>(shape.rows()); }

}  // namespace

// Q, K and V are read, the output and 4 bytes of statistics per head are written.
WorkAnnotation work_of(const AttentionForward& o, MemoryLevel level) {
  const AttentionShape& s = o.shape;
  const auto row = static_cast<double>(2 * (s.qkv_cols() + s.out_cols()) + 4 * s.heads);
  return work_of("attention", s, false, rows_of(s) * row, level);
}

// Q, K, V, the output, its gradient and the statistics are read, three gradients are written.
WorkAnnotation work_of(const AttentionBackward& o, MemoryLevel level) {
  const AttentionShape& s = o.shape;
  const auto row = static_cast<double>(4 * (s.qkv_cols() + s.out_cols()) + 4 * s.heads);
  return work_of("attention backward", s, true, rows_of(s) * row, level);
}

std::unique_ptr<Operations> make_operations(Backend& backend, const OperationOptions& options) {
  void* const stream = backend.cuda_stream();
  return stream == nullptr ? make_cpu_operations() : make_cuda_operations(stream, options);
}

}  // namespace mansard::kernels
