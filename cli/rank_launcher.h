// SPDX-License-Identifier: Apache-2.0
// Starts this command once per rank on this host, as torchrun does, and again after failures.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/goodput/goodput_job.h"

namespace mansard::cli {

// An injected failure: the rank is killed when it has done this many steps.
struct RankKill {
  int rank = 0;
  std::int64_t after_steps = 0;
};

struct LaunchOptions {
  int ranks = 1;
  // After a failure of a rank, all ranks are started again, or only this one. Empty: the job ends.
  std::optional<analysis::Recovery> recovery;
  int most_restarts = 3;  // a further failure ends the job
  std::vector<RankKill> kills;
  double kill_every_s = 0;  // mean time between kills of random ranks, exponential; 0: none
  std::uint64_t seed = 1;   // of kill_every_s
};

// Runs the command line of this process in child processes with torchrun's environment variables
// and a JobBoard, and waits for all of them. SIGINT and SIGTERM are forwarded. A failure is a rank
// that a signal ends, or that exits with another code than 0 and exit_usage after it has completed
// a step. If a rank fails and is not started again, the others get time to notice, and are then
// ended. Returns 0, or the exit code of the rank that failed first, as in shells; ranks that exit
// with exit_lost_rank are consequences of the failure of another one. Throws std::runtime_error if
// no process can be started.
int run_ranks(const LaunchOptions& options);

}  // namespace mansard::cli
