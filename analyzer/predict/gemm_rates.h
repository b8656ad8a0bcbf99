// SPDX-License-Identifier: Apache-2.0
// GEMM rates of a GPU in a format, interpolated in shape from measured linear layers.
//
// A measured layer quantizes its input and runs a GEMM. The time of all layers is fitted to
// a x FLOP + b x m x k + c; b is the quantization time per element, which is subtracted to get the
// rate of the GEMM. Rates are averaged with Gaussian weights in log2 (m, n, k); (m, n) and (n, m)
// count as the same GEMM. Outside the measured shapes the nearest ones are used, with an error that
// grows with each octave.
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
  // `least_quantize_s`: smallest time to quantize one element of x; 0 if nothing is quantized.
  GemmRates(std::vector<MeasuredLayer> layers, double least_quantize_s);

  double flop_per_s(const GemmShape& shape) const;
  // RMS of the relative error of each layer's rate, predicted from all other layers.
  double leave_one_out_error() const { return leave_one_out_error_; }
  // Relative, one sigma: leave_one_out_error(), plus a term that grows with the distance to the
  // nearest measured shape.
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

// Returns the rates from linear_layers.csv, or nullptr if none were measured. `dtype`: bfloat16,
// fp8, fp8_block or nvfp4.
const GemmRates* measured_gemm_rates(std::string_view gpu, std::string_view dtype);

struct MeasuredSet {
  std::string_view gpu;
  std::string_view dtype;
  const GemmRates* rates = nullptr;
};
std::vector<MeasuredSet> measured_gemm_sets();

}  // namespace mansard::analysis
