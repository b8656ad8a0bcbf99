// SPDX-License-Identifier: Apache-2.0
// FLOPs and least bytes of a tensor operation, modeled from the shapes and types of its arguments
// as a framework or a library call states them. Nothing here was measured: bytes are those of each
// operand read or written once, so they are a lower bound on the traffic in device memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/annotation/work_annotation.h"

namespace mansard::kernels {

// An argument of an operation. Sizes of a tensor; `value` is the text of any other argument
// ("True", "[1, 1]"), empty if it was not recorded.
struct OperationArgument {
  std::vector<std::int64_t> sizes;
  std::string type;
  std::string value;
};

// The work of an operation of PyTorch ("aten::addmm"), with its arguments in the order of its
// schema: matrix products, convolutions, attention (forward and backward), and operations that are
// limited by memory. Operations that only call others ("aten::linear") have none, so that nested
// operations are not counted twice. Sources of the schemas: native_functions.yaml of PyTorch and
// the bindings of flash-attn. std::nullopt: unknown operation, or arguments that do not fit.
std::optional<WorkAnnotation> operation_work(std::string_view operation,
                                             std::span<const OperationArgument> arguments);

// The work of a range of torch.autograd.profiler.emit_nvtx(record_shapes=True): "aten::mm, op_id =
// 12, sizes = [[4096, 2048], [2048, 8192]]". It states no types, so only FLOPs are known.
// std::nullopt: other text, or an operation without known FLOPs.
std::optional<WorkAnnotation> operation_text_work(std::string_view text);

// The work that the text of a range states (work_annotation.h), or else that of its shapes.
inline std::optional<WorkAnnotation> work_of_text(std::string_view text) {
  const auto stated = parse_work_annotation(text);
  return stated ? stated : operation_text_work(text);
}

}  // namespace mansard::kernels
