// SPDX-License-Identifier: Apache-2.0
// The recorded cases of tests/golden/nvfp4, produced on an H200 by NVIDIA Transformer Engine's
// pure-PyTorch reference quantizer. They define the arithmetic; all results are compared bit for
// bit.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "kernels/formats/bf16.h"
#include "kernels/formats/shape.h"

namespace mansard::kernels {

struct GoldenCase {
  std::string name;
  std::string mode;  // "1d", "2d" or "1d_rht"
  Shape shape;
  std::vector<Bf16> input;
  std::vector<std::uint8_t> row_codes, row_scales, col_codes, col_scales;
  float row_amax = 0, col_amax = 0;
};

inline void PrintTo(const GoldenCase& c, std::ostream* out) { *out << c.name; }

// Throws if a file is missing or does not match the index.
const std::vector<GoldenCase>& golden_cases();

}  // namespace mansard::kernels
