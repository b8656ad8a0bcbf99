// SPDX-License-Identifier: Apache-2.0
// How much faster the ideal is than the baseline: the ratio of two compute ceilings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/explain/converted_gemms.h"

namespace mansard::analysis {

struct CeilingRatio {
  double value = 1;
  std::string source;           // of the value, in words
  bool different_gpus = false;  // other GPU names, or other machine models
  // No GEMM is converted, but the other GPU is faster by this ratio: it applies to every GEMM.
  bool all_gemms = false;
  std::vector<std::string> notes;
};

// The ceiling for GEMMs of this precision; nullptr where the model has none.
const roofline::Ceiling* gemm_ceiling(const RunAnalysis& run, Precision precision);

// `given` overrides the machine models. Without it: converted GEMMs, the ceilings of the two
// precisions; none converted and different GPUs, the ceilings of the two GPUs in the baseline's
// precision; else 1. Throws std::invalid_argument where a ceiling of a converted precision is
// missing.
CeilingRatio ceiling_ratio(const RunAnalysis& baseline, const RunAnalysis& candidate,
                           const ConvertedGemms& gemms, std::optional<double> given);

}  // namespace mansard::analysis
