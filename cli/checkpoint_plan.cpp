// SPDX-License-Identifier: Apache-2.0
#include "cli/checkpoint_plan.h"

#include <algorithm>
#include <cmath>

#include "analyzer/goodput/checkpoint_interval.h"

namespace mansard::cli {
namespace {

// The first save measures its time. By then, libraries are loaded and steps have their usual time.
constexpr std::int64_t kFirstSave = 10;

}  // namespace

CheckpointPlan::CheckpointPlan(const TrainOptions& options, int ranks, std::int64_t steps_done)
    : options_(&options), ranks_(ranks) {
  if (options.checkpoints.empty()) return;
  if (options.mtbf_hours) {
    next_ = steps_done + kFirstSave;
  } else if (options.checkpoint_every > 0) {
    interval_ = options.checkpoint_every;
    next_ = (steps_done / interval_ + 1) * interval_;
  }
}

bool CheckpointPlan::are_rows_due(std::int64_t steps_done) const {
  const std::int64_t last = next_ - interval_;
  // The rows of a file replace those of a checkpoint.
  if (options_->save_rows == "none" || interval_ == 0 || last <= 0) return false;
  const double every = std::max(1.0, static_cast<double>(interval_) * options_->row_share);
  const auto files = [&](std::int64_t steps) {
    return std::floor(static_cast<double>(steps - last) / every);
  };
  return files(steps_done) > files(steps_done - 1);
}

std::int64_t CheckpointPlan::saved(std::int64_t steps_done, double save_s, double step_s) {
  if (!options_->mtbf_hours) {
    if (interval_ > 0) next_ = (steps_done / interval_ + 1) * interval_;
    return 0;
  }
  analysis::GoodputJob job;
  job.gpus = ranks_;
  job.gpus_per_node = 1;
  job.node_mtbf_s = 3600 * *options_->mtbf_hours;
  job.compute_s = step_s;
  job.steps = static_cast<double>(options_->steps);
  job.save_s = save_s;
  job.recovery =
      options_->recovery == "partial" ? analysis::Recovery::partial : analysis::Recovery::full;
  job.replicated = true;
  job.lost_samples = options_->max_lost_samples;
  const double steps = analysis::interval_of(job) / step_s;
  const std::int64_t interval = std::max<std::int64_t>(std::llround(steps), 1);
  next_ = steps_done + interval;
  // Times of saves vary, and a message for every change of a step would say nothing.
  const bool has_changed = interval_ == 0 || std::abs(std::log(double(interval) / interval_)) > 0.2;
  if (has_changed) interval_ = interval;
  return has_changed ? interval : 0;
}

}  // namespace mansard::cli
