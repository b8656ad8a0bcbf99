// SPDX-License-Identifier: Apache-2.0
#include "analyzer/goodput/goodput_changes.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "analyzer/goodput/checkpoint_interval.h"
#include "analyzer/goodput/expected_goodput.h"
#include "support/units.h"

namespace mansard::analysis {

std::vector<GoodputChange> goodput_changes(const GoodputJob& job, const Goodput& now) {
  constexpr double kLeastGain = 5e-4;  // less is 0.0 % on screen
  std::vector<GoodputChange> changes;
  const auto attempt = [&](std::string text, const GoodputJob& changed) {
    try {
      const Goodput goodput = expected_goodput(changed);
      const double gain = goodput.fraction() - now.fraction();
      if (gain >= kLeastGain) changes.push_back({std::move(text), goodput, gain});
    } catch (const std::runtime_error&) {
      // Not possible: partial recovery that cannot keep to the share of lost samples.
    }
  };
  const auto halve = [&](const char* name, double GoodputJob::*time_s) {
    if (!(job.*time_s > 0)) return;
    GoodputJob changed = job;
    changed.*time_s /= 2;
    attempt(std::string("half the ") + name + " (to " + duration_text(changed.*time_s) + ")",
            changed);
  };
  if (std::isfinite(job.node_mtbf_s)) {
    GoodputJob changed = job;
    changed.node_mtbf_s *= 2;
    attempt("half as many failures (one every " + duration_text(changed.mtbf_s()) + ")", changed);
  }
  halve("blocking save time", &GoodputJob::save_s);
  halve("background write time", &GoodputJob::write_s);
  halve("load time", &GoodputJob::load_s);
  halve("restart time", &GoodputJob::restart_s);
  halve("detection time", &GoodputJob::detect_s);
  if (job.interval_s) {
    GoodputJob changed = job;
    changed.interval_s.reset();
    try {
      attempt("a checkpoint every " + duration_text(interval_of(changed)), changed);
    } catch (const std::runtime_error&) {
      // Partial recovery without a possible interval.
    }
  }
  if (job.synchronization == Synchronization::foreground) {
    GoodputJob changed = job;
    changed.synchronization = Synchronization::background;
    attempt("synchronization in the background", changed);
  } else {
    halve("exposed synchronization per step", &GoodputJob::background_sync_s);
  }
  if (job.spares) {
    halve("repair time", &GoodputJob::repair_s);
    GoodputJob changed = job;
    changed.spares = *job.spares + std::max<std::int64_t>(1, *job.spares / 10);
    attempt(format_number_of(*changed.spares, "spare node"), changed);
  }
  std::ranges::stable_sort(changes, std::greater(), &GoodputChange::gain);
  return changes;
}

}  // namespace mansard::analysis
