// SPDX-License-Identifier: Apache-2.0
#include "empirical_roofline/summarize.h"

#include <cmath>
#include <map>

#include "support/statistics.h"

namespace mansard::roofline {
namespace {

using Samples = std::vector<const Sample*>;

double median_of(const Samples& samples, double Sample::*field) {
  std::vector<double> known;
  for (const Sample* s : samples) {
    if (s->*field > 0) known.push_back(s->*field);
  }
  return known.empty() ? 0 : median(known);
}

std::vector<double> medians_by_campaign(const Samples& samples) {
  std::map<int, std::vector<double>> campaigns;
  for (const Sample* s : samples) campaigns[s->campaign].push_back(s->value);
  std::vector<double> medians;
  for (const auto& [campaign, values] : campaigns) medians.push_back(median(values));
  return medians;
}

}  // namespace

std::string unit_of(const kernels::KernelSpec& spec) {
  switch (spec.role) {
    case kernels::KernelRole::compute_ceiling:
      return spec.unit;
    case kernels::KernelRole::bandwidth_ceiling:
      return "B/s";
    case kernels::KernelRole::latency_ceiling:
    case kernels::KernelRole::overhead_ceiling:
    case kernels::KernelRole::operation:
      return "s";
  }
  return "";
}

void summarize(Ceiling& c, const kernels::KernelSpec& spec, const kernels::DeviceInfo& device) {
  Samples counted;
  std::vector<double> values;
  for (const Sample& s : c.samples) {
    if (s.settling) continue;
    counted.push_back(&s);
    values.push_back(s.value);
  }
  c.unit = unit_of(spec);
  if (counted.empty()) return;
  const std::vector<double> medians = medians_by_campaign(counted);
  c.value = median(medians);
  c.campaigns = static_cast<int>(medians.size());
  c.spread = relative_spread(values);
  c.uncertainty = medians.size() >= 3 ? mean_uncertainty(medians) : median_uncertainty(values);
  if (!std::isfinite(c.uncertainty)) c.uncertainty = 0;
  c.clock_hz = median_of(counted, &Sample::clock_hz);
  c.power_w = median_of(counted, &Sample::power_w);
  c.temperature_c = median_of(counted, &Sample::temperature_c);
  c.fraction_of_theory_at_clock = median_of(counted, &Sample::fraction);
  const double peak_per_s = spec.peak_per_s ? spec.peak_per_s(device) : 0;
  const double at_boost =
      spec.peak_per_clock ? spec.peak_per_clock(device) * device.units * device.boost_clock_hz : 0;
  const double peak = peak_per_s > 0 ? peak_per_s : at_boost;
  const bool rate = c.unit != "s";
  c.fraction_of_theory_at_boost = rate && peak > 0 ? c.value / peak : 0;
}

}  // namespace mansard::roofline
