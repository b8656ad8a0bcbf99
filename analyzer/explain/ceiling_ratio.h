// SPDX-License-Identifier: Apache-2.0
// R = baseline / ideal: the ratio of two compute ceilings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/explain/converted_gemms.h"

namespace mansard::analysis {

struct CeilingRatio {
  double value = 1;
  std::string source;           // where `value` comes from, as text
  bool different_gpus = false;  // GPU names or machine models differ
  // No GEMM is converted, but the GPUs differ: the ratio applies to every GEMM.
  bool all_gemms = false;
  std::vector<std::string> notes;
};

// Returns the ceiling for GEMMs of this precision, or nullptr if the model has none.
const roofline::Ceiling* gemm_ceiling(const RunAnalysis& run, Precision precision);

// Returns `given` if it is set. Otherwise, the ratio of
// - the ceilings of the two precisions, if GEMMs were converted;
// - the ceilings of the two GPUs in the baseline's precision, if only the GPUs differ;
// - 1 in all other cases.
// Throws std::invalid_argument if the ceiling of a converted precision is missing.
CeilingRatio ceiling_ratio(const RunAnalysis& baseline, const RunAnalysis& candidate,
                           const ConvertedGemms& gemms, std::optional<double> given);

}  // namespace mansard::analysis
