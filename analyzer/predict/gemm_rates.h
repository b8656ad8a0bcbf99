// SPDX-License-Identifier: Apache-2.0
// How fast a GPU multiplies in a format, from measured linear layers, interpolated in shape.
//
// A measured layer quantizes its input and multiplies. A fit of its time to a x FLOP + b x m x k +
// c over all shapes tells what quantization takes (b), which is taken off; what is left is the
// GEMM's rate at that shape. Rates are averaged with Gaussian weights in log2 (m, n, k), where (m,
// n) and (n, m) are one product. Outside of the measured shapes this continues with the nearest
// ones, less surely with each octave.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace mansard::analysis {

struct GemmShape {
  double m = 0;
  double n = 0;
  double k = 0;
  double flop() const { return 2 * m * n * k; }
};

struct MeasuredLayer {
  GemmShape shape;
  double time_s = 0;
};

class GemmRates {
 public:
  // `least_quantize_s`: what quantizing one element of x takes at least; 0 where nothing is.
  GemmRates(std::vector<MeasuredLayer> layers, double least_quantize_s);

  double flop_per_s(const GemmShape& shape) const;
  // Root mean square of the relative error of a layer's rate predicted from all other layers.
  double leave_one_out_error() const { return leave_one_out_error_; }
  // Relative, one sigma: that one, and more with the distance to the nearest measured shape.
  double error(const GemmShape& shape) const;
  std::size_t size() const { return points_.size(); }
  double quantize_s_per_element() const { return quantize_s_per_element_; }

 private:
  struct Point {
    std::array<double, 3> at;  // log2 of m, n, k
    double log_rate = 0;
  };
  double nearest_distance2(const std::array<double, 3>& at, const Point* without) const;
  double log_rate(const std::array<double, 3>& at, const Point* without) const;

  std::vector<Point> points_;
  double quantize_s_per_element_ = 0;
  double leave_one_out_error_ = 0;
};

// Of linear_layers.csv; `dtype`: bfloat16, fp8, fp8_block or nvfp4. Null where none was measured.
const GemmRates* measured_gemm_rates(std::string_view gpu, std::string_view dtype);

struct MeasuredSet {
  std::string_view gpu;
  std::string_view dtype;
  const GemmRates* rates = nullptr;
};
std::vector<MeasuredSet> measured_gemm_sets();

}  // namespace mansard::analysis
