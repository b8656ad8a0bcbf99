// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/gemm_rates.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "analyzer/predict/assumptions.h"
#include "analyzer/predict/predict_data.h"
#include "analyzer/predict/target_machine.h"

namespace mansard::analysis {
namespace {

// Width of the weights in octaves. Of 0.5, 0.8 and 1.2, it has the smallest leave-one-out error.
constexpr double kWidth = 0.5;
// Error per octave outside the measured shapes. The RMS error over all sets is 6 % within the
// measured shapes; for layers with the smallest m, n or k it is 9 % when predicted only from layers
// one octave larger, and 12 % from two octaves.
constexpr double kErrorOfOctave = 0.06;

using Vector = std::array<double, 3>;

// Gauss-Jordan elimination with row pivoting; the systems here are regular by their data.
Vector solve(std::array<std::array<double, 4>, 3> rows) {
  for (std::size_t i = 0; i < 3; ++i) {
    std::size_t pivot = i;
    for (std::size_t r = i + 1; r < 3; ++r) {
      if (std::fabs(rows[r][i]) > std::fabs(rows[pivot][i])) pivot = r;
    }
    std::swap(rows[i], rows[pivot]);
    for (std::size_t r = 0; r < 3; ++r) {
      if (r == i) continue;
      const double factor = rows[r][i] / rows[i][i];
      for (std::size_t c = i; c < 4; ++c) rows[r][c] -= factor * rows[i][c];
    }
  }
  return {rows[0][3] / rows[0][0], rows[1][3] / rows[1][1], rows[2][3] / rows[2][2]};
}

// Fits seconds per element of x by least squares of relative errors.
double fitted_quantize_s(const std::vector<MeasuredLayer>& layers) {
  std::array<std::array<double, 4>, 3> normal = {};
  for (const MeasuredLayer& layer : layers) {
    // These units give the three terms a similar magnitude.
    const Vector x = {layer.shape.flop() / 1e15 / layer.time_s,
                      layer.shape.m * layer.shape.k / 1e9 / layer.time_s, 1e-6 / layer.time_s};
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) normal[i][j] += x[i] * x[j];
      normal[i][3] += x[i];
    }
  }
  return solve(normal)[1] * 1e-9;
}

Vector place_of(const GemmShape& shape) {
  return {std::log2(shape.m), std::log2(shape.n), std::log2(shape.k)};
}

double distance2(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

// Lower bound of the time to quantize one element of x (amax and cast, or cast with scales; reads
// BF16), from the conversion bandwidth assumed for training.
double least_quantize_s(std::string_view dtype, double hbm_bytes_per_s) {
  const Assumptions a;
  if (dtype == "fp8") return (2 + 2 + 1) / (hbm_bytes_per_s * a.fp8_conversion_hbm);
  if (dtype == "fp8_block") return (2 + 1 + 4.0 / 128) / (hbm_bytes_per_s * a.mxfp8_conversion_hbm);
  if (dtype == "nvfp4") return (2 + 0.5 + 1.0 / 16) / (hbm_bytes_per_s * a.nvfp4_conversion_hbm);
  return 0;
}

double hbm_of(std::string_view gpu) {
  for (const std::string& name : target_machine_names()) {
    const TargetMachine machine = *find_target_machine(name);
    if (machine.layers == gpu && !machine.layers_of_another_gpu) return machine.hbm_bytes_per_s;
  }
  return std::numeric_limits<double>::infinity();
}

using Sets = std::map<std::pair<std::string, std::string>, GemmRates, std::less<>>;

const Sets& all_sets() {
  static const Sets sets = [] {
    const CsvTable table = predict_data("linear_layers.csv");
    std::map<std::pair<std::string, std::string>, std::vector<MeasuredLayer>> layers;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      layers[{table.text(row, "gpu"), table.text(row, "dtype")}].push_back(
          {{table.number(row, "m"), table.number(row, "n"), table.number(row, "k")},
           table.number(row, "latency_ms") / 1e3});
    }
    Sets made;
    for (auto& [key, of_key] : layers) {
      made.emplace(key,
                   GemmRates(std::move(of_key), least_quantize_s(key.second, hbm_of(key.first))));
    }
    return made;
  }();
  return sets;
}

}  // namespace

GemmRates::GemmRates(std::vector<MeasuredLayer> layers, double least_quantize_s) {
  if (least_quantize_s > 0) {
    quantize_s_per_element_ = std::max(fitted_quantize_s(layers), least_quantize_s);
  }
  for (const MeasuredLayer& layer : layers) {
    const double gemm_s = layer.time_s - quantize_s_per_element_ * layer.shape.m * layer.shape.k;
    if (gemm_s <= 0) continue;
    points_.push_back({place_of(layer.shape), std::log(layer.shape.flop() / gemm_s)});
  }
  double squares = 0;
  for (const Point& p : points_) {
    const double error = std::exp(log_rate(p.at, &p) - p.log_rate) - 1;
    squares += error * error;
  }
  leave_one_out_error_ = std::sqrt(squares / static_cast<double>(points_.size()));
}

double GemmRates::nearest_distance2(const Vector& at, const Point* without) const {
  const Vector turned = {at[1], at[0], at[2]};
  double nearest = std::numeric_limits<double>::infinity();
  for (const Point& p : points_) {
    if (&p == without) continue;
    nearest = std::min({nearest, distance2(p.at, at), distance2(p.at, turned)});
  }
  return nearest;
}

double GemmRates::error(const GemmShape& shape) const {
  // A shape inside the measured range has a neighbor within kWidth.
  const double octaves =
      std::max(0.0, std::sqrt(nearest_distance2(place_of(shape), nullptr)) - kWidth);
  return std::hypot(leave_one_out_error_, kErrorOfOctave * octaves);
}

double GemmRates::log_rate(const Vector& at, const Point* without) const {
  const Vector turned = {at[1], at[0], at[2]};
  const double nearest = nearest_distance2(at, without);
  // Weights are relative to the nearest point's, because absolute ones underflow far outside.
  double sum = 0;
  double weights = 0;
  for (const Point& p : points_) {
    if (&p == without) continue;
    for (const double d : {distance2(p.at, at), distance2(p.at, turned)}) {
      const double weight = std::exp((nearest - d) / (2 * kWidth * kWidth));
      sum += weight * p.log_rate;
      weights += weight;
    }
  }
  return sum / weights;
}

double GemmRates::flop_per_s(const GemmShape& shape) const {
  return std::exp(log_rate(place_of(shape), nullptr));
}

const GemmRates* measured_gemm_rates(std::string_view gpu, std::string_view dtype) {
  const auto found = all_sets().find(std::pair(std::string(gpu), std::string(dtype)));
  return found == all_sets().end() ? nullptr : &found->second;
}

std::vector<MeasuredSet> measured_gemm_sets() {
  std::vector<MeasuredSet> sets;
  for (const auto& [key, rates] : all_sets()) sets.push_back({key.first, key.second, &rates});
  return sets;
}

}  // namespace mansard::analysis
