// SPDX-License-Identifier: Apache-2.0
#include "analyzer/goodput/expected_goodput.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "analyzer/goodput/checkpoint_interval.h"
#include "support/units.h"

namespace mansard::analysis {
namespace {

// Beyond these, nobody runs the job: exp(30) attempts of a segment or recovery, a failure every
// millisecond, 32 million years.
constexpr double kMostMeanFailures = 30;
constexpr double kMostFailuresPerSecond = 1000;
constexpr double kLongestWall_s = 1e15;

struct Segments {
  double count = 0;   // all of them
  double last_s = 0;  // training time of the last one
};

Segments segments_of(double training_s, double interval_s) {
  // A last segment that is only a rounding error belongs to the one before.
  const double count = std::max(1.0, std::ceil(training_s / interval_s - 1e-9));
  return {count, training_s - (count - 1) * interval_s};
}

// (exp(rate x time) - 1) / rate, also for a rate of 0.
double grown(double rate, double time_s) {
  return rate > 0 ? std::expm1(rate * time_s) / rate : time_s;
}

class Expectation {
 public:
  explicit Expectation(const GoodputJob& job)
      : job_(job),
        interval_s_(interval_of(job)),
        segments_(segments_of(job.training_s(), interval_s_)),
        rate_(std::isinf(job.node_mtbf_s) ? 0 : job.interruptions_per_s()) {
    const double longest_s = job.recovery_s() + job.write_s +
                             (job.recovery == Recovery::full ? interval_s_ + job.save_s : 0);
    if (rate_ * longest_s > kMostMeanFailures || rate_ > kMostFailuresPerSecond ||
        running_s() > kLongestWall_s) {
      throw std::runtime_error(
          "the job makes no progress: it fails every " + duration_text(1 / rate_) + " on average" +
          (job.others_continue() ? " in each replica" : "") + ", but " +
          (job.recovery == Recovery::full ? "one checkpoint interval with its recovery"
                                          : "a recovery") +
          " takes " + duration_text(longest_s) +
          "; checkpoint more often, recover faster or use fewer nodes");
    }
  }

  Goodput goodput() const {
    Goodput g = start();
    const double saving_s = all_saves_s();
    const double total_s = running_s();
    const double outside_s = total_s * std::exp(-rate_ * job_.recovery_s());
    g[GoodputPart::saving] = saving_s;
    if (job_.recovery == Recovery::full) {
      g[GoodputPart::lost_work] = std::max(0.0, outside_s - job_.training_s() - saving_s);
    }
    double before_s = 0;
    const auto phase = [&](GoodputPart part, double time_s) {
      g[part] = total_s * std::exp(-rate_ * before_s) * -std::expm1(-rate_ * time_s);
      before_s += time_s;
    };
    phase(GoodputPart::detection, job_.detect_s);
    phase(GoodputPart::rescheduling, job_.restart_s);
    phase(GoodputPart::loading, job_.load_s);
    g.failures = job_.failures_per_s() * total_s;
    if (job_.recovery == Recovery::partial) g.lost_samples = lost_samples_of(job_, interval_s_);
    add_missing_nodes(g);
    return g;
  }

  Goodput first_order() const {
    Goodput g = start();
    const double training_s = job_.training_s();
    const double interruptions = rate_ * training_s;
    g.failures = job_.failures_per_s() * training_s;
    g[GoodputPart::saving] = job_.save_s * training_s / interval_s_;
    if (job_.recovery == Recovery::full) {
      g[GoodputPart::lost_work] = interruptions * (interval_s_ / 2 + job_.write_s);
    } else {
      g.lost_samples =
          job_.failures_per_s() * interval_s_ / 2 / static_cast<double>(job_.parameter_shards());
    }
    g[GoodputPart::detection] = interruptions * job_.detect_s;
    g[GoodputPart::rescheduling] = interruptions * job_.restart_s;
    g[GoodputPart::loading] = interruptions * job_.load_s;
    add_missing_nodes(g);
    return g;
  }

 private:
  Goodput start() const {
    Goodput g;
    g.interval_s = interval_s_;
    g.steps = job_.steps;
    g[GoodputPart::compute] = job_.steps * job_.compute_s;
    g[GoodputPart::synchronization] = job_.steps * job_.sync_s();
    return g;
  }

  double all_saves_s() const { return segments_.count * job_.save_s + job_.write_s; }

  // Expected wall time, with all nodes.
  double running_s() const {
    if (job_.recovery == Recovery::full) return full_s();
    return (job_.training_s() + all_saves_s()) * std::exp(rate_ * job_.recovery_s());
  }

  // Expected time of a segment without a background write at its start (Y).
  double segment_s(double length_s) const {
    return std::exp(rate_ * job_.recovery_s()) * grown(rate_, length_s);
  }

  double full_s() const {
    const double whole_s = segment_s(interval_s_ + job_.save_s);
    const double last_s = segment_s(segments_.last_s + job_.save_s + job_.write_s);
    return (segments_.count - 1) * std::exp(rate_ * job_.write_s) * whole_s + last_s;
  }

