// SPDX-License-Identifier: Apache-2.0
// Data-parallel replicas that train on their own and are drawn together now and then, instead of
// exchanging gradients in every step: elastic averaging (EASGD, arXiv 1412.6651), model averaging,
// and block momentum (BMUF, Chen and Huo, ICASSP 2016); in the foreground, or in the background as
// in ShadowSync (arXiv 2003.03477), where a replica trains on while a thread and a stream of their
// own synchronize it.
//
// Between two steps, the weights w are copied; from the copy, the synchronization computes a target
// t, and later, again between two steps, w += elasticity (t - copy). In the foreground nothing
// happens between the two; in the background the steps between them are the staleness.
//
// Replicas survive the loss of others (CPR, arXiv 2011.02999): if they can be connected again, they
// train on until the lost rank is back, with EASGD's center or synchronized among themselves; alone
// if rank 0 is lost, which connects them, or no other is left. The lost rank continues at the step
// of the others, with the weights that it has loaded or with the mean of theirs.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "kernels/distributed/collectives.h"
#include "kernels/distributed/shared_center.h"
#include "kernels/recipes/arena.h"
#include "kernels/recipes/backend.h"
#include "kernels/training/operations.h"

namespace mansard::kernels {

enum class SyncAlgorithm {
  easgd,    // t: a center, which moves towards the copy by the elasticity
  average,  // t: the mean of all replicas' copies
  bmuf,     // t: a global model, which moves towards the mean with momentum
};
std::string_view to_string(SyncAlgorithm algorithm);
std::optional<SyncAlgorithm> parse_sync_algorithm(std::string_view key);

struct ReplicaSyncOptions {
  SyncAlgorithm algorithm = SyncAlgorithm::average;
  bool background = true;
  Transport transport = Transport::automatic;
  std::int64_t every = 10;      // steps from one copy to the next; more if one is still in progress
  float elasticity = 0.5f;      // 0 to 1
  float block_momentum = 0.5f;  // BMUF
  float block_rate = 1;         // BMUF: of the difference between mean and global model
};

// A synchronization of one replica.
struct SyncReport {
  std::int64_t copied_after = 0;   // steps done
  std::int64_t applied_after = 0;  // steps done
  double time_s = 0;               // from the copy until the step towards the target was known
  std::int64_t staleness() const { return applied_after - copied_after; }
};

// The weights of a replica, in the memory of its backend.
struct ReplicaWeights {
  std::int64_t count = 0;
  float* master = nullptr;
  Bf16* rounded = nullptr;
};

// All methods are for the training thread.
class ReplicaSync {
 public:
  // Connects the ranks again after one was lost, as ProcessGroup::connect_again().
  using Reconnect = std::function<std::unique_ptr<ProcessGroup>(bool others_may_be_absent,
                                                                const std::atomic<bool>& canceled)>;

  // `make_own_backend` makes another backend for the same device, on the thread that calls it.
  // Without `reconnect`, a lost rank is an error. Everything passed by reference must outlive the
  // object.
  ReplicaSync(const ReplicaSyncOptions& options, std::unique_ptr<ProcessGroup> group,
              Reconnect reconnect, Backend& backend, Operations& operations,
              const std::function<std::unique_ptr<Backend>()>& make_own_backend,
              const ReplicaWeights& weights);
  ~ReplicaSync();
  ReplicaSync(const ReplicaSync&) = delete;
  ReplicaSync& operator=(const ReplicaSync&) = delete;

  // Before the first step and after loading. At the start of a job, all replicas must have the same
  // weights. Returns `steps_done`, or the steps done by the others if they were training already:
  // this replica then takes the mean of their weights if `takes_mean` is set, and keeps its own
  // otherwise.
  std::int64_t start(std::int64_t steps_done, bool takes_mean = false);
  // Between two steps, with the number of steps done. Returns whether this rank should stop: when
  // it wants to, or a rank that it has synchronized with wants to. Throws what a synchronization in
  // the background has thrown.
  bool between_steps(std::int64_t steps_done, bool wants_to_stop = false);
  // After the last step: completes the synchronizations, waits for all replicas, and makes all of
  // them their mean. If the job stops while a rank is missing, it is that of the others.
  void finish(std::int64_t steps_done);
  // After finish() and what this rank does with the result: waits for the others, so that a rank
  // that is lost meanwhile can be started again, and ends the connection to them.
  void leave(std::int64_t steps_done);

  // A rank that was lost and is not connected again yet.
  std::optional<int> missing_rank() const;
  // Since the last call.
  std::vector<SyncReport> take_reports();
  std::int64_t memory_bytes() const { return arena_.bytes(); }

 private:
  enum class State { idle, requested, done };
  // The steps of the replica are done; then, it needs the others no more.
  enum class Phase : std::int32_t { training, final, leaving };

  // A request of the training thread.
  struct Request {
    std::int64_t steps_done = 0;
    std::int64_t rounds = 0;
    bool is_start = false;
    bool takes_mean = false;
    Phase phase = Phase::training;
    bool wants_to_stop = false;
  };

  void submit(const Request& request);
  // Until all replicas are in this phase or a later one, or all that are left if the job stops.
  void reach(Phase phase, std::int64_t steps_done);
  void apply(std::int64_t steps_done);
  // Waits for the synchronization in progress, if any, and applies it.
  void complete(std::int64_t steps_done);

  // On the thread of the synchronization:
  void run_thread();
  void serve();
  void synchronize();
  void join_group();
  void share_center(bool is_source);
  void exchange_with_center();
  void all_reduce_mean(float* data, bool contributes, std::int64_t contributors);
  void lose(int rank);
  // Ends the group, and connects the ranks again in the background.
  void connect_again();
  void wait_for_group();

  ReplicaSyncOptions options_;
  Reconnect reconnect_;
  Backend* backend_;
  Operations* operations_;
  std::function<std::unique_ptr<Backend>()> make_own_backend_;
  ReplicaWeights weights_;
  Arena arena_;
  Buffer copy_, target_, moved_, global_, velocity_;
  std::int64_t rounds_ = 0;  // synchronizations requested
  bool wants_to_stop_ = false;
  std::vector<SyncReport> reports_;

  // The thread's own; the group is replaced when a rank is lost.
  std::unique_ptr<ProcessGroup> group_;
  std::unique_ptr<Backend> own_backend_;
  std::unique_ptr<Operations> own_operations_;
  std::unique_ptr<Collectives> collectives_;
  std::unique_ptr<SharedCenter> center_;  // EASGD
  std::shared_ptr<void> pinned_center_;
  bool is_established_ = false;  // has trained with others, so that its state counts
  std::future<std::unique_ptr<ProcessGroup>> reconnection_;

  std::atomic<int> missing_ = -1;
  std::atomic<bool> has_group_ = false;
  std::atomic<bool> is_reconnected_ = false;
  std::atomic<bool> canceled_ = false;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  State state_ = State::idle;
  Request request_;
  SyncReport current_;
  // Results of the served request:
  bool has_step_ = false;  // there is a step towards the target to apply
  float step_elasticity_ = 1, step_scale_ = 1;
  bool has_joined_ = false;  // a group, whose replicas are at these numbers:
  std::int64_t joined_rounds_ = 0, joined_steps_ = 0;
  bool all_reached_ = false;  // all ranks of the group are in its phase or a later one
  std::atomic<bool> any_stops_ = false;
  bool ready_ = false;  // the thread has its backend
  bool ends_ = false;
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace mansard::kernels
