// SPDX-License-Identifier: Apache-2.0
// Builds cuDNN plans as programs do: creates, sets and finalizes descriptors.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "collector/interposers/cudnn_graph.h"
#include "kernels/annotation/work_annotation.h"

namespace mansard::test {

namespace cudnn = collector::cudnn;
using collector::CudnnPlans;

class CudnnCalls {
 public:
  using Descriptor = cudnn::Descriptor;
  using Sizes = std::vector<std::int64_t>;
  CudnnPlans plans;

  Descriptor create(int kind) {
    const auto descriptor = reinterpret_cast<Descriptor>(all_.size() + 1);
    all_.push_back(descriptor);
    plans.create(descriptor, kind);
    return descriptor;
  }
  const std::vector<Descriptor>& all() const { return all_; }

  // A tensor in memory.
  Descriptor tensor(const Sizes& sizes, const Sizes& strides = {}, int type = cudnn::kBfloat16) {
    return make_tensor(sizes, strides, type, false);
  }
  // The result of an operation that only another one reads.
  Descriptor between(const Sizes& sizes, int type = cudnn::kFloat) {
    return make_tensor(sizes, {}, type, true);
  }

  Descriptor operation(int kind, const std::vector<std::pair<int, Descriptor>>& operands) {
    const Descriptor made = create(kind);
    for (const auto& [attribute, operand] : operands) link(made, attribute, {operand});
    plans.finalize(made);
    return made;
  }

  Descriptor matmul(Descriptor a, Descriptor b, Descriptor c,
                    std::vector<std::pair<int, Descriptor>> more = {}) {
    more.insert(more.end(), {{cudnn::kMatmulA, a}, {cudnn::kMatmulB, b}, {cudnn::kMatmulC, c}});
    return operation(cudnn::kMatmulOperation, more);
  }

  // `tensors`: X, B (may be null) and Y.
  Descriptor pointwise(int mode, const std::vector<Descriptor>& tensors, std::int64_t axis = -1) {
    const Descriptor descriptor = create(cudnn::kPointwise);
    plans.set(descriptor, cudnn::kPointwiseMode, cudnn::kTypePointwiseMode, 1, &mode);
    if (axis >= 0) plans.set(descriptor, cudnn::kPointwiseAxis, cudnn::kTypeInt64, 1, &axis);
    std::vector<std::pair<int, Descriptor>> operands = {{cudnn::kPointwiseDescriptor, descriptor},
                                                        {cudnn::kPointwiseX, tensors[0]},
                                                        {cudnn::kPointwiseY, tensors[2]}};
    if (tensors[1] != nullptr) operands.emplace_back(cudnn::kPointwiseB, tensors[1]);
    return operation(cudnn::kPointwiseOperation, operands);
  }

  // A plan whose engine configuration a heuristic chose.
  Descriptor plan(const std::vector<Descriptor>& operations) {
    const Descriptor graph = create(cudnn::kOperationGraph);
    link(graph, cudnn::kGraphOperations, operations);
    plans.finalize(graph);
    const Descriptor heuristic = create(cudnn::kHeuristic);
    link(heuristic, cudnn::kHeuristicGraph, {graph});
    const Descriptor config = create(cudnn::kEngineConfig);
    plans.got(heuristic, cudnn::kHeuristicResults, cudnn::kTypeDescriptor, 1, &config);
    plans.destroy(heuristic);
    const Descriptor made = create(cudnn::kPlan);
    link(made, cudnn::kPlanEngineConfig, {config});
    return made;
  }

  kernels::WorkAnnotation work_of(Descriptor plan) const {
    return kernels::parse_work_annotation(plans.text_of(plan)).value();
  }

 private:
  void link(Descriptor from, int attribute, const std::vector<Descriptor>& to) {
    plans.set(from, attribute, cudnn::kTypeDescriptor, static_cast<std::int64_t>(to.size()),
              to.data());
  }

  Descriptor make_tensor(const Sizes& sizes, const Sizes& strides, int type, bool is_virtual) {
    const Descriptor made = create(cudnn::kTensor);
    const auto rank = static_cast<std::int64_t>(sizes.size());
    plans.set(made, cudnn::kTensorSizes, cudnn::kTypeInt64, rank, sizes.data());
    if (!strides.empty()) {
      plans.set(made, cudnn::kTensorStrides, cudnn::kTypeInt64, rank, strides.data());
    }
    const auto id = static_cast<std::int64_t>(all_.size());
    plans.set(made, cudnn::kTensorId, cudnn::kTypeInt64, 1, &id);
    plans.set(made, cudnn::kTensorType, cudnn::kTypeDataType, 1, &type);
    plans.set(made, cudnn::kTensorIsVirtual, cudnn::kTypeBoolean, 1, &is_virtual);
    return made;
  }

  std::vector<Descriptor> all_;
};

}  // namespace mansard::test
