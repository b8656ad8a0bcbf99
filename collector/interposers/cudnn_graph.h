// SPDX-License-Identifier: Apache-2.0
// The work of cuDNN's execution plans. A plan is made of an operation graph through descriptors,
// which the program creates, sets and destroys in any order: operations refer to tensors, a graph
// to operations, and engines, heuristics, configurations and plans to the graph.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "collector/interposers/cudnn_abi.h"

namespace mansard::collector {

// A descriptor, as far as the program has set it.
struct CudnnNode {
  struct Child {
    int attribute;
    std::shared_ptr<const CudnnNode> node;
  };

  int kind = -1;
  std::vector<std::int64_t> sizes;  // of a tensor
  std::vector<std::int64_t> strides;
  std::int64_t vector_count = 1;
  std::int64_t id = 0;
  int type = -1;  // cudnn::DataType
  bool is_virtual = false;
  int mode = -1;  // cudnn::PointwiseMode
  int axis = -1;
  std::vector<Child> children;  // of operations and graphs
  // The text of the range around calls that execute it; null before its graph is finalized.
  std::shared_ptr<const std::string> work;

  const CudnnNode* child(int attribute) const;
};

// The range of a graph's execution (kernels/annotation/work_annotation.h), empty if unknown. Known
// are FLOPs of matrix products, attention and convolutions, and of any graph the bytes of its
// tensors in memory, each counted once.
std::string text_of_graph(const CudnnNode& graph);

// Follows the calls that build plans. Each function is called after cuDNN's own has succeeded.
// Safe to call from any thread; throws only std::bad_alloc.
class CudnnPlans {
 public:
  void create(cudnn::Descriptor descriptor, int kind);
  void set(cudnn::Descriptor descriptor, int attribute, int type, std::int64_t count,
           const void* elements);
  // Descriptors that cuDNN filled, which are the engine configurations of a heuristic, or the text
  // of a plan. XLA builds a plan, keeps its text and makes the plan from it that is executed.
  void got(cudnn::Descriptor descriptor, int attribute, int type, std::int64_t count,
           const void* elements);
  void finalize(cudnn::Descriptor descriptor);
  void destroy(cudnn::Descriptor descriptor);

  std::string text_of(cudnn::Descriptor plan) const;

 private:
  using Node = std::shared_ptr<CudnnNode>;
  Node find(cudnn::Descriptor descriptor) const;

  mutable std::mutex mutex_;
  std::unordered_map<cudnn::Descriptor, Node> nodes_;
  // By hash of a plan's text, which contains its code.
  std::unordered_map<std::size_t, std::shared_ptr<const std::string>> work_of_text_;
};

}  // namespace mansard::collector
