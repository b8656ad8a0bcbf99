// SPDX-License-Identifier: Apache-2.0
// The place of this process among the ranks of its job, as stated by the launcher's environment
// variables: torchrun, Open MPI, MVAPICH, Slurm, and PMI (MPICH, Intel MPI).
#pragma once

#include <optional>
#include <string>

namespace mansard {

struct JobRank {
  int rank = 0;
  int size = 1;
  int local_rank = 0;  // among the ranks of this host
  int local_size = 0;  // ranks on this host; 0: the launcher does not state it
  std::string launcher;
};

// Returns nullopt if no launcher has set both a rank and a number of ranks. Throws
// std::runtime_error that names the variable if its value is impossible.
std::optional<JobRank> job_rank_of_environment();

// The rank alone, which more launchers state; nullopt: none.
std::optional<int> rank_of_environment();
// The number of ranks as stated by the launcher of that rank; nullopt: it does not.
std::optional<int> world_size_of_environment();

// Where the ranks of a job meet: rank 0 listens there.
struct Rendezvous {
  std::string host;
  int port = 0;
  std::string text() const { return host + ":" + std::to_string(port); }
};

// Parses "host:port" or "[address]:port". Throws std::runtime_error.
Rendezvous parse_rendezvous(const std::string& text);

// Derives the place from the launcher's variables: MASTER_ADDR and the port after MASTER_PORT, on
// which torchrun itself listens; otherwise the first host of a Slurm step, or this host if all
// ranks run on it, and a port that depends on the job. Throws std::runtime_error if the variables
// do not determine the host.
Rendezvous rendezvous_of_environment(const JobRank& rank);

}  // namespace mansard
