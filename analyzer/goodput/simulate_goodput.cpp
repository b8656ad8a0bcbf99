// SPDX-License-Identifier: Apache-2.0
#include "analyzer/goodput/simulate_goodput.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "analyzer/goodput/checkpoint_interval.h"
#include "analyzer/goodput/expected_goodput.h"
#include "analyzer/goodput/simulate_replicas.h"
#include "analyzer/goodput/simulated_events.h"
#include "support/hash.h"
#include "support/statistics.h"
#include "support/units.h"

namespace mansard::analysis {
namespace {

constexpr double kMostEvents = 5e8;  // of all replications, about a minute

// One run of a job whose nodes wait for each other.
class Replication {
 public:
  Replication(const GoodputJob& job, double shape, std::uint64_t seed, double most_failures)
      : job_(job),
        interval_s_(interval_of(job)),
        most_failures_(most_failures),
        random_(seed, job.node_mtbf_s, shape),
        spares_(job.spares.value_or(0)) {
    if (std::isinf(job.node_mtbf_s)) return;
    for (std::int64_t i = 0; i < job.nodes(); ++i) failures_.push(random_.used_node_s());
  }

  Goodput run() {
    const double training_s = job_.training_s();
    const auto segments =
        static_cast<std::int64_t>(std::max(1.0, std::ceil(training_s / interval_s_ - 1e-9)));
    double written_at_s = 0;  // when the last checkpoint is written, on the clock of failures
    for (std::int64_t at = 0; at < segments;) {  // segments with a checkpoint
      const bool last = at + 1 == segments;
      double train_s = last ? training_s - static_cast<double>(at) * interval_s_ : interval_s_;
      double save_s = job_.save_s + (last ? job_.write_s : 0);
      progress_s_ = 0;
      bool done = false;
      while (!done) {
        done = train(train_s) && save(save_s);
        if (done) break;
        unwritten_s_ = clock_s_ < written_at_s ? interval_s_ : 0;
        fail();
        recover();
        if (job_.recovery == Recovery::full) break;
      }
      if (done) {
        ++at;
        written_at_s = clock_s_ + job_.write_s;
      } else {
        if (unwritten_s_ > 0) --at;
        written_at_s = clock_s_;  // of the loaded checkpoint
      }
    }
    return result(static_cast<double>(segments));
  }

 private:
  // Lets time pass until `time_s` is used up (true) or a node fails (false). `time_s` becomes the
  // time that is left.
  bool pass(double& time_s, GoodputPart part) {
    const double until_failure_s = failures_.first() - clock_s_;
    const double passed_s = std::max(0.0, std::min(time_s, until_failure_s));
    clock_s_ += passed_s;
    wall_s_ += passed_s;
    parts_[part] += passed_s;
    if (until_failure_s < time_s) {
      time_s -= passed_s;
      return false;
    }
    time_s = 0;
    return true;
  }

  bool save(double& time_s) { return pass(time_s, GoodputPart::saving); }

  // Trains for `time_s`, measured at full speed.
  bool train(double& time_s) {
    while (time_s > 0) {
      const double speed = missing_ > 0 ? job_.speed_without(missing_) : 1;
      if (speed == 0) {
        wait_for_repair();
        continue;
      }
      double step_s = time_s / speed;
      const double until_repair_s =
          missing_ > 0 ? std::max(0.0, repairs_.first() - wall_s_) : kInfinity;
      const bool repaired = until_repair_s < step_s;
      if (repaired) step_s = until_repair_s;
      const double before_s = clock_s_;
      const bool passed = pass(step_s, GoodputPart::lost_work);  // split in result()
      const double elapsed_s = clock_s_ - before_s;
      const double trained_s = elapsed_s * speed;
      trained_s_ += trained_s;
      progress_s_ += trained_s;
      parts_[GoodputPart::degraded] += elapsed_s - trained_s;
      time_s = passed && !repaired ? 0 : std::max(0.0, time_s - trained_s);
      if (!passed) return false;
      if (repaired) collect_repaired();
    }
    return true;
  }

  void recover() {
    for (;;) {
      double detect_s = job_.detect_s;
      double restart_s = job_.restart_s;
      double load_s = job_.load_s;
      if (pass(detect_s, GoodputPart::detection) && pass(restart_s, GoodputPart::rescheduling) &&
          pass(load_s, GoodputPart::loading)) {
        return;
      }
      fail();
    }
  }

  // A node fails and is replaced, if there is another one.
  void fail() {
    failures_.pop();
    if (++parts_.failures > most_failures_) {
      throw std::runtime_error("the simulated job makes no progress: " +
                               format_whole(std::llround(parts_.failures)) + " failures");
    }
    lost_s_ += progress_s_ + unwritten_s_;
    if (!job_.spares) {
      replace();
      return;
    }
    collect_repaired();
    repairs_.push(wall_s_ + random_.exponential_s(job_.repair_s));
    if (spares_ > 0) {
      --spares_;
      replace();
      return;
    }
    ++missing_;
    if (job_.without_spare == WithoutSpare::wait) wait_for_repair();
  }

  void replace() { failures_.push(clock_s_ + random_.new_node_s()); }

  // Nodes do not fail meanwhile: the clock of failures stands still.
  void wait_for_repair() {
    const double waited_s = std::max(0.0, repairs_.first() - wall_s_);
    wall_s_ += waited_s;
    parts_[GoodputPart::waiting] += waited_s;
    // Rounding must not leave the repair in the future.
    wall_s_ = std::max(wall_s_, repairs_.first());
    collect_repaired();
  }

