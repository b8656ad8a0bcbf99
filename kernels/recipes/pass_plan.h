// SPDX-License-Identifier: Apache-2.0
// One pass of a layer as a list of operations, each with the annotation that says what it computes
// and moves.
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

// Which micro-batch of a step a pass works on. The first one quantizes the weights and overwrites
// their gradients; those after it use the same weights and add to the gradients.
enum class MicroBatch { first, later };
inline constexpr std::array kMicroBatches = {MicroBatch::first, MicroBatch::later};

struct Operation {
  std::string annotation;  // text of the range around it, made once
  WorkAnnotation work;
  std::function<void()> run;
};

struct PassPlan {
  std::vector<Operation> operations;
  GemmProblem gemm;  // the last of them

  double flop() const;
  double bytes() const;  // at the backend's traffic level, the sum over the operations
};

// Collects the operations of one pass.
class PassBuilder {
 public:
  // `workspace` is for the GEMM.
  PassBuilder(Backend& on, void* workspace) : backend(on), workspace_(workspace) {}

  // An operation that counts no FLOP; `precision` is of the format that it makes or reads.
  void add(std::string name, std::string operation_class, Precision precision, Shape shape,
           std::int64_t bytes, std::function<void()> run);

  PassPlan finish(const GemmProblem& gemm) &&;

  Backend& backend;

 private:
  void* workspace_;
  std::vector<Operation> operations_;
};

}  // namespace mansard::kernels
