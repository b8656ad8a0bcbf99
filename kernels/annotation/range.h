// SPDX-License-Identifier: Apache-2.0
// Scoped NVTX ranges and marks on the calling thread, visible to any attached NVTX tool. A build
// without the NVTX headers (part of the CUDA toolkit) calls Mansard's collector directly if the
// environment names it. Without a tool a range costs one branch.
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

// Whether an NVTX tool receives ranges and marks.
bool annotation_tool_attached();

// An NVTX mark: an annotated point in time.
void annotate_mark(const std::string& text);

}  // namespace mansard::kernels
