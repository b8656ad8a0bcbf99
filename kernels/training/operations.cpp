// SPDX-License-Identifier: Apache-2.0
#include "kernels/training/operations.h"

#include <cmath>

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

// Base of the angles of Llama 3's rotary embedding (arXiv 2407.21783, section 3.2).
constexpr double kRopeBase = 500000;

}  // namespace

std::vector<float> rope_table(const AttentionShape& shape) {
  const std::int64_t half = shape.head_size / 2;
  std::vector<float> table;
  table.reserve(static_cast<std::size_t>(2 * shape.sequence * half));
  for (std::int64_t position = 0; position < shape.sequence; ++position) {
    for (std::int64_t i = 0; i < half; ++i) {
      const double angle = static_cast<double>(position) *
                           std::pow(kRopeBase, -static_cast<double>(i) / static_cast<double>(half));
      table.push_back(static_cast<float>(std::cos(angle)));
      table.push_back(static_cast<float>(std::sin(angle)));
    }
  }
  return table;
}

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
