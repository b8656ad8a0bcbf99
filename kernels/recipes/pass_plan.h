// SPDX-License-Identifier: Apache-2.0
// One pass of a layer as a list of operations, each with an annotation that states its work.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/annotation/work_annotation.h"
#include "kernels/recipes/backend.h"

namespace mansard::kernels {

enum class Pass { fprop, dgrad, wgrad };
inline constexpr std::array kPasses = {Pass::fprop, Pass::dgrad, Pass::wgrad};
std::string_view to_string(Pass pass);

// The micro-batch of a step that a pass processes. The first one quantizes the weights and
// overwrites their gradients; later ones reuse the weights and accumulate into the gradients.
enum class MicroBatch { first, later };
inline constexpr std::array kMicroBatches = {MicroBatch::first, MicroBatch::later};

struct Operation {
  std::string annotation;  // text of the enclosing range, built once
  WorkAnnotation work;
  std::function<void()> run;
};

struct PassPlan {
  std::vector<Operation> operations;
  GemmProblem gemm;  // the last operation

  double flop() const;
  double bytes() const;  // total of the operations at the backend's traffic level
};

// Collects the operations of one pass.
class PassBuilder {
 public:
  // `workspace`: scratch memory for the GEMM.
  PassBuilder(Backend& on, void* workspace) : backend(on), workspace_(workspace) {}

  // An operation without FLOPs; `precision` is the format that it writes or reads.
  void add(std::string name, std::string operation_class, Precision precision, Shape shape,
           std::int64_t bytes, std::function<void()> run);

  PassPlan finish(const GemmProblem& gemm) &&;
  // Without a GEMM.
  std::vector<Operation> finish() && { return std::move(operations_); }

  Backend& backend;

 private:
  void* workspace_;
  std::vector<Operation> operations_;
};

}  // namespace mansard::kernels
