// SPDX-License-Identifier: Apache-2.0
// After which steps `mansard train` saves a checkpoint: every N steps, or at the interval that
// costs least for a rate of failures and the measured time of a save (analyzer/goodput).
#pragma once

#include <cstdint>
#include <string>

#include "cli/train_model.h"

namespace mansard::cli {

class CheckpointPlan {
 public:
  // `steps_done`: when the process starts to train.
  CheckpointPlan(const TrainOptions& options, int ranks, std::int64_t steps_done);

  bool is_due(std::int64_t steps_done) const { return next_ > 0 && steps_done >= next_; }
  // Whether to save rows between two checkpoints (--save-rows).
  bool are_rows_due(std::int64_t steps_done) const;
  // After a save that took `save_s`; a step takes `step_s`. Returns the interval in steps if it has
  // changed, else 0. Throws std::runtime_error if partial recovery loses too many samples with any
  // interval.
  std::int64_t saved(std::int64_t steps_done, double save_s, double step_s);

  // Steps of the next save; 0: none. Ranks that save together take it from one of them.
  std::int64_t next() const { return next_; }
  void set_next(std::int64_t steps) { next_ = steps; }

 private:
  const TrainOptions* options_;
  int ranks_;
  std::int64_t interval_ = 0;  // steps
  std::int64_t next_ = 0;
};

}  // namespace mansard::cli
