// SPDX-License-Identifier: Apache-2.0
#include "analyzer/goodput/checkpoint_interval.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "analyzer/table.h"

namespace mansard::analysis {

double young_interval_s(double save_s, double mtbf_s) { return std::sqrt(2 * save_s * mtbf_s); }

double daly_interval_s(double save_s, double mtbf_s) {
  if (!(save_s < 2 * mtbf_s)) return mtbf_s;
  const double ratio = save_s / (2 * mtbf_s);
  return young_interval_s(save_s, mtbf_s) * (1 + std::sqrt(ratio) / 3 + ratio / 9) - save_s;
}

double optimum_interval_s(double save_s, double mtbf_s) {
  if (save_s == 0) return 0;
  if (std::isinf(mtbf_s)) return std::numeric_limits<double>::infinity();
  // With y = -ln(1 - w / M), the condition for the optimum is y + exp(-y) - 1 = c / M. The left
  // side rises from 0 and exceeds c / M at y = c / M + 1.
  const double ratio = save_s / mtbf_s;
  double low = 0;
  double high = ratio + 1;
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    (middle + std::expm1(-middle) < ratio ? low : high) = middle;
  }
  return -std::expm1(-0.5 * (low + high)) * mtbf_s;
}

double cpr_partial_interval_s(const GoodputJob& job) {
  return 2 * job.lost_samples * static_cast<double>(job.parameter_shards()) * job.mtbf_s();
}

double lost_samples_of(const GoodputJob& job, double interval_s) {
  const double rate = std::isinf(job.node_mtbf_s) ? 0 : job.interruptions_per_s();
  const double unsaved_s = job.save_s + job.write_s;
  if (!job.others_continue()) {
    return rate * std::exp(rate * job.recovery_s()) * (interval_s / 2 + unsaved_s) /
           static_cast<double>(job.parameter_shards());
  }
  const double failures = rate * interval_s;
  const double kept_after_segment = failures > 0 ? -std::expm1(-failures) / failures : 1;
  return 1 - std::exp(-rate * unsaved_s) * kept_after_segment;
}

double partial_interval_s(const GoodputJob& job) {
  if (job.others_continue()) {
    if (std::isinf(job.node_mtbf_s)) return std::numeric_limits<double>::infinity();
    if (lost_samples_of(job, 0) >= job.lost_samples) return 0;
    double low = 0;
    double high = job.node_mtbf_s;
    while (lost_samples_of(job, high) < job.lost_samples) high *= 2;
    for (int i = 0; i < 100; ++i) {
      const double middle = 0.5 * (low + high);
      (lost_samples_of(job, middle) < job.lost_samples ? low : high) = middle;
    }
    return 0.5 * (low + high);
  }
  const double slowed_mtbf_s = job.mtbf_s() * std::exp(-job.failures_per_s() * job.recovery_s());
  return 2 * (job.lost_samples * static_cast<double>(job.parameter_shards()) * slowed_mtbf_s -
              job.save_s - job.write_s);
}

double interval_of(const GoodputJob& job) {
  if (job.interval_s) return std::min(*job.interval_s, job.training_s());
  double interval_s = 0;
  if (job.recovery == Recovery::full) {
    interval_s = optimum_interval_s(job.save_s, job.mtbf_s());
  } else {
    interval_s = partial_interval_s(job);
    if (interval_s < job.step_s()) {
      throw std::runtime_error("partial recovery loses more than " +
                               format_plain(100 * job.lost_samples) +
                               " % of the samples even with a checkpoint after every step; allow "
                               "more lost samples, or use "
                               "full recovery");
    }
  }
  const double least_s = std::max(job.step_s(), job.write_s - job.save_s);
  return std::min(std::max(interval_s, least_s), job.training_s());
}

}  // namespace mansard::analysis
