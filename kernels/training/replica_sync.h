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
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
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

class ReplicaSync {
 public:
  // Collective. The training thread uses `group`, the synchronization `exchange`, which is for it
  // alone. `make_own_backend` makes another backend for the
  // same device, on the thread that calls it. Everything passed must outlive the object.
  ReplicaSync(const ReplicaSyncOptions& options, ProcessGroup& group, ProcessGroup& exchange,
              Backend& backend, Operations& operations,
              const std::function<std::unique_ptr<Backend>()>& make_own_backend,
              const ReplicaWeights& weights);
  ~ReplicaSync();
  ReplicaSync(const ReplicaSync&) = delete;
  ReplicaSync& operator=(const ReplicaSync&) = delete;

  // Before the first step and after loading: all replicas have the same weights.
  void start();
  // Between two steps, with the number of steps done. Returns whether this rank should stop: in the
  // background when it wants to, in the foreground when any rank wants to and all synchronize.
  // Throws what a synchronization in the background has thrown.
  bool between_steps(std::int64_t steps_done, bool wants_to_stop = false);
  // After the last step: completes the synchronizations, and makes all replicas their mean.
  void finish(std::int64_t steps_done);

  // Since the last call.
  std::vector<SyncReport> take_reports();
  std::int64_t memory_bytes() const { return arena_.bytes(); }

 private:
  enum class State { idle, requested, done };

  void copy_weights(std::int64_t steps_done);
  void apply(std::int64_t steps_done);
  // Waits for the synchronization in progress, if any, and applies it.
  void complete(std::int64_t steps_done);
  void run_thread();
  // On the thread of the synchronization: from the copy to the step.
  void compute_step();
  void exchange_with_center();

  ReplicaSyncOptions options_;
  ProcessGroup* group_;
  ProcessGroup* exchange_;
  Backend* backend_;
  Operations* operations_;
  std::function<std::unique_ptr<Backend>()> make_own_backend_;
  ReplicaWeights weights_;
  Arena arena_;
  Buffer copy_, target_, global_, velocity_;
  std::unique_ptr<SharedCenter> center_;  // EASGD

  // The thread's own.
  std::unique_ptr<Backend> own_backend_;
  std::unique_ptr<Operations> own_operations_;
  std::unique_ptr<Collectives> collectives_;

  SyncReport current_;
  std::int64_t rounds_ = 0;  // copies made
  std::vector<SyncReport> reports_;

  std::mutex mutex_;
  std::condition_variable changed_;
  State state_ = State::idle;
  bool is_last_ = false;  // the requested synchronization is that of finish()
  bool ready_ = false;    // the thread has its backend
  bool ends_ = false;
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace mansard::kernels
