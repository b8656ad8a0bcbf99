// SPDX-License-Identifier: Apache-2.0
#include "kernels/recipes/pass_plan.h"

namespace mansard::kernels {

std::string_view to_string(Pass pass) {
  constexpr std::array<std::string_view, kPasses.size()> kNames = {"fprop", "dgrad", "wgrad"};
  return kNames[static_cast<std::size_t>(pass)];
}

double PassPlan::flop() const {
  double sum = 0;
  for (const Operation& operation : operations) sum += operation.work.flop;
  return sum;
}

double PassPlan::bytes() const {
  double sum = 0;
  for (const Operation& operation : operations) {
    for (const auto& [level, bytes] : operation.work.bytes) sum += bytes;
  }
  return sum;
}

void PassBuilder::add(std::string name, std::string operation_class, Precision precision,
                      Shape shape, std::int64_t bytes, std::function<void()> run) {
  WorkAnnotation work;
  work.name = std::move(name);
  work.bytes[backend.traffic_level()] = static_cast<double>(bytes);
  work.precision = precision;
  work.operation_class = std::move(operation_class);
  work.shape = std::to_string(shape.rows) + "x" + std::to_string(shape.cols);
  operations_.push_back({to_text(work), work, std::move(run)});
}

PassPlan PassBuilder::finish(const GemmProblem& p) && {
  WorkAnnotation work;
  work.name = "gemm";
  work.flop = p.flop();
  work.bytes[backend.traffic_level()] = p.compulsory_bytes();
  work.precision = backend.gemm_precision(p);
  work.operation_class = "gemm";
  work.shape = std::to_string(p.m) + "x" + std::to_string(p.n) + "x" + std::to_string(p.k);
  operations_.push_back({to_text(work), work, backend.prepare_gemm(p, workspace_)});
  return {std::move(operations_), p};
}

}  // namespace mansard::kernels
