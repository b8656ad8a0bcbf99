// SPDX-License-Identifier: Apache-2.0
// Whether a product computed on the device is right: elements from all over the result, its corners
// among them, against FP64 sums of operands made anew on the host. Nothing here needs a GPU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/ceilings/library/frame/gemm_shapes.h"
#include "kernels/ceilings/mma/accumulation_error.h"
#include "kernels/recipes/gemm.h"

namespace mansard::kernels::library {

// A random operand with `rows` rows along the reduction axis, as fill_random_on_device() makes it.
struct RandomOperand {
  ElementFormat format = ElementFormat::bf16;
  DataPattern pattern = DataPattern::random_normal;
  ReductionAxis reduction = ReductionAxis::inner;
  std::int64_t rows = 0, k = 0;
  std::uint64_t seed = 0;
  int scale_block = 0;  // 0: no scales
  ElementFormat scale = ElementFormat::scale_e8m0;
  std::uint64_t scale_seed = 0;

  std::vector<double> row(std::int64_t index) const;
};

// `count` of [0, size), one at random from each of as many equal strips, with the first and the
// last index for the outermost two; all where there are no more.
std::vector<std::int64_t> spread_indices(std::int64_t size, std::int64_t count, std::uint64_t seed);

class GemmCheck {
 public:
  // A tile that was left out shows, as there is a sample in each of 64 x 64 parts of the result.
  static constexpr std::int64_t kSamplesPerAxis = 64;

  GemmCheck(const LibraryGemm& gemm, const RandomOperand& a, const RandomOperand& b,
            std::uint64_t sample_seed);

  // Rows of the result that take part.
  const std::vector<std::int64_t>& rows() const { return rows_; }

  // `row`: the whole row index `index` of the result as it lies in memory.
  void add_row(std::int64_t index, const std::vector<unsigned char>& row);

  // Empty when every sample is right.
  std::string judge() const;

 private:
  const LibraryGemm& gemm_;
  RandomOperand a_;
  std::vector<std::int64_t> rows_;
  std::vector<std::int64_t> columns_;
  std::vector<std::vector<double>> b_;  // the operand's row for each column of the result
  AccumulationError error_;
};

}  // namespace mansard::kernels::library
