// SPDX-License-Identifier: Apache-2.0
#include "gui/models/launch_factors.h"

#include <cmath>
#include <limits>

namespace mansard::gui {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kLog10Of2 = 0.30103F;

// log2 of the mean in ns. NaN if there is no mean, or if the launches did different work, so that a
// single launch has no position in a plane.
float log_mean(const analysis::KernelRow& row) {
  if (row.work_is_mean) return kNaN;
  const double mean_ns = row.time_s * 1e9 / static_cast<double>(row.launches);
  return row.launches > 0 && mean_ns > 0 && std::isfinite(mean_ns)
             ? static_cast<float>(std::log2(mean_ns))
             : kNaN;
}

float factor(std::int64_t duration_ns, float log_mean_ns) {
  if (duration_ns <= 0) return kNaN;
  return kLog10Of2 * (std::log2(static_cast<float>(duration_ns)) - log_mean_ns);
}

}  // namespace

std::vector<float> launch_factors(const OpenRun& run) {
  std::vector<float> means;
  means.reserve(run.analysis.rows.size());
  for (const analysis::KernelRow& row : run.analysis.rows) means.push_back(log_mean(row));
  const LaunchColumns& launches = run.launches;
  std::vector<float> factors(launches.size(), kNaN);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (launches.row[i] >= means.size()) continue;
    factors[i] = factor(launches.end_ns[i] - launches.start_ns[i], means[launches.row[i]]);
  }
  return factors;
}

float launch_factor(const OpenRun& run, std::size_t launch) {
  const LaunchColumns& launches = run.launches;
  if (launch >= launches.size() || launches.row[launch] >= run.analysis.rows.size()) return kNaN;
  return factor(launches.end_ns[launch] - launches.start_ns[launch],
                log_mean(run.analysis.rows[launches.row[launch]]));
}

}  // namespace mansard::gui
