// SPDX-License-Identifier: Apache-2.0
// A scoped range of the calling thread, seen by whichever NVTX tool is attached. A build without
// NVTX's headers (they come with the CUDA toolkit) speaks to Mansard's collector directly when the
// environment names it; with no tool attached a range costs one branch.
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
