// SPDX-License-Identifier: Apache-2.0
// Which of a baseline's GEMMs the candidate runs in a lower precision.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/explain/run_parts.h"

namespace mansard::analysis {

struct ConvertedGemms {
  std::optional<Precision> baseline;   // of most of the baseline's GEMM time
  std::optional<Precision> candidate;  // of most of the converted GEMMs' time; none: none is
  std::vector<KernelPart> converted;   // of the candidate
  std::vector<KernelPart> kept;        // of the candidate: its other GEMMs
  // Of the baseline, each a part of one of its GEMMs: together they are all of them.
  std::vector<KernelPart> baseline_converted;
  std::vector<KernelPart> baseline_kept;
  std::string note;  // what had to be assumed; may be empty
};

// A kernel with the same name, grid, block and shared memory in both runs was kept; of the others
// of the baseline as much was kept, by FLOPs, as the candidate still runs in the high precision.
ConvertedGemms convert_gemms(const std::vector<KernelPart>& baseline,
                             const std::vector<KernelPart>& candidate);

}  // namespace mansard::analysis
