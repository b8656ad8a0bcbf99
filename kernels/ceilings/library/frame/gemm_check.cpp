// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/library/frame/gemm_check.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "kernels/formats/shape.h"

namespace mansard::kernels::library {
namespace {

// Largest relative error of rounding to nearest; 0 if results are exact.
double unit_roundoff(ElementFormat format) {
  switch (format) {
    case ElementFormat::fp64:
      return 0x1p-53;
    case ElementFormat::fp32:
      return 0x1p-24;
    case ElementFormat::fp16:
      return 0x1p-11;
    case ElementFormat::bf16:
      return 0x1p-8;
    default:
      return 0;
  }
}

double stored_value(ElementFormat format, const std::vector<unsigned char>& row,
                    std::int64_t column) {
  const int bytes = bits_per_element(format) / 8;
  std::uint64_t bits = 0;
  std::memcpy(&bits, &row[static_cast<std::size_t>(column * bytes)],
              static_cast<std::size_t>(bytes));  // little-endian, as every host with CUDA is
  return element_value(format, bits);
}

// `got` moved towards `expected` by the rounding error of storing it. The remaining difference is
// the error of the sum.
double before_rounding(double got, double expected, double roundoff) {
  if (!std::isfinite(got)) return got;
  const double error = std::fabs(got - expected) - roundoff * std::fabs(got);
  return error <= 0 ? expected : expected + std::copysign(error, got - expected);
}

}  // namespace

std::vector<double> RandomOperand::row(std::int64_t index) const {
  std::vector<double> values(static_cast<std::size_t>(k));
  for (std::int64_t i = 0; i < k; ++i) {
    const std::int64_t place = reduction == ReductionAxis::inner ? index * k + i : i * rows + index;
    double value = random_element(format, pattern, seed, static_cast<std::uint64_t>(place));
    if (scale_block > 0) {
      const std::int64_t offset =
          scale_index(ScaleLayout::tiled, k / scale_block, index, i / scale_block);
      value *= random_element(scale, pattern, scale_seed, static_cast<std::uint64_t>(offset));
    }
    values[static_cast<std::size_t>(i)] = value;
  }
  return values;
}

std::vector<std::int64_t> spread_indices(std::int64_t size, std::int64_t count,
                                         std::uint64_t seed) {
  const std::int64_t strips = std::min(size, count);
  std::mt19937_64 engine(seed);
  std::vector<std::int64_t> indices;
  for (std::int64_t s = 0; s < strips; ++s) {
    std::uniform_int_distribution<std::int64_t> within(s * size / strips,
                                                       (s + 1) * size / strips - 1);
    indices.push_back(within(engine));
  }
  indices.front() = 0;
  indices.back() = size - 1;
  return indices;
}

GemmCheck::GemmCheck(const LibraryGemm& gemm, const RandomOperand& a, const RandomOperand& b,
                     std::uint64_t sample_seed)
    : gemm_(gemm),
      a_(a),
      rows_(spread_indices(a.rows, kSamplesPerAxis, sample_seed)),
      columns_(spread_indices(b.rows, kSamplesPerAxis, sample_seed + 1)) {
  for (const std::int64_t column : columns_) b_.push_back(b.row(column));
}

void GemmCheck::add_row(std::int64_t index, const std::vector<unsigned char>& row) {
  const std::vector<double> a = a_.row(index);
  const double roundoff = unit_roundoff(gemm_.result);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    double expected = 0;
    for (std::size_t i = 0; i < a.size(); ++i) expected += a[i] * b_[c][i];
    const double got = stored_value(gemm_.result, row, columns_[c]);
    error_.add(before_rounding(got, expected, roundoff), expected);
  }
}

std::string GemmCheck::judge() const {
  const auto instructions = (a_.k + gemm_.instruction_k - 1) / gemm_.instruction_k;
  return error_.judge(static_cast<int>(instructions), gemm_.fraction_bits);
}

}  // namespace mansard::kernels::library
