// SPDX-License-Identifier: Apache-2.0
// LinearLayer::verify(): sampled elements of a GEMM's result against FP64.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/fp8/formats.h"
#include "kernels/mma/accumulation_error.h"
#include "kernels/nvfp4/random_input.h"
#include "kernels/recipes/linear_layer.h"

namespace mansard {
namespace {

double decode(Precision format, const unsigned char* element) {
  if (format == Precision::fp8_e4m3) return double{fp8::decode(fp8::Format::e4m3, *element)};
  if (format == Precision::fp8_e5m2) return double{fp8::decode(fp8::Format::e5m2, *element)};
  Bf16 value{};
  std::memcpy(&value, element, sizeof value);
  return double{bf16::to_float(value)};
}

// Without the operand's scale.
std::vector<double> read_row(const GemmOperand& operand, std::int64_t rows, std::int64_t k,
                             std::int64_t row, Backend& backend) {
  const std::int64_t size = operand.is_fp8() ? 1 : 2;
  std::vector<unsigned char> bytes(static_cast<std::size_t>(size * k));
  const auto* data = static_cast<const unsigned char*>(operand.data);
  if (operand.reduction == ReductionAxis::inner) {
    backend.read(bytes.data(), data + row * k * size, size * k);
  } else {
    backend.read(bytes.data(), data + row * size, size, k, size * rows);
  }
  std::vector<double> values(static_cast<std::size_t>(k));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = decode(operand.format, bytes.data() + i * static_cast<std::size_t>(size));
  }
  return values;
}

double read_result(const GemmProblem& p, std::int64_t row, std::int64_t col, Backend& backend) {
  const std::int64_t index = row * p.n + col;
  if (p.output == GemmOutput::fp32) {
    float value = 0;
    backend.read(&value, static_cast<const float*>(p.c) + index, sizeof value);
    return value;
  }
  Bf16 value{};
  backend.read(&value, static_cast<const Bf16*>(p.c) + index, sizeof value);
  return bf16::to_float(value);
}

// alpha and the operands' scales.
double read_factor(const GemmProblem& p, Backend& backend) {
  double factor = 1;
  for (const float* part : {p.alpha, p.a.scale, p.b.scale}) {
    if (part == nullptr) continue;
    float value = 0;
    backend.read(&value, part, sizeof value);
    factor *= value;
  }
  return factor;
}

// One element, not yet multiplied by the factor.
struct ExactSum {
  ExactSum(const std::vector<double>& a, const std::vector<double>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double product = a[i] * b[i];
      value += product;
      magnitude += std::fabs(product);
      peak = std::max({peak, std::fabs(product), std::fabs(value)});
    }
  }
  double value = 0;
  double magnitude = 0;  // sum of the products' magnitudes
  double peak = 0;       // largest product or partial sum
};

// Worst-case FP32 accumulation errs by k * 2^-24 of the sum of magnitudes; random signs leave its
// square root. Tensor cores truncate, hence the factor 8.
//
// FP8 tensor cores may cut the running sum to kFp8FractionBits at each instruction of 32 products:
// one unit of the sum's largest value for each. A run of neighbouring products sums to at most
// twice the peak of the whole, so that the reduction axis may be split. Nothing is taken off where
// fast accumulation is off: how often cuBLASLt then moves sums to FP32 registers is not documented.
double accumulation_error(const GemmProblem& p, const ExactSum& sum) {
  const double k = static_cast<double>(p.k);
  const double fp32 = 8 * std::sqrt(k) * 0x1p-24 * sum.magnitude;
  if (!p.a.is_fp8()) return fp32;
  constexpr double kInstructionK = 32;
  return fp32 + 2 * std::ceil(k / kInstructionK) * std::ldexp(sum.peak, -kFp8FractionBits);
}

}  // namespace

std::string LinearLayer::verify(Pass pass, int samples, std::uint64_t seed) const {
  run(pass);
  const GemmProblem& p = plan(pass).gemm;
  const double factor = read_factor(p, *backend_);
  // BF16 rounds to 2^-9 of the result, FP32 to 2^-24; twice that, as the factor is rounded too.
  const double rounding = p.output == GemmOutput::bf16 ? 0x1p-8 : 0x1p-23;
  for (int s = 0; s < samples; ++s) {
    const std::uint64_t word = random_input::mix(seed + static_cast<std::uint64_t>(s) + 1);
    const auto row = static_cast<std::int64_t>((word >> 32) % static_cast<std::uint64_t>(p.m));
    const auto col =
        static_cast<std::int64_t>((word & 0xffffffffu) % static_cast<std::uint64_t>(p.n));
    const ExactSum sum(read_row(p.a, p.m, p.k, row, *backend_),
                       read_row(p.b, p.n, p.k, col, *backend_));
    const double expected = factor * sum.value;
    const double actual = read_result(p, row, col, *backend_);
    const double allowed =
        std::fabs(factor) * accumulation_error(p, sum) + rounding * std::fabs(expected);
    if (std::fabs(actual - expected) <= allowed) continue;  // false for NaN
    return std::string(to_string(pass)) + " of layer '" + problem_.name + "': element (" +
           std::to_string(row) + ", " + std::to_string(col) + ") is " + std::to_string(actual) +
           ", FP64 gives " + std::to_string(expected) + ", allowed error " +
           std::to_string(allowed);
  }
  return "";
}

}  // namespace mansard
