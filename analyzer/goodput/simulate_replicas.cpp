// SPDX-License-Identifier: Apache-2.0
#include "analyzer/goodput/simulate_replicas.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/goodput/checkpoint_interval.h"
#include "analyzer/goodput/simulated_events.h"
#include "support/units.h"

namespace mansard::analysis {
namespace {

class ReplicatedRun {
 public:
  ReplicatedRun(const GoodputJob& job, double shape, std::uint64_t seed, double most_failures)
      : job_(job),
        interval_s_(interval_of(job)),
        most_failures_(most_failures),
        random_(seed, job.node_mtbf_s, shape),
        spares_(job.spares.value_or(0)),
        fails_at_s_(static_cast<std::size_t>(job.replicas() * job.replica_nodes), kInfinity),
        replicas_(static_cast<std::size_t>(job.replicas())),
        present_(job.replicas()) {
    if (std::isinf(job.node_mtbf_s)) return;
    for (std::int64_t node = 0; node < std::ssize(fails_at_s_); ++node) {
      put_in_service(node, random_.used_node_s());
    }
  }

  Goodput run() {
    const double training_s = job_.training_s();
    double trained_s = 0;               // by all replicas, over their number
    double until_save_s = interval_s_;  // of steps
    double save_left_s = 0;             // of the save in progress
    for (bool ends = false; !ends;) {
      const bool saves = save_left_s > 0;
      const double speed = share_of(present_);
      // All replicas may be absent: then the phase does not pass.
      const double training_left_s = speed > 0 ? (training_s - trained_s) / speed : kInfinity;
      const double phase_s = speed == 0 ? kInfinity
                             : saves    ? save_left_s
                                        : std::min(until_save_s, training_left_s);
      const double events_at_s =
          std::min({failures_.first(), recoveries_.first(), repairs_.first()});
      const bool completes = now_s_ + phase_s <= events_at_s;
      const double passed_s = completes ? phase_s : events_at_s - now_s_;
      now_s_ = completes ? now_s_ + phase_s : events_at_s;
      parts_[GoodputPart::degraded] += passed_s * share_of(std::ssize(without_node_));
      if (saves) {
        parts_[GoodputPart::saving] += passed_s * speed;
        save_left_s = completes ? 0 : save_left_s - (speed > 0 ? passed_s : 0);
        if (completes) complete_save();
      } else if (speed > 0) {
        ends = completes && training_left_s <= until_save_s;
        trained_s += passed_s * speed;
        steps_s_ += passed_s;
        until_save_s -= passed_s;
        if (completes && !ends) {
          until_save_s = interval_s_;
          save_left_s = job_.save_s;
          if (save_left_s == 0) complete_save();
        }
      }
      handle_events();
    }
    parts_.interval_s = interval_s_;
    parts_.steps = job_.steps;
    parts_[GoodputPart::compute] = job_.steps * job_.compute_s;
    parts_[GoodputPart::synchronization] = job_.steps * job_.sync_s();
    parts_[GoodputPart::saving] += job_.save_s + job_.write_s;  // the last one
    parts_.lost_samples = share_of(1) * lost_s_ / training_s;
    return parts_;
  }

 private:
  enum class State { present, recovering, without_node };
  struct Replica {
    State state = State::present;
    double joined_s = 0;                      // on the clock of steps
    double recovers_from_s = 0, until_s = 0;  // wall time
  };

  Replica& replica(std::int64_t index) { return replicas_[static_cast<std::size_t>(index)]; }
  double& fails_at_s(std::int64_t node) { return fails_at_s_[static_cast<std::size_t>(node)]; }
  double share_of(std::int64_t replicas) const {
    return static_cast<double>(replicas) / static_cast<double>(replicas_.size());
  }

  void put_in_service(std::int64_t node, double life_s) {
    fails_at_s(node) = now_s_ + life_s;
    failures_.push(now_s_ + life_s, node);
  }

  void complete_save() {
    saved_before_s_ = saved_s_;
    saved_s_ = steps_s_;
    written_at_s_ = now_s_ + job_.write_s;
  }

  void handle_events() {
    while (recoveries_.first() <= now_s_) {
      const double ends_s = recoveries_.first();
      Replica& r = replica(recoveries_.pop());
      if (r.state != State::recovering || r.until_s != ends_s) continue;  // it failed again
      count_recovery(r);
      r.state = State::present;
      r.joined_s = steps_s_;
      ++present_;
    }
    while (repairs_.first() <= now_s_) {
      repairs_.pop();
      add_node();
    }
    while (failures_.first() <= now_s_) {
      const double failed_s = failures_.first();
      const std::int64_t node = failures_.pop();
      if (fails_at_s(node) == failed_s) fail(node);  // otherwise it was taken by another replica
    }
  }

