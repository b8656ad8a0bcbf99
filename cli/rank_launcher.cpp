// SPDX-License-Identifier: Apache-2.0
#include "cli/rank_launcher.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <map>
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
#include "cli/output.h"

namespace mansard::cli {
namespace {

using Clock = std::chrono::steady_clock;

// Ranks that wait for one that has ended notice within milliseconds, and may write a message.
constexpr std::chrono::seconds kGrace{20};

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

// The environment of this process, with torchrun's variables.
std::vector<std::string> environment_of(int rank, int ranks, int port) {
  const std::map<std::string, std::string> own = {
      {"RANK", std::to_string(rank)},        {"LOCAL_RANK", std::to_string(rank)},
      {"WORLD_SIZE", std::to_string(ranks)}, {"LOCAL_WORLD_SIZE", std::to_string(ranks)},
      {"MASTER_ADDR", "127.0.0.1"},          {"MASTER_PORT", std::to_string(port - 1)}};
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

pid_t start_rank(int rank, int ranks, int port) {
  std::vector<std::string> words = invocation_words();
  std::vector<std::string> variables = environment_of(rank, ranks, port);
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

struct RankProcess {
  pid_t pid = 0;
  bool running = true;
};

void signal_all(const std::vector<RankProcess>& ranks, int signal) {
  for (const RankProcess& rank : ranks) {
    if (rank.running) ::kill(rank.pid, signal);
  }
}

}  // namespace

int run_ranks(int ranks) {
  const Forwarding forwarding;
  const int port = free_port();
  std::vector<RankProcess> processes;
  try {
    for (int r = 0; r < ranks; ++r) processes.push_back({start_rank(r, ranks, port)});
  } catch (...) {
    signal_all(processes, SIGTERM);
    throw;
  }
  int first_failure = 0;
  Clock::time_point failed_at;
  bool terminated = false;
  for (std::size_t running = processes.size(); running > 0;) {
    int status = 0;
    const pid_t ended = ::waitpid(-1, &status, WNOHANG);
    if (ended <= 0) {
      if (const int signal = take_signal()) signal_all(processes, signal);
      if (first_failure != 0) {
        const auto waited = Clock::now() - failed_at;
        if (waited > 2 * kGrace) {
          signal_all(processes, SIGKILL);
        } else if (waited > kGrace && !std::exchange(terminated, true)) {
          signal_all(processes, SIGTERM);
        }
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      continue;
    }
    for (std::size_t r = 0; r < processes.size(); ++r) {
      if (processes[r].pid != ended || !std::exchange(processes[r].running, false)) continue;
      --running;
      const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      if (code == 0 || first_failure != 0) continue;
      first_failure = code;
      failed_at = Clock::now();
      if (WIFSIGNALED(status)) {
        say("rank " + std::to_string(r) + " was ended by signal " +
            std::to_string(WTERMSIG(status)) + " (" + ::strsignal(WTERMSIG(status)) + ")");
      }
    }
  }
  return first_failure;
}

}  // namespace mansard::cli
