// SPDX-License-Identifier: Apache-2.0
// A scoped NVTX range on the calling thread, visible to any attached NVTX tool. A build without the
// NVTX headers (part of the CUDA toolkit) calls Mansard's collector directly if the environment
// names it. Without a tool a range costs one branch.
#pragma once

#include <string>

#include "kernels/annotation/work_annotation.h"

namespace mansard::kernels {

class AnnotatedRange {
 public:
  explicit AnnotatedRange(const char* text);
  explicit AnnotatedRange(const std::string& text) : AnnotatedRange(text.c_str()) {}
  explicit AnnotatedRange(const WorkAnnotation& work) : AnnotatedRange(to_text(work)) {}
  ~AnnotatedRange();
  AnnotatedRange(const AnnotatedRange&) = delete;
  AnnotatedRange& operator=(const AnnotatedRange&) = delete;
};

}  // namespace mansard::kernels
