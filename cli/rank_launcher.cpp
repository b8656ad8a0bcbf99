// SPDX-License-Identifier: Apache-2.0
#include "cli/rank_launcher.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "cli/command.h"
#include "cli/job_board.h"
#include "cli/output.h"

namespace mansard::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kGrace{20};  // until ranks are ended

volatile std::sig_atomic_t forwarded_signal = 0;

int take_signal() {
  const int signal = forwarded_signal;
  forwarded_signal = 0;
  return signal;
}

class Forwarding {
 public:
  Forwarding() {
    forwarded_signal = 0;
    struct sigaction action {};
    action.sa_handler = [](int number) { forwarded_signal = number; };
    sigaction(SIGINT, &action, &interrupt_);
    sigaction(SIGTERM, &action, &terminate_);
  }
  ~Forwarding() {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGTERM, &terminate_, nullptr);
  }
  Forwarding(const Forwarding&) = delete;
  Forwarding& operator=(const Forwarding&) = delete;

 private:
  struct sigaction interrupt_ {
  }, terminate_{};
};

// A free port of this host. Ranks listen on the port after MASTER_PORT.
int free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  const bool bound = socket >= 0 &&
                     ::bind(socket, reinterpret_cast<sockaddr*>(&address), length) == 0 &&
                     ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length) == 0;
  const int error = errno;
  if (socket >= 0) ::close(socket);
  if (!bound) throw std::runtime_error(std::string("cannot find a port: ") + std::strerror(error));
  return ntohs(address.sin_port);
}

// The environment of this process, with torchrun's variables and another one.
std::vector<std::string> environment_of(int rank, int ranks, int port,
                                        const std::pair<std::string, std::string>& additional) {
  std::map<std::string, std::string> own = {
      {"RANK", std::to_string(rank)},        {"LOCAL_RANK", std::to_string(rank)},
      {"WORLD_SIZE", std::to_string(ranks)}, {"LOCAL_WORLD_SIZE", std::to_string(ranks)},
      {"MASTER_ADDR", "127.0.0.1"},          {"MASTER_PORT", std::to_string(port - 1)}};
  own.insert(additional);
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (!own.contains(std::string(text.substr(0, text.find('='))))) variables.emplace_back(text);
  }
  for (const auto& [name, value] : own) variables.push_back(name + "=" + value);
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

pid_t start_process(int rank, std::vector<std::string> variables) {
  std::vector<std::string> words = invocation_words();
  const std::vector<char*> arguments = pointers(words);
  const std::vector<char*> environment = pointers(variables);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) {
    throw std::runtime_error("cannot start rank " + std::to_string(rank) + ": " +
                             std::strerror(errno));
  }
  if (child > 0) return child;
  // A profiler may have added threads: only async-signal-safe calls up to exec().
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() == parent) ::execve("/proc/self/exe", arguments.data(), environment.data());
  ::_exit(126);
}

class Launcher {
 public:
  explicit Launcher(const LaunchOptions& options)
      : o_(options),
        board_(o_.ranks, o_.recovery ? o_.most_restarts : 0),
        kills_(o_.kills),
        random_(o_.seed),
        processes_(static_cast<std::size_t>(o_.ranks)) {
    if (o_.kill_every_s > 0) plan_kill();
  }

