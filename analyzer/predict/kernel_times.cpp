// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/kernel_times.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "analyzer/predict/predict_data.h"
#include "analyzer/predict/training_job.h"

namespace mansard::analysis {
namespace {

// Returns the measured format that represents a recipe's GEMMs. MXFP8 uses FP8, which has the same
// peak rate on Blackwell, times an assumption.
std::string_view layers_like(kernels::Recipe recipe) {
  switch (recipe) {
    case kernels::Recipe::bf16:
      return "bfloat16";
    case kernels::Recipe::fp8:
    case kernels::Recipe::fp8_delayed:
    case kernels::Recipe::mxfp8:
      return "fp8";
    case kernels::Recipe::fp8_block:
      return "fp8_block";
    case kernels::Recipe::nvfp4:
      return "nvfp4";
    case kernels::Recipe::mor_tensor:
    case kernels::Recipe::mor_block:
      break;  // not modeled: require_possible() refuses it
  }
  return {};
}

struct AttentionRate {
  double sequence = 0;
  double forward = 0;  // FLOP/s
  double backward = 0;
};

// Sorted by sequence length.
std::vector<AttentionRate> attention_rates(const std::string& gpu) {
  static const CsvTable table = predict_data("attention.csv");
  std::vector<AttentionRate> rates;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.text(row, "gpu") != gpu) continue;
    rates.push_back({table.number(row, "sequence"), table.number(row, "forward_tflops") * 1e12,
                     table.number(row, "backward_tflops") * 1e12});
  }
  if (rates.empty()) throw std::runtime_error("attention.csv has no rows for '" + gpu + "'");
  return rates;
}

// Interpolates linearly in log2 of the length; constant outside the measured lengths.
AttentionRate at_sequence(const std::vector<AttentionRate>& rates, double sequence) {
  if (sequence <= rates.front().sequence) return rates.front();
  for (std::size_t i = 1; i < rates.size(); ++i) {
    const AttentionRate& a = rates[i - 1];
    const AttentionRate& b = rates[i];
    if (sequence > b.sequence) continue;
    const double t = std::log2(sequence / a.sequence) / std::log2(b.sequence / a.sequence);
    return {sequence, std::lerp(a.forward, b.forward, t), std::lerp(a.backward, b.backward, t)};
  }
  return rates.back();
}

// Bytes per element: reads for amax and quantization, and row-wise and column-wise writes. Before
// Blackwell, FP8 GEMMs need the reduction dimension contiguous, so a transpose is written too.
double conversion_bytes(kernels::Recipe recipe, int compute_capability) {
  const double transpose = compute_capability < 100 ? 1 : 0;
  switch (recipe) {
    case kernels::Recipe::bf16:
      return 0;
    case kernels::Recipe::fp8:
      return 2 + 2 + 1 + transpose;
    case kernels::Recipe::fp8_delayed:
      return 2 + 1 + transpose;
    case kernels::Recipe::fp8_block:
      return 2 + 2 * (1 + 4.0 / 128);
    case kernels::Recipe::mxfp8:
      return 2 + 2 * (1 + 1.0 / 32);
    case kernels::Recipe::nvfp4:
      return 2 + 2 + 2 * (0.5 + 1.0 / 16);
    case kernels::Recipe::mor_tensor:
    case kernels::Recipe::mor_block:
      break;  // not modeled: require_possible() refuses it
  }
  return 0;
}

}  // namespace

double operand_bytes(kernels::Recipe recipe) {
  switch (recipe) {
    case kernels::Recipe::bf16:
      return 2;
    case kernels::Recipe::fp8:
    case kernels::Recipe::fp8_delayed:
    case kernels::Recipe::fp8_block:
      return 1;
    case kernels::Recipe::mxfp8:
      return 1 + 1.0 / 32;
    case kernels::Recipe::nvfp4:
      return 0.5 + 1.0 / 16;
    case kernels::Recipe::mor_tensor:
    case kernels::Recipe::mor_block:
      break;  // not modeled: require_possible() refuses it
  }
  return 2;
}

// FP8: amax and cast. MXFP8, NVFP4: one pass, and one kernel for each of the two scale layouts.
int kernels_per_conversion(kernels::Recipe recipe) {
  switch (recipe) {
    case kernels::Recipe::bf16:
      return 0;
    case kernels::Recipe::fp8_delayed:
    case kernels::Recipe::fp8_block:
      return 1;
    case kernels::Recipe::fp8:
      return 2;
    case kernels::Recipe::mxfp8:
    case kernels::Recipe::nvfp4:
      return 3;
    case kernels::Recipe::mor_tensor:
    case kernels::Recipe::mor_block:
      break;  // not modeled: require_possible() refuses it
  }
  return 0;
}

