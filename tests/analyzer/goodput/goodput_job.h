// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/goodput/goodput_job.h"

namespace mansard::analysis {

// 60 days of training in steps of 7 s on nodes of 8 GPUs; a GPU fails every 50,000 hours.
inline GoodputJob long_job(std::int64_t gpus) {
  GoodputJob job;
  job.gpus = gpus;
  job.gpus_per_node = 8;
  job.node_mtbf_s = 50'000 * 3600.0 / 8;
  job.compute_s = 7;
  job.steps = 60 * 86400 / 7.0;
  job.save_s = 30;
  job.load_s = 60;
  job.restart_s = 300;
  job.detect_s = 60;
  return job;
}

inline GoodputJob with_interval(GoodputJob job, double interval_s) {
  job.interval_s = interval_s;
  return job;
}

}  // namespace mansard::analysis
