// SPDX-License-Identifier: Apache-2.0
// The processes of a distributed job, connected over TCP through rank 0: they agree on values, add
// up arrays in host memory, and notice that one of them has ended.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "kernels/distributed/socket.h"
#include "support/job_rank.h"

namespace mansard::kernels {

// A rank ended, or its connection broke, before it left the group.
class LostRank : public std::runtime_error {
 public:
  explicit LostRank(int rank)
      : std::runtime_error("rank " + std::to_string(rank) + " has ended"), rank_(rank) {}
  int rank() const { return rank_; }

 private:
  int rank_;
};

// A rank was started with other options, or as another rank than expected.
struct RefusedRank : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Every rank must call the same operations in the same order; a difference is reported as
// std::logic_error. Operations throw LostRank if any rank has ended. One thread calls them.
//
// A group has all ranks of the job, or those that were present when it was connected again. rank()
// and size() are those of the group; LostRank has the rank in the job.
class ProcessGroup {
 public:
  static constexpr std::chrono::seconds kPatience{300};

  // Returns when all ranks are connected. `agreement` must be equal on all ranks: it describes the
  // job. Throws std::runtime_error with the missing ranks after `longest`, and RefusedRank if a
  // rank has another agreement.
  ProcessGroup(int rank, int size, const Rendezvous& place, const std::string& agreement,
               std::chrono::milliseconds longest = kPatience);
  // How long others that connect again are waited for, before the group does without them.
  static constexpr std::chrono::milliseconds kGrace{500};

  // Connects ranks of which others may end and be started again meanwhile: tries again until all
  // are connected, or, if rank 0 allows them to be absent, itself and at least one other. Returns
  // null when `canceled` is set. Throws RefusedRank.
  static std::unique_ptr<ProcessGroup> connect_again(int rank, int size, const Rendezvous& place,
                                                     const std::string& agreement,
                                                     bool others_may_be_absent,
                                                     const std::atomic<bool>& canceled);
  // Without leave(), the other ranks see this one as lost.
  ~ProcessGroup();
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  // In the group.
  int rank() const { return rank_; }
  int size() const { return size_; }
  // The first rank of the job that the group does without.
  std::optional<int> absent_rank() const;
  // On rank 0: a rank that the group does without wants to be connected. For that, all members have
  // to connect again.
  bool has_newcomer() const { return has_newcomer_; }

  void barrier();
  // Returns rank 0's text.
  std::string broadcast(const std::string& text);
  // Sums over the ranks, in their order, so that all ranks get the same bits.
  void all_reduce(float* data, std::int64_t count);
  double sum(double value);
  // Calls `local`, which does not use the group. Throws std::runtime_error on all ranks if it
  // throws on one of them: there what it threw.
  void agree(const std::function<void()>& local);
  // Rank r's bytes are at data + r * bytes_per_rank, on all ranks afterwards.
  void all_gather(void* data, std::int64_t bytes_per_rank);

  // Calls `lost` once, on a thread of the group, when a rank ends without leave(); immediately if
  // one has ended already.
  void on_loss(std::function<void()> lost);
  // Throws LostRank if a rank has ended.
  void require_all() const;
  // This rank has finished the job, so the others do not take its end for a failure.
  void leave();

 private:
  enum class Operation : std::uint32_t { barrier = 1, broadcast, all_reduce, sum, all_gather };
  struct Peer {
    Socket data, lifeline;
    bool left = false;  // watcher only
  };

  class Patience;
  ProcessGroup(int rank, int size, const Rendezvous& place, const std::string& agreement,
               const Patience& patience);
  void accept_ranks(const Rendezvous& place, const std::string& agreement,
                    const Patience& patience);
  void accept_rank(const std::string& agreement);
  void join_rank_0(const Rendezvous& place, const std::string& agreement, const Patience& patience);
  // Ranks that were accepted wait here for those that are late.
  void agree_on_members();
  // The connection to `rank`: on rank 0 to any other, elsewhere to rank 0 only.
  Peer& peer(int rank) { return peers_[static_cast<std::size_t>(rank_ == 0 ? rank - 1 : 0)]; }
  void send(int rank, const void* data, std::size_t bytes);
  void receive(int rank, void* data, std::size_t bytes);
  // Announces an operation to rank 0, which checks that all ranks announce the same.
  void begin(Operation operation, std::int64_t bytes);
  // The rank in the job of one that this rank is connected to.
  int in_job(int rank) const { return rank == 0 ? 0 : members_[static_cast<std::size_t>(rank)]; }
  [[noreturn]] void report_loss(int rank_in_job);

  void watch();
  void stop_watching();
  void lose(int rank_in_job);

  int rank_, size_;  // in the job until all are connected
  int job_size_;
  std::vector<std::int32_t> members_;  // ranks in the job
  std::vector<Peer> peers_;
  Socket listener_;  // on rank 0, as long as ranks are absent
  std::vector<float> piece_;

  std::atomic<int> lost_ = -1;
  std::atomic<bool> leaving_ = false;
  std::atomic<bool> has_newcomer_ = false;
  std::mutex on_loss_mutex_;
  std::function<void()> on_loss_;
  Socket wake_, wake_watcher_;  // a pair that ends the watcher
  std::thread watcher_;
};

}  // namespace mansard::kernels