KernelTimes::KernelTimes(const TargetMachine& machine, const Assumptions& assumptions)
    : machine_(machine), assumptions_(assumptions) {
  if (measured_gemm_rates(machine.layers, "bfloat16") == nullptr) {
    throw std::runtime_error("linear_layers.csv has no rows for '" + machine.layers + "'");
  }
}

double KernelTimes::clocked_s(double flop, double flop_per_s, Precision precision) const {
  const double fraction = flop_per_s / machine_.peak(precision);
  return flop / (flop_per_s * machine_.sustained(fraction, assumptions_.clock_loss));
}

const GemmRates& KernelTimes::rates_of(kernels::Recipe recipe) const {
  const std::string_view dtype = layers_like(recipe);
  const GemmRates* rates = measured_gemm_rates(machine_.layers, dtype);
  if (rates == nullptr) {
    throw std::runtime_error("linear_layers.csv has no " + std::string(dtype) + " layers for " +
                             machine_.layers);
  }
  return *rates;
}

double KernelTimes::gemm_s(kernels::Recipe recipe, const GemmShape& shape) const {
  const Precision precision = precision_of(recipe);
  double rate = rates_of(recipe).flop_per_s(shape);
  if (recipe == kernels::Recipe::mxfp8) rate *= assumptions_.mxfp8_gemm_rate;
  if (recipe == kernels::Recipe::nvfp4) rate *= assumptions_.nvfp4_gemm_rate;
  // A GPU without measurements reaches the same fraction of its peak.
  const auto peak = machine_.layers_peak_flop_per_s.find(precision);
  if (machine_.layers_of_another_gpu && peak != machine_.layers_peak_flop_per_s.end()) {
    rate *= machine_.peak(precision) / peak->second;
  }
  const double bytes = operand_bytes(recipe) * (shape.m + shape.n) * shape.k +
                       operand_bytes(kernels::Recipe::bf16) * shape.m * shape.n;
  return std::max(clocked_s(shape.flop(), rate, precision), elementwise_s(bytes, 0));
}

double KernelTimes::wgrad_s(kernels::Recipe recipe, const GemmShape& shape) const {
  // Reading and writing the gradient is hidden by the GEMM unless it is short.
  return std::max(gemm_s(recipe, shape),
                  elementwise_s(2 * assumptions_.gradient_bytes * shape.m * shape.n, 0));
}

double KernelTimes::gemm_error(kernels::Recipe recipe, const GemmShape& shape) const {
  const double error = rates_of(recipe).error(shape);
  return machine_.layers_of_another_gpu ? 2 * error + 0.05 : error;
}

// Error of cuDNN's rates, or of assuming the same fraction of peak on another GPU of the same or of
// a different architecture.
double KernelTimes::attention_error() const {
  switch (machine_.attention_kinship) {
    case TargetMachine::Kinship::same_gpu:
      return 0.10;
    case TargetMachine::Kinship::same_architecture:
      return 0.15;
    case TargetMachine::Kinship::other_architecture:
      return 0.40;
  }
  return 0.40;
}

KernelTimes::Attention KernelTimes::attention(double flop, double sequence) const {
  const AttentionRate rate = at_sequence(attention_rates(machine_.attention), sequence);
  const double scale = machine_.peak(Precision::bf16) / machine_.attention_peak_flop_per_s;
  return {clocked_s(flop, scale * rate.forward, Precision::bf16),
          clocked_s(2.5 * flop, scale * rate.backward, Precision::bf16)};
}

double KernelTimes::elementwise_s(double bytes, int kernels) const {
  return bytes / (machine_.hbm_bytes_per_s * assumptions_.elementwise_hbm) +
         kernels * assumptions_.kernel_ramp_s;
}

double KernelTimes::conversion_s(kernels::Recipe recipe, double elements, int tensors) const {
  if (recipe == kernels::Recipe::bf16) return 0;
  const double reach = recipe == kernels::Recipe::nvfp4 ? assumptions_.nvfp4_conversion_hbm
                       : recipe == kernels::Recipe::mxfp8 || recipe == kernels::Recipe::fp8_block
                           ? assumptions_.mxfp8_conversion_hbm
                           : assumptions_.fp8_conversion_hbm;
  return elements * conversion_bytes(recipe, machine_.compute_capability) /
             (machine_.hbm_bytes_per_s * reach) +
         tensors * kernels_per_conversion(recipe) * assumptions_.kernel_ramp_s;
}

}  // namespace mansard::analysis
