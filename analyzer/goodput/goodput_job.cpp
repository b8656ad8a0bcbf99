// SPDX-License-Identifier: Apache-2.0
#include "analyzer/goodput/goodput_job.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "support/units.h"

namespace mansard::analysis {
namespace {

constexpr std::int64_t kMostNodes = 10'000'000;
constexpr double kMostSteps = 1e15;
constexpr double kLongest_s = 1e12;  // 32,000 years: sums and products stay far from overflow

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

void require_time(const char* name, double value_s, bool zero_allowed) {
  const bool low = zero_allowed ? value_s >= 0 : value_s > 0;
  if (low && value_s <= kLongest_s) return;  // false for NaN
  fail(std::string(name) + " of " + number(value_s) + " s: must be " +
       (zero_allowed ? "0 or more" : "above 0") + ", and at most " + number(kLongest_s) + " s");
}

void require_count(const char* name, std::int64_t value, std::int64_t least) {
  if (value >= least && value <= kMostNodes) return;
  fail(std::string(name) + " " + std::to_string(value) + ": must be between " +
       std::to_string(least) + " and " + format_whole(kMostNodes));
}

}  // namespace

double GoodputJob::speed_without(std::int64_t missing) const {
  const std::int64_t left = std::max<std::int64_t>(nodes() - missing, 0) / replica_nodes;
  return static_cast<double>(std::min(left, replicas())) / static_cast<double>(replicas());
}

std::string_view recovery_text(const GoodputJob& job) {
  return job.others_continue()               ? "partial, of replicas"
         : job.recovery == Recovery::partial ? "partial"
                                             : "full";
}

void require_valid(const GoodputJob& job) {
  require_count("GPUs", job.gpus, 1);
  require_count("GPUs per node", job.gpus_per_node, 1);
  require_count("parameter shards", job.shards, 0);
  require_count("nodes per replica", job.replica_nodes, 1);
  if (job.replica_nodes > job.nodes()) {
    fail(format_number_of(job.replica_nodes, "node") + " per replica: the job has " +
         format_number_of(job.nodes(), "node"));
  }
  if (job.others_continue() && job.replicas() < 2) {
    fail("partial recovery of replicas: the job has only one, of " +
         format_number_of(job.nodes(), "node"));
  }
  if (job.spares) require_count("spare nodes", *job.spares, 0);
  if (!(job.node_mtbf_s > 0)) fail("mean time between failures: must be above 0");
  require_time("compute time per step", job.compute_s, false);
  require_time("synchronization per step in the foreground", job.foreground_sync_s, true);
  require_time("exposed synchronization per step in the background", job.background_sync_s, true);
  if (job.background_sync_s > job.foreground_sync_s) {
    fail("exposed synchronization per step in the background (" + number(job.background_sync_s) +
         " s) must not exceed that in the foreground (" + number(job.foreground_sync_s) + " s)");
  }
  require_time("checkpoint save time", job.save_s, true);
  require_time("background write time of a checkpoint", job.write_s, true);
  require_time("checkpoint load time", job.load_s, true);
  require_time("restart time", job.restart_s, true);
  require_time("detection time", job.detect_s, true);
  require_time("repair time", job.repair_s, true);
  if (!(job.steps > 0 && job.steps <= kMostSteps)) {
    fail("steps " + number(job.steps) + ": must be above 0, and at most " + number(kMostSteps));
  }
  require_time("training time of all steps", job.training_s(), false);
  if (!(job.lost_samples > 0 && job.lost_samples < 1)) {
    fail("share of lost samples " + number(job.lost_samples) + ": must be between 0 and 1");
  }
  if (!job.interval_s) return;
  require_time("checkpoint interval", *job.interval_s, false);
  if (*job.interval_s < job.step_s()) {
    fail("checkpoint interval of " + number(*job.interval_s) + " s is shorter than a step of " +
         number(job.step_s()) + " s");
  }
  if (*job.interval_s + job.save_s < job.write_s) {
    fail("checkpoint interval of " + number(*job.interval_s) +
         " s: writing a checkpoint in the background takes " + number(job.write_s) +
         " s and must end before the next one");
  }
}

}  // namespace mansard::analysis
