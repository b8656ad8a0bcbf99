// SPDX-License-Identifier: Apache-2.0
// The work of the fusions of an XLA module, from the text of its optimized HLO, as XLA writes it
// with --xla_dump_to ("module_0034.jit_step.sm_9.0a_gpu_after_optimizations.txt").
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "kernels/annotation/work_annotation.h"

namespace mansard::kernels {

// By the name of the fusion instruction ("gemm_fusion_dot.58"), each of which is a kernel: 2 M N K
// FLOPs per dot, and the bytes of its operands and results, each read or written once; of operands
// that are only sliced or gathered from, those that are taken. Other instructions call libraries,
// whose calls are recorded with their work, or launch nothing. Lines that cannot be parsed are
// skipped.
std::map<std::string, WorkAnnotation, std::less<>> work_of_hlo(std::string_view module_text);

}  // namespace mansard::kernels