  // A node is repaired: it is a spare, or replaces a missing one.
  void add_node() {
    if (without_node_.empty()) {
      ++spares_;
      return;
    }
    const std::int64_t index = without_node_.back();
    std::int64_t missing = 0;
    for (std::int64_t i = 0; i < job_.replica_nodes; ++i) {
      const std::int64_t node = index * job_.replica_nodes + i;
      if (fails_at_s(node) == kInfinity && missing++ == 0) {
        put_in_service(node, random_.new_node_s());
      }
    }
    if (missing > 1) return;
    without_node_.pop_back();
    start_recovery(index);
  }

  // Takes a working node of a replica that lacks one. Only the last of them has any.
  bool take_idle_node() {
    if (without_node_.empty()) return false;
    for (std::int64_t i = 0; i < job_.replica_nodes; ++i) {
      double& idle = fails_at_s(without_node_.back() * job_.replica_nodes + i);
      if (idle == kInfinity) continue;
      idle = kInfinity;
      return true;
    }
    return false;
  }

  void start_recovery(std::int64_t index) {
    Replica& r = replica(index);
    r.state = State::recovering;
    r.recovers_from_s = now_s_;
    r.until_s = now_s_ + job_.recovery_s();
    recoveries_.push(r.until_s, index);
  }

  // Counts the parts of a recovery that ends, or that another failure ends.
  void count_recovery(const Replica& r) {
    double left_s = now_s_ - r.recovers_from_s;
    for (const auto& [part, longest_s] : {std::pair(GoodputPart::detection, job_.detect_s),
                                          std::pair(GoodputPart::rescheduling, job_.restart_s),
                                          std::pair(GoodputPart::loading, job_.load_s)}) {
      const double time_s = std::min(left_s, longest_s);
      parts_[part] += time_s * share_of(1);
      left_s -= time_s;
    }
  }

  void fail(std::int64_t node) {
    if (++parts_.failures > most_failures_) {
      throw std::runtime_error("the simulated job makes no progress: " +
                               format_whole(std::llround(parts_.failures)) + " failures");
    }
    const std::int64_t index = node / job_.replica_nodes;
    Replica& r = replica(index);
    if (r.state == State::present) {
      --present_;
      lost_s_ += steps_s_ - std::max(saved_s_, r.joined_s);
      if (now_s_ < written_at_s_) {
        lost_s_ += std::max(0.0, saved_s_ - std::max(saved_before_s_, r.joined_s));
      }
    } else if (r.state == State::recovering) {
      count_recovery(r);
    }
    if (job_.spares) repairs_.push(now_s_ + random_.exponential_s(job_.repair_s));
    const bool waits = r.state == State::without_node;
    if (!job_.spares || spares_ > 0) {
      if (job_.spares) --spares_;
      put_in_service(node, random_.new_node_s());
    } else if (!waits && take_idle_node()) {
      put_in_service(node, random_.used_node_s());
    } else {
      fails_at_s(node) = kInfinity;
      if (!waits) without_node_.push_back(index);
      r.state = State::without_node;
      return;
    }
    start_recovery(index);
  }

  const GoodputJob& job_;
  const double interval_s_;
  const double most_failures_;
  RandomTimes random_;
  // In wall time: failures of nodes, ends of repairs of nodes and of recoveries of replicas.
  EventQueue failures_, repairs_, recoveries_;
  std::int64_t spares_;
  std::vector<double> fails_at_s_;  // of each node; infinite: it is missing
  std::vector<Replica> replicas_;
  std::int64_t present_;                    // replicas that train
  std::vector<std::int64_t> without_node_;  // replicas that wait for a repair
  double now_s_ = 0;                        // wall time
  // On the clock of steps, the training time of the replicas that are present.
  double steps_s_ = 0, saved_s_ = 0, saved_before_s_ = 0;
  double written_at_s_ = 0;  // wall time
  double lost_s_ = 0;        // training of one replica, summed over failures
  Goodput parts_;
};

}  // namespace

Goodput simulate_replicas(const GoodputJob& job, double weibull_shape, std::uint64_t seed,
                          double most_failures) {
  return ReplicatedRun(job, weibull_shape, seed, most_failures).run();
}

}  // namespace mansard::analysis
