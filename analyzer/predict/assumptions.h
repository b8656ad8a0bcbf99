// SPDX-License-Identifier: Apache-2.0
// Assumptions of the prediction beyond measured data. Each has a source and an allowed range, and
// can be set.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace mansard::analysis {

struct Assumptions {
  double clock_loss = 0.16;
  double elementwise_hbm = 0.75;
  double fp8_conversion_hbm = 0.70;
  double mxfp8_conversion_hbm = 0.65;
  double nvfp4_conversion_hbm = 0.60;
  double mxfp8_gemm_rate = 0.95;
  double nvfp4_gemm_rate = 1.08;
  double kernel_ramp_s = 4e-6;
  double x86_call_s = 80e-6;
  double grace_call_s = 100e-6;
  double nvlink_reach = 0.75;
  double network_reach = 0.90;
  double layer_overlap = 0.5;
  double nvfp4_tensor_overlap = 0.0;
  double data_overlap = 0.8;
  double gradient_bytes = 2;
  double sharded_gradient_bytes = 4;
  double optimizer_bytes = 28;
  double software_spread = 0.04;
};

struct AssumptionInfo {
  std::string_view name;
  double Assumptions::*value;
  double least;
  double most;
  std::string_view unit;  // empty: a ratio
  std::string_view description;
  std::string_view source;
};

std::span<const AssumptionInfo> assumption_list();
const AssumptionInfo* find_assumption(std::string_view name);

// Throws std::runtime_error if `value` is outside [least, most].
void set_assumption(Assumptions& assumptions, const AssumptionInfo& info, double value);

}  // namespace mansard::analysis