  void collect_repaired() {
    while (repairs_.first() <= wall_s_) {
      repairs_.pop();
      if (missing_ > 0) {
        --missing_;
        replace();
      } else {
        ++spares_;
      }
    }
  }

  // Splits the time of training and saving into what counts and what was lost.
  Goodput result(double segments) {
    Goodput g = parts_;
    const double training_s = job_.training_s();
    const double saving_s = segments * job_.save_s + job_.write_s;
    g.interval_s = interval_s_;
    g.steps = job_.steps;
    g[GoodputPart::compute] = job_.steps * job_.compute_s;
    g[GoodputPart::synchronization] = job_.steps * job_.sync_s();
    g[GoodputPart::saving] = saving_s;
    const double saved_s = parts_[GoodputPart::saving];
    // Partial recovery repeats nothing; rounding errors are not lost work.
    g[GoodputPart::lost_work] = job_.recovery == Recovery::partial
                                    ? 0
                                    : std::max(0.0, trained_s_ + saved_s - training_s - saving_s);
    if (job_.recovery == Recovery::partial) {
      g.lost_samples = lost_s_ / training_s / static_cast<double>(job_.parameter_shards());
    }
    return g;
  }

  const GoodputJob& job_;
  const double interval_s_;
  const double most_failures_;
  RandomTimes random_;
  EventQueue failures_;  // next failure of each node, on the clock of failures
  EventQueue repairs_;   // ends of repairs, in wall time
  std::int64_t spares_;  // ready
  std::int64_t missing_ = 0;
  double wall_s_ = 0;
  double clock_s_ = 0;  // wall time without waiting, during which nodes do not fail
  double trained_s_ = 0;
  double progress_s_ = 0;   // training since the last checkpoint
  double unwritten_s_ = 0;  // training of the segment before it, if its checkpoint is unwritten
  double lost_s_ = 0;       // sum over failures, of the samples of one shard
  Goodput parts_;
};

double half_width(const std::vector<double>& values, double mean) {
  // A part that is the same in all runs differs by rounding only.
  constexpr double kTimeRounding = 1e-12;
  if (mean == 0) return 0;
  const double relative = mean_uncertainty(values);
  return relative < kTimeRounding ? 0 : relative * std::fabs(mean);
}

}  // namespace

SimulatedGoodput simulate_goodput(const GoodputJob& job, const SimulationOptions& options) {
  if (options.replications < 2 || options.replications > 100'000) {
    throw std::runtime_error("replications " + std::to_string(options.replications) +
                             ": must be between 2 and 100,000");
  }
  if (!(options.weibull_shape >= 0.2 && options.weibull_shape <= 10)) {
    throw std::runtime_error("Weibull shape: must be between 0.2 and 10");
  }
  const Goodput expected = expected_goodput(job);
  const double events = static_cast<double>(job.nodes()) + 4 * expected.failures +
                        2 * job.training_s() / expected.interval_s;
  if (events * options.replications > kMostEvents) {
    throw std::runtime_error("the simulation needs " + format_si(events, "") +
                             " events in each of " + std::to_string(options.replications) +
                             " replications; use fewer replications, a shorter run or a longer "
                             "checkpoint interval");
  }
  std::vector<Goodput> runs;
  const double most_failures = 1e6 + 100 * expected.failures;
  for (int i = 0; i < options.replications; ++i) {
    const std::uint64_t seed =
        splitmix64(options.seed + kGoldenRatio64 * static_cast<std::uint64_t>(i));
    runs.push_back(job.others_continue()
                       ? simulate_replicas(job, options.weibull_shape, seed, most_failures)
                       : Replication(job, options.weibull_shape, seed, most_failures).run());
  }
  const auto values = [&](auto value_of) {
    std::vector<double> list;
    for (const Goodput& run : runs) list.push_back(value_of(run));
    return list;
  };
  const auto mean_of = [&](const std::vector<double>& list) {
    double sum = 0;
    for (const double value : list) sum += value;
    return sum / static_cast<double>(list.size());
  };
  SimulatedGoodput s;
  s.replications = options.replications;
  s.mean.interval_s = expected.interval_s;
  s.mean.steps = job.steps;
  for (std::size_t i = 0; i < kGoodputParts; ++i) {
    const std::vector<double> list = values([i](const Goodput& run) { return run.parts_s[i]; });
    s.mean.parts_s[i] = mean_of(list);
    s.part_errors_s[i] = half_width(list, s.mean.parts_s[i]);
  }
  const std::vector<double> failures = values([](const Goodput& run) { return run.failures; });
  s.mean.failures = mean_of(failures);
  s.failures_error = half_width(failures, s.mean.failures);
  const std::vector<double> lost = values([](const Goodput& run) { return run.lost_samples; });
  s.mean.lost_samples = mean_of(lost);
  s.lost_samples_error = half_width(lost, s.mean.lost_samples);
  s.wall_error_s =
      half_width(values([](const Goodput& run) { return run.wall_s(); }), s.mean.wall_s());
  const std::vector<double> fractions = values([](const Goodput& run) { return run.fraction(); });
  s.fraction_error = half_width(fractions, mean_of(fractions));
  s.fraction_low = quantile(fractions, 0.05);
  s.fraction_high = quantile(fractions, 0.95);
  return s;
}

}  // namespace mansard::analysis
