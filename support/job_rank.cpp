// SPDX-License-Identifier: Apache-2.0
#include "support/job_rank.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <unistd.h>

#include "support/hash.h"

namespace mansard {
namespace {

struct Launcher {
  const char* name;
  const char* rank;
  const char* size;
  const char* local_rank;
  const char* local_size;
};

// torchrun comes first: under Slurm or MPI it may run once per node, and then RANK is more
// specific. Open MPI's daemons are started with srun, so its processes inherit SLURM_PROCID of a
// daemon. A batch script has SLURM_PROCID too, but only srun sets SLURM_STEP_NUM_TASKS.
constexpr std::array kLaunchers = {
    Launcher{"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"},
    Launcher{"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
             "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    Launcher{"MVAPICH", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_RANK",
             "MV2_COMM_WORLD_LOCAL_SIZE"},
    Launcher{"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", nullptr},
    Launcher{"PMI", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
};

std::optional<int> parse_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<int> number_of(const char* variable) {
  const char* const value = variable == nullptr ? nullptr : std::getenv(variable);
  if (value == nullptr) return std::nullopt;
  if (const std::optional<int> number = parse_number(value); number && *number >= 0) return number;
  throw std::runtime_error(std::string(variable) + "='" + value + "' is not a number of ranks");
}

// The first host of Slurm's notation: "node[007-012,20]" -> "node007".
std::string first_host(std::string_view list) {
  const std::size_t bracket = list.find('[');
  const std::size_t comma = list.find(',');
  if (bracket == std::string_view::npos || comma < bracket) {
    return std::string(list.substr(0, comma));
  }
  const std::size_t end = list.find_first_of("-,]", bracket);
  if (end == std::string_view::npos) return std::string(list.substr(0, bracket));
  return std::string(list.substr(0, bracket)) +
         std::string(list.substr(bracket + 1, end - bracket - 1));
}

bool has_variable(std::int64_t pid, std::string_view name) {
  std::ifstream environment("/proc/" + std::to_string(pid) + "/environ");
  for (std::string variable; std::getline(environment, variable, '\0');) {
    if (variable.starts_with(name) && variable.substr(name.size(), 1) == "=") return true;
  }
  return false;
}

// 0: unknown.
std::int64_t parent_of(std::int64_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; status >> word;) {
    std::int64_t parent = 0;
    if (word == "PPid:" && status >> parent) return parent;
  }
  return 0;
}

// The process that has started the ranks of this host. It need not be the parent: each rank may run
// in a shell or a profiler of its own, which has the variables of the rank too.
std::int64_t process_of_launcher(const std::string& name) {
  std::int64_t pid = ::getppid();
  for (const Launcher& launcher : kLaunchers) {
    if (launcher.name != name) continue;
    while (pid > 1 && has_variable(pid, launcher.rank)) pid = parent_of(pid);
  }
  return pid;
}

// A port below those that systems assign to outgoing connections, the same on all ranks of a job.
int port_of_job(const JobRank& rank) {
  HashBuilder hash;
  bool named = false;
  for (const char* variable : {"SLURM_CLUSTER_NAME", "SLURM_JOB_ID", "SLURM_STEP_ID",
                               "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"}) {
    const char* const value = std::getenv(variable);
    if (value == nullptr) continue;
    named = true;
    for (const char* c = value; *c != '\0'; ++c) hash.add(*c);
  }
  if (!named) hash.add(process_of_launcher(rank.launcher));  // all ranks run on this host
  return 10000 + static_cast<int>(hash.hash() % 20000);
}

}  // namespace

std::optional<JobRank> job_rank_of_environment() {
  for (const Launcher& launcher : kLaunchers) {
    const std::optional<int> rank = number_of(launcher.rank);
    const std::optional<int> size = number_of(launcher.size);
    if (!rank || !size) continue;
    if (*rank >= *size) {
      throw std::runtime_error(std::string(launcher.rank) + "=" + std::to_string(*rank) +
                               " is impossible with " + launcher.size + "=" +
                               std::to_string(*size));
    }
    return JobRank{*rank, *size, number_of(launcher.local_rank).value_or(*rank),
                   number_of(launcher.local_size).value_or(0), launcher.name};
  }
  return std::nullopt;
}

namespace {

// Ignores what is not a number from `least`: a profiler must not stop a program for it.
std::optional<int> number_if_valid(const char* variable, int least) {
  const char* const value = variable == nullptr ? nullptr : std::getenv(variable);
  std::optional<int> number = value == nullptr ? std::nullopt : parse_number(value);
  return number && *number >= least ? number : std::nullopt;
}

// LOCAL_RANK comes last: it is the global rank only on a single node.
constexpr std::array kRanksAlone = {
    Launcher{"PMIx", "PMIX_RANK", nullptr, nullptr, nullptr},
    Launcher{"torchrun", "LOCAL_RANK", "LOCAL_WORLD_SIZE", nullptr, nullptr}};

const Launcher* launcher_of_rank() {
  for (const Launcher& launcher : kLaunchers) {
    if (number_if_valid(launcher.rank, 0)) return &launcher;
  }
  for (const Launcher& launcher : kRanksAlone) {
    if (number_if_valid(launcher.rank, 0)) return &launcher;
  }
  return nullptr;
}

}  // namespace

std::optional<int> rank_of_environment() {
  const Launcher* const launcher = launcher_of_rank();
  return launcher == nullptr ? std::nullopt : number_if_valid(launcher->rank, 0);
}

std::optional<int> world_size_of_environment() {
  const Launcher* const launcher = launcher_of_rank();
  return launcher == nullptr ? std::nullopt : number_if_valid(launcher->size, 1);
}

Rendezvous parse_rendezvous(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  std::string host = text.substr(0, colon == std::string::npos ? 0 : colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  const std::optional<int> port = colon == std::string::npos
                                      ? std::nullopt
                                      : parse_number(std::string_view(text).substr(colon + 1));
  if (host.empty() || !port || *port < 1 || *port > 65535) {
    throw std::runtime_error("'" + text +
                             "' is not a place to meet; give HOST:PORT, such as "
                             "node001:29400");
  }
  return {host, *port};
}

Rendezvous rendezvous_of_environment(const JobRank& rank) {
  if (const char* const host = std::getenv("MASTER_ADDR"); host != nullptr && *host != '\0') {
    const int port = number_of("MASTER_PORT").value_or(29500);
    if (port < 1 || port >= 65535) {
      throw std::runtime_error("MASTER_PORT=" + std::to_string(port) +
                               ": the port after it must be below 65536");
    }
    return {host, port + 1};
  }
  if (rank.local_size == rank.size) return {"127.0.0.1", port_of_job(rank)};
  for (const char* variable : {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"}) {
    if (const char* const list = std::getenv(variable); list != nullptr && *list != '\0') {
      return {first_host(list), port_of_job(rank)};
    }
  }
  throw std::runtime_error("the environment of " + rank.launcher +
                           " does not tell on which host rank 0 runs; set MASTER_ADDR and "
                           "MASTER_PORT, or give --rendezvous HOST:PORT");
}

}  // namespace mansard
