// SPDX-License-Identifier: Apache-2.0
#include "empirical_roofline/collective_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace mansard::roofline {
namespace {

std::optional<CollectiveFit> fit(const std::string& kernel, const std::vector<SweepPoint>& points) {
  // Minimizes the sum of ((alpha + b / beta) / t - 1)^2 with the bus bytes b = value * t.
  double aa = 0, ab = 0, bb = 0, a1 = 0, b1 = 0;
  for (const SweepPoint& p : points) {
    const double a = 1 / p.call_s;
    const double b = p.value;  // b / t
    aa += a * a;
    ab += a * b;
    bb += b * b;
    a1 += a;
    b1 += b;
  }
  const double determinant = aa * bb - ab * ab;
  if (points.size() < 3 || determinant <= 0) return std::nullopt;
  CollectiveFit f;
  f.kernel = kernel;
  f.ranks = points.front().ranks;
  f.latency_s = std::max(0.0, (a1 * bb - b1 * ab) / determinant);
  const double per_byte = (b1 * aa - a1 * ab) / determinant;
  if (per_byte <= 0) return std::nullopt;
  f.bytes_per_s = 1 / per_byte;
  for (const SweepPoint& p : points) {
    const double modeled_s = f.call_s(p.value * p.call_s);
    f.largest_error = std::max(f.largest_error, std::abs(modeled_s / p.call_s - 1));
  }
  return f;
}

}  // namespace

std::vector<CollectiveFit> fit_collectives(const std::vector<SweepPoint>& sweep) {
  std::map<std::string, std::vector<SweepPoint>> of_kernel;
  for (const SweepPoint& p : sweep) {
    if (p.axis() == SweepAxis::message && p.call_s > 0) of_kernel[p.kernel].push_back(p);
  }
  std::vector<CollectiveFit> fits;
  for (const auto& [kernel, points] : of_kernel) {
    if (const std::optional<CollectiveFit> f = fit(kernel, points)) fits.push_back(*f);
  }
  return fits;
}

const CollectiveFit* find_fit(const std::vector<CollectiveFit>& fits, CollectiveOperation operation,
                              std::int64_t ranks) {
  const auto found =
      std::ranges::find(fits, collective_ceiling(operation, ranks), &CollectiveFit::kernel);
  return found == fits.end() ? nullptr : &*found;
}

}  // namespace mansard::roofline
