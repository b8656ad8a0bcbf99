// SPDX-License-Identifier: Apache-2.0
// The learning rate of each step.
#pragma once

#include <cmath>
#include <cstdint>

namespace mansard::kernels {

enum class ScheduleShape {
  cosine,  // falls along half a cosine from the end of the warm-up to the last step
  wsd,     // warm-up, stable, decay: falls linearly in the last part of the steps
  constant,
};

struct Schedule {
  ScheduleShape shape = ScheduleShape::cosine;
  double peak = 6e-4;
  double final_fraction = 0.1;    // of the peak, at the last step
  std::int64_t warmup_steps = 0;  // linear, from peak / warmup_steps
  std::int64_t steps = 1;
  double decay_fraction = 0.2;  // of the steps; wsd only

  // `step`: 0 is the first.
  double learning_rate(std::int64_t step) const {
    if (step < warmup_steps) {
      return peak * static_cast<double>(step + 1) / static_cast<double>(warmup_steps);
    }
    const double first = shape == ScheduleShape::wsd
                             ? std::fmax(static_cast<double>(warmup_steps),
                                         static_cast<double>(steps) * (1 - decay_fraction))
                             : static_cast<double>(warmup_steps);
    const double length = static_cast<double>(steps) - 1 - first;
    const double position = static_cast<double>(step) - first;
    if (shape == ScheduleShape::constant || position <= 0) return peak;
    const double progress = length > 0 ? std::fmin(1, position / length) : 1;
    const double fall =
        shape == ScheduleShape::wsd ? 1 - progress : (1 + std::cos(std::acos(-1.0) * progress)) / 2;
    return peak * (final_fraction + (1 - final_fraction) * fall);
  }
};

}  // namespace mansard::kernels