  void add_missing_nodes(Goodput& g) const {
    if (!job_.spares || rate_ == 0 || job_.repair_s == 0) return;
    if (job_.without_spare == WithoutSpare::wait && !job_.others_continue()) {
      const double waiting = erlang_b(*job_.spares + 1, rate_ * job_.repair_s);
      g[GoodputPart::waiting] = g.wall_s() * waiting / (1 - waiting);
    } else {
      const double lost = lost_speed();
      const double trained_s =
          g[GoodputPart::compute] + g[GoodputPart::synchronization] + g[GoodputPart::lost_work];
      g[GoodputPart::degraded] = trained_s * lost / (1 - lost);
    }
  }

  // Mean share of the speed that is lost to missing nodes, for WithoutSpare::shrink: birth-death
  // process in the number of nodes in repair, up to the first state without a complete replica.
  double lost_speed() const {
    const double per_node = job_.repair_s / job_.node_mtbf_s;
    double weight = 1;  // relative to the state without a node in repair
    double sum = 0;
    double lost = 0;
    for (std::int64_t broken = 0;; ++broken) {
      const std::int64_t missing = std::max<std::int64_t>(broken - *job_.spares, 0);
      const double speed = job_.speed_without(missing);
      sum += weight;
      lost += weight * (1 - speed);
      if (speed == 0) break;
      weight *=
          per_node * static_cast<double>(job_.nodes() - missing) / static_cast<double>(broken + 1);
      if (sum > 1e250) {  // keeps the weights finite
        weight /= sum;
        lost /= sum;
        sum = 1;
      }
      if (weight < 1e-16 * sum &&
          per_node * static_cast<double>(job_.nodes()) < static_cast<double>(broken + 1)) {
        break;
      }
    }
    if (lost / sum > 0.999) {
      throw std::runtime_error(
          "the job makes no progress: nearly all of its nodes are in repair; add spare nodes or "
          "repair faster");
    }
    return lost / sum;
  }

  const GoodputJob& job_;
  const double interval_s_;
  const Segments segments_;
  const double rate_;
};

}  // namespace

const std::array<GoodputPartInfo, kGoodputParts>& goodput_parts() {
  using enum GoodputPart;
  static const std::array<GoodputPartInfo, kGoodputParts> parts = {{
      {compute, "compute", "training (goodput)", "Steps that count, without synchronization."},
      {synchronization, "synchronization", "exposed synchronization",
       "Communication of gradients and parameters that compute does not hide."},
      {saving, "saving", "saving checkpoints", "Blocking time of the checkpoints that count."},
      {lost_work, "lost_work", "lost work",
       "Training and saves since the last checkpoint, done again after a failure."},
      {detection, "detection", "detecting failures", "From a failure until the job is stopped."},
      {rescheduling, "rescheduling", "rescheduling and restart",
       "Replace the node; start processes and communicators."},
      {loading, "loading", "loading checkpoints", "Read and distribute the checkpoint."},
      {waiting, "waiting", "waiting for a spare node", "All spare nodes are in repair."},
      {degraded, "degraded", "running with fewer nodes",
       "Training time added by missing data-parallel replicas."},
  }};
  return parts;
}

std::string duration_text(double time_s) {
  if (!(std::fabs(time_s) >= 120 && std::isfinite(time_s))) return format_si(time_s, "s");
  struct Unit {
    double seconds;
    const char* name;
  };
  constexpr Unit kUnits[] = {{365.25 * 86400, "years"}, {86400, "days"}, {3600, "h"}, {60, "min"}};
  for (const Unit& unit : kUnits) {
    const double value = time_s / unit.seconds;
    if (std::fabs(value) < 2) continue;
    char text[48];
    if (std::fabs(value) >= 1e15) {
      std::snprintf(text, sizeof text, "%.3g %s", value, unit.name);
      return text;
    }
    if (std::fabs(value) >= 999.5) return format_whole(std::llround(value)) + ' ' + unit.name;
    std::snprintf(text, sizeof text, "%.*f %s", decimals_of(std::fabs(value), 3), value, unit.name);
    return text;
  }
  return {};
}

double erlang_b(std::int64_t servers, double load) {
  double blocked = 1;
  for (std::int64_t n = 1; n <= servers; ++n) {
    blocked = load * blocked / (static_cast<double>(n) + load * blocked);
  }
  return blocked;
}

Goodput expected_goodput(const GoodputJob& job) {
  require_valid(job);
  return Expectation(job).goodput();
}

Goodput first_order_goodput(const GoodputJob& job) {
  require_valid(job);
  return Expectation(job).first_order();
}

double steps_within(GoodputJob job, double wall_s) {
  // The wall time rises with the number of steps.
  double low = 0;
  double high = wall_s / job.step_s();
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    job.steps = middle;
    if (middle <= 0) break;
    (expected_goodput(job).wall_s() < wall_s ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace mansard::analysis