  int run() {
    start_all(std::nullopt);
    while (is_running()) {
      int status = 0;
      const pid_t ended = ::waitpid(-1, &status, WNOHANG);
      if (ended > 0) {
        for (int r = 0; r < o_.ranks; ++r) {
          if (process(r).pid != ended || !std::exchange(process(r).running, false)) continue;
          take_end(r, status);
        }
        continue;
      }
      if (const int signal = take_signal()) {
        stops_ = true;
        signal_all(signal);
      }
      if (ending_since_) end_others();
      inject();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return first_failure_ != 0 ? first_failure_ : consequence_;
  }

 private:
  struct Process {
    pid_t pid = 0;
    bool running = false;
  };

  Process& process(int rank) { return processes_[static_cast<std::size_t>(rank)]; }
  bool is_running() const {
    return std::any_of(processes_.begin(), processes_.end(),
                       [](const Process& p) { return p.running; });
  }
  void signal_all(int signal) {
    for (const Process& p : processes_) {
      if (p.running) ::kill(p.pid, signal);
    }
  }
  RecoveryRecord& record_of(int recovery) {
    return board_.recoveries()[static_cast<std::size_t>(recovery)];
  }
  std::int64_t steps_of(int rank) { return board_.progress(rank).steps_done; }

  // Whether all ranks have met: before that, they cannot go on without one.
  bool has_started() {
    for (int r = 0; r < o_.ranks; ++r) {
      if (!board_.progress(r).has_started) return false;
    }
    return true;
  }

  // Whether nothing is left to do but for rank 0 to print the result.
  bool is_complete() {
    for (int r = 0; r < o_.ranks; ++r) {
      if (board_.progress(r).has_left) return true;
    }
    return false;
  }

  void start(int rank, std::optional<int> recovery) {
    board_.progress(rank).process_steps = 0;
    process(rank).pid =
        start_process(rank, environment_of(rank, o_.ranks, port_, board_.environment(recovery)));
    process(rank).running = true;
  }

  void start_all(std::optional<int> recovery) {
    port_ = free_port();
    try {
      for (int r = 0; r < o_.ranks; ++r) start(r, recovery);
    } catch (...) {
      signal_all(SIGTERM);
      throw;
    }
  }

  void take_end(int rank, int status) {
    RecoveryRecord record;
    record.rank = rank;
    record.failed_after = steps_of(rank);
    record.process_began_after = board_.progress(rank).continued_after;
    record.failed_s = steady_now_s();
    record.is_partial = o_.recovery == analysis::Recovery::partial && has_started();
    std::string how;
    int code = 0;
    if (WIFSIGNALED(status)) {
      record.signal = WTERMSIG(status);
      code = 128 + record.signal;
      how = "was ended by signal " + std::to_string(record.signal) + " (" +
            ::strsignal(record.signal) + ")";
    } else {
      record.exit_code = code = WEXITSTATUS(status);
      how = "exited with code " + std::to_string(code);
    }
    if (restarting_all_) {  // it was ended for that
      if (!is_running()) restart_all();
      return;
    }
    if (code == 0 || (rank != 0 && record.signal == SIGKILL && is_complete())) return;
    if (!ending_since_) ending_since_ = Clock::now();
    if (code == exit_lost_rank) {  // the rank that it has lost may be noticed later
      consequence_ = code;
      return;
    }
    if (recover(record, how)) return;
    if (first_failure_ == 0) first_failure_ = code;
    failed_ = true;
  }

  // Returns whether the rank is started again.
  bool recover(const RecoveryRecord& record, const std::string& how) {
    const bool is_failure = record.signal != 0 || (record.exit_code != exit_usage &&
                                                   board_.progress(record.rank).process_steps > 0);
    const bool may_recover = o_.recovery && is_failure && !is_complete() && !stops_ && !failed_;
    const std::optional<int> recovery = may_recover ? board_.add_recovery(record) : std::nullopt;
    const std::string what = "rank " + std::to_string(record.rank) + " " + how;
    if (!recovery) {
      if (record.signal != 0 && !terminated_) say(what);
      if (!may_recover) return false;
      say("no restart is left of --max-restarts " + std::to_string(o_.most_restarts));
      return false;
    }
    consequence_ = 0;
    ending_since_.reset();
    say(what + " after step " + std::to_string(record.failed_after) + "; starting " +
        (record.is_partial ? "it" : "all ranks") + " again (restart " +
        std::to_string(*recovery + 1) + " of at most " + std::to_string(o_.most_restarts) + ")");
    if (record.is_partial) {
      record_of(*recovery).started_s = steady_now_s();
      start(record.rank, recovery);
      return true;
    }
    restarting_all_ = recovery;
    signal_all(SIGKILL);  // their state is that of a checkpoint from now on
    if (!is_running()) restart_all();
    return true;
  }

  void restart_all() {
    if (stops_) {
      const RecoveryRecord& record = record_of(*restarting_all_);
      first_failure_ = record.signal != 0 ? 128 + record.signal : record.exit_code;
      return;
    }
    record_of(*restarting_all_).started_s = steady_now_s();
    start_all(std::exchange(restarting_all_, std::nullopt));
  }

  // Ranks that wait for one that has ended notice within milliseconds, and may write a message.
  // Replicas wait for it to be started again.
  void end_others() {
    const auto waited = Clock::now() - *ending_since_;
    const bool they_wait = failed_ && o_.recovery == analysis::Recovery::partial;
    if (waited > 2 * kGrace) {
      signal_all(SIGKILL);
    } else if ((they_wait || waited > kGrace) && !std::exchange(terminated_, true)) {
      failed_ = true;
      signal_all(SIGTERM);
    }
  }

  void plan_kill() {
    const double wait_s = std::exponential_distribution<double>(1 / o_.kill_every_s)(random_);
    next_kill_ = Clock::now() +
                 std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(wait_s));
  }

  void inject() {
    if (is_complete()) return;
    std::erase_if(kills_, [&](const RankKill& kill) {
      const bool is_due = process(kill.rank).running && steps_of(kill.rank) >= kill.after_steps;
      if (is_due) ::kill(process(kill.rank).pid, SIGKILL);
      return is_due;
    });
    if (o_.kill_every_s <= 0 || Clock::now() < next_kill_ || restarting_all_) return;
    const int rank = std::uniform_int_distribution<int>(0, o_.ranks - 1)(random_);
    if (process(rank).running) ::kill(process(rank).pid, SIGKILL);
    plan_kill();
  }

  const LaunchOptions& o_;
  const Forwarding forwarding_;
  JobBoard board_;
  std::vector<RankKill> kills_;
  std::mt19937_64 random_;
  Clock::time_point next_kill_;
  std::vector<Process> processes_;
  int port_ = 0;
  int first_failure_ = 0, consequence_ = 0;  // exit codes
  std::optional<int> restarting_all_;        // index of the recovery
  bool stops_ = false, failed_ = false, terminated_ = false;
  std::optional<Clock::time_point> ending_since_;
};

}  // namespace

int run_ranks(const LaunchOptions& options) { return Launcher(options).run(); }

}  // namespace mansard::cli
