// SPDX-License-Identifier: Apache-2.0
// Finds the baseline GEMMs that the candidate runs in a lower precision.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/explain/run_parts.h"

namespace mansard::analysis {

struct ConvertedGemms {
  std::optional<Precision> baseline;   // precision of most of the baseline's GEMM time
  std::optional<Precision> candidate;  // of most of the converted GEMMs' time; unset: none is
  std::vector<KernelPart> converted;   // candidate's GEMMs in lower precision
  std::vector<KernelPart> kept;        // candidate's other GEMMs
  // The baseline's GEMMs, split into converted and kept parts; both together are all GEMMs.
  std::vector<KernelPart> baseline_converted;
  std::vector<KernelPart> baseline_kept;
  std::string note;  // assumption that was needed; may be empty
};

// A kernel with the same name, grid, block and shared memory in both runs is kept. The remaining
// high-precision FLOPs of the candidate are assigned proportionally to the baseline's other GEMMs.
ConvertedGemms convert_gemms(const std::vector<KernelPart>& baseline,
                             const std::vector<KernelPart>& candidate);

}  // namespace mansard::analysis
