// SPDX-License-Identifier: Apache-2.0
#include "collector/launch/signal_forwarding.h"

#include <cerrno>
#include <iterator>

namespace mansard {
namespace {

// What a handler may touch.
volatile sig_atomic_t target = 0;
volatile sig_atomic_t arrived_early = 0;

void forward(int number, siginfo_t* info, void*) {
  const int saved = errno;
  // A terminal's Ctrl-C comes from the kernel and is not repeated; kill() comes from a process.
  const bool by_terminal = info->si_code == SI_KERNEL && (number == SIGINT || number == SIGQUIT);
  if (target == 0) {
    arrived_early = number;
  } else if (!by_terminal) {
    kill(static_cast<pid_t>(target), number);
  }
  errno = saved;
}

}  // namespace

SignalForwarding::SignalForwarding() {
  target = 0;
  arrived_early = 0;
  struct sigaction action {};
  action.sa_sigaction = forward;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigfillset(&action.sa_mask);
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    // What the user's shell ignores (nohup) stays ignored.
    if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

SignalForwarding::~SignalForwarding() { restore_in_child(); }

void SignalForwarding::set_target(pid_t child) {
  target = static_cast<sig_atomic_t>(child);
  if (arrived_early != 0) kill(child, static_cast<int>(arrived_early));
}

void SignalForwarding::restore_in_child() const {
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], &before_[i], nullptr);
  }
}

}  // namespace mansard
