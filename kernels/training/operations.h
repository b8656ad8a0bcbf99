// SPDX-License-Identifier: Apache-2.0
// Runs the operations of a transformer on the CPU or on a CUDA device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/annotation/range.h"
#include "kernels/training/operation_types.h"

namespace mansard::kernels {

class Backend;

// Work of an operation, with traffic at `level`.
template <class Operation>
WorkAnnotation work_of(const Operation& o, MemoryLevel level) {
  WorkAnnotation work;
  work.name = Operation::kName;
  work.operation_class = Operation::kClass;
  work.bytes[level] = o.bytes();
  const Shape size = o.size();
  work.shape = std::to_string(size.rows) + "x" + std::to_string(size.cols);
  work.precision = Operation::kPrecision;
  return work;
}
WorkAnnotation work_of(const AttentionForward& o, MemoryLevel level);
WorkAnnotation work_of(const AttentionBackward& o, MemoryLevel level);

// Rope::table with the angles of Llama 3.
std::vector<float> rope_table(const AttentionShape& shape);

// Runs operations where the tensors are, on the backend's stream.
class Operations {
 public:
  explicit Operations(MemoryLevel traffic_level) : level_(traffic_level) {}
  virtual ~Operations() = default;

  // Runs an operation within a range that states its work.
  template <class Operation>
  void operator()(const Operation& o) {
    const AnnotatedRange range(work_of(o, level_));
    run(o);
  }

  // Throws std::invalid_argument with the reason if the device has no attention of this shape. Call
  // before the first operation with the shape.
  virtual void prepare_attention(const AttentionShape& shape) = 0;
  // Whether AttentionForward supports `amax`.
  virtual bool attention_finds_amax() const = 0;
  virtual std::int64_t attention_scratch_bytes(const AttentionShape& shape) const = 0;
  // The implementation of attention in use: "cuDNN 9.19.0", "kernel of Mansard".
  virtual std::string attention_name() const = 0;

 protected:
  virtual void run(const EmbeddingForward& o) = 0;
  virtual void run(const EmbeddingBackward& o) = 0;
  virtual void run(const ClearAmax& o) = 0;
  virtual void run(const NormForward& o) = 0;
  virtual void run(const NormBackward& o) = 0;
  virtual void run(const Rope& o) = 0;
  virtual void run(const AttentionForward& o) = 0;
  virtual void run(const AttentionBackward& o) = 0;
  virtual void run(const SwigluForward& o) = 0;
  virtual void run(const SwigluBackward& o) = 0;
  virtual void run(const GeluForward& o) = 0;
  virtual void run(const GeluBackward& o) = 0;
  virtual void run(const BiasForward& o) = 0;
  virtual void run(const BiasBackward& o) = 0;
  virtual void run(const CrossEntropy& o) = 0;
  virtual void run(const Sum& o) = 0;
  virtual void run(const AdamW& o) = 0;
  virtual void run(const CopyWeights& o) = 0;
  virtual void run(const ScaleWeights& o) = 0;
  virtual void run(const ElasticStep& o) = 0;
  virtual void run(const CenterStep& o) = 0;
  virtual void run(const BlockUpdate& o) = 0;

 private:
  MemoryLevel level_;
};

struct OperationOptions {
  bool cudnn = true;           // for attention on GPUs, if it is installed
  bool deterministic = false;  // equal bits in every run, at some cost in cuDNN's attention
};

// `backend` must outlive the result.
std::unique_ptr<Operations> make_operations(Backend& backend, const OperationOptions& options = {});

}  // namespace mansard::kernels
