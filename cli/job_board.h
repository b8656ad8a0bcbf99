// SPDX-License-Identifier: Apache-2.0
// Memory that the launcher of `mansard train --ranks` shares with the ranks that it starts. It
// outlives a rank that is killed: the launcher and a rank that replaces it read how far it was.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace mansard::cli {

struct RankProgress {
  std::atomic<std::int64_t> steps_done = 0;
  std::atomic<std::int64_t> process_steps = 0;       // of them, since its process was started
  std::atomic<std::int64_t> saves = 0, save_ns = 0;  // checkpoints written, and their time
  std::atomic<bool> has_started = false;             // it was ready for its first step once
  std::atomic<bool> has_left = false;                // it has done its part, and so have all others
  std::atomic<std::int64_t> continued_after = 0;     // steps done when its process began to train
  // Steps whose result the other replicas have: those before the last synchronization.
  std::atomic<std::int64_t> shared_steps = 0;
};

// A failure of a rank, and the recovery from it. Steps are numbers of steps done. Times are seconds
// of the steady clock, which all processes of a host share; 0: not reached yet.
struct RecoveryRecord {
  std::int32_t rank = 0;
  std::int32_t signal = 0, exit_code = 0;  // that ended it; one of both
  bool is_partial = false;                 // only this rank was started again, else all ranks
  std::int64_t failed_after = 0;
  std::int64_t process_began_after = 0;  // the process that failed
  std::int64_t restored = 0;             // in the state that it continues from
  std::int64_t continued = 0;            // at which it continues
  double failed_s = 0;                   // the failure was noticed
  double started_s = 0;                  // the process was started again
  double ready_s = 0;                    // it is ready to load its state
  double loaded_s = 0;
  double continued_s = 0;  // the first step starts

  // Partial recovery: by the failed rank; full: by all ranks, which compute them again. Without
  // those that an earlier failure has lost: the state may be older than that one.
  std::int64_t lost_steps() const { return failed_after - std::max(restored, process_began_after); }
  // Steps that the other ranks did without it; 0 also if it was ahead of them.
  std::int64_t missed_steps() const {
    return is_partial ? std::max<std::int64_t>(continued - failed_after, 0) : 0;
  }
};

double steady_now_s();

class JobBoard {
 public:
  // For the launcher: the memory has room for `most_recoveries`.
  JobBoard(int ranks, int most_recoveries);
  ~JobBoard();
  JobBoard(const JobBoard&) = delete;
  JobBoard& operator=(const JobBoard&) = delete;

  // For a rank: the board of its launcher; null if it has none, as a rank of another launcher.
  static std::unique_ptr<JobBoard> of_environment();
  // The name and value of the variable that of_environment() of a child process reads. `recovery`:
  // the index of the record that the child is started for.
  std::pair<std::string, std::string> environment(std::optional<int> recovery) const;

  RankProgress& progress(int rank);
  // For the launcher. Returns the index of the record, or null if all `most_recoveries` are used.
  std::optional<int> add_recovery(const RecoveryRecord& record);
  std::span<RecoveryRecord> recoveries();
  // The record that the start of this process belongs to; null: none.
  RecoveryRecord* own_recovery();

 private:
  struct Header;
  JobBoard() = default;
  void attach(int file, int recovery);
  void map(std::size_t bytes);

  int file_ = -1;
  int own_recovery_ = -1;
  std::size_t bytes_ = 0;
  Header* header_ = nullptr;
  RankProgress* progress_ = nullptr;
  RecoveryRecord* recoveries_ = nullptr;
};

}  // namespace mansard::cli
