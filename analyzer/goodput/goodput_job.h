// SPDX-License-Identifier: Apache-2.0
// A long training run on many GPUs that fail: the inputs of the goodput analysis.
//
// Goodput is the share of the wall time in which the job computes steps that count: without
// synchronization, saving of checkpoints, work that failures undo, and recovery from failures.
//
// Time runs as follows. The job trains for one checkpoint interval, then saves a checkpoint, which
// blocks training for `save_s`; for another `write_s` the checkpoint is written in the background
// and cannot be loaded yet. The last checkpoint is written before the job ends. A failure of a node
// interrupts the job: if there are spare nodes and all of them are in use, the job waits for a
// repair or continues with fewer nodes (WithoutSpare); then it detects the failure, is rescheduled,
// and loads a checkpoint. Another failure in this time starts the recovery again. Where replicas
// recover one by one, this holds for the replica, and the others train on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mansard::analysis {

enum class Recovery {
  full,     // all nodes return to the last checkpoint
  partial,  // only what has failed loads its checkpoint (CPR, arXiv 2011.02999): samples are lost
};

enum class Synchronization {
  foreground,  // adds its whole time to the step
  background,  // beside compute: adds only its exposed time (ShadowSync, arXiv 2003.03477)
};

enum class WithoutSpare {
  wait,    // the job waits until a node is repaired
  shrink,  // the job continues with fewer data-parallel replicas
};

struct GoodputJob {
  std::int64_t gpus = 8;
  std::int64_t gpus_per_node = 8;
  // Mean time between failures of one node while the job runs; infinite: nodes never fail. A
  // failure is anything that interrupts the job, of hardware or software.
  double node_mtbf_s = 0;

  double compute_s = 0;          // of a step, without synchronization of gradients and parameters
  double foreground_sync_s = 0;  // per step
  double background_sync_s = 0;  // exposed, per step
  Synchronization synchronization = Synchronization::background;
  double steps = 0;  // that the job completes; may have a fraction

  double save_s = 0;   // blocks training
  double write_s = 0;  // in the background, after save_s
  double load_s = 0;
  double restart_s = 0;  // reschedule, start processes and communicators
  double detect_s = 0;   // from the failure until the job is stopped
  // Training time from one checkpoint to the next one; empty: the optimum for full recovery, and
  // for partial recovery the longest one that keeps to `lost_samples`.
  std::optional<double> interval_s;
  Recovery recovery = Recovery::full;
  double lost_samples = 0.01;  // partial recovery: most samples that may be lost (expected share)
  // Partial recovery, for parameters that are split evenly: over this number of nodes (N_emb of
  // CPR; 0: all nodes). The job waits for the failed one.
  std::int64_t shards = 0;
  // Partial recovery, for data-parallel replicas that have all parameters and are synchronized
  // between steps: the others train on while one recovers.
  bool replicated = false;

  std::optional<std::int64_t> spares;  // spare nodes; empty: a replacement is always available
  double repair_s = 0;                 // mean time until a failed node is a spare again
  WithoutSpare without_spare = WithoutSpare::wait;
  std::int64_t replica_nodes = 1;  // nodes per data-parallel replica

  std::int64_t nodes() const { return (gpus + gpus_per_node - 1) / gpus_per_node; }
  std::int64_t replicas() const { return std::max<std::int64_t>(nodes() / replica_nodes, 1); }
  bool others_continue() const { return recovery == Recovery::partial && replicated; }
  // Parts of the job that lose their own samples only.
  std::int64_t parameter_shards() const {
    return others_continue() ? replicas() : shards > 0 ? shards : nodes();
  }
  double failures_per_s() const { return static_cast<double>(nodes()) / node_mtbf_s; }
  // Interruptions of the whole job, or of each replica if the others continue.
  double interruptions_per_s() const {
    return failures_per_s() / static_cast<double>(others_continue() ? replicas() : 1);
  }
  double mtbf_s() const { return 1 / failures_per_s(); }  // of the job
  double sync_s() const {
    return synchronization == Synchronization::foreground ? foreground_sync_s : background_sync_s;
  }
  double step_s() const { return compute_s + sync_s(); }
  double training_s() const { return steps * step_s(); }
  double recovery_s() const { return detect_s + restart_s + load_s; }
  // Speed of training without `missing` nodes, relative to all nodes. Nodes of incomplete replicas
  // form complete ones.
  double speed_without(std::int64_t missing) const;
};

// "full", "partial", or "partial, of replicas".
std::string_view recovery_text(const GoodputJob& job);

// Throws std::runtime_error that names the value and its range.
void require_valid(const GoodputJob& job);

}  // namespace mansard::analysis
