// SPDX-License-Identifier: Apache-2.0
#include "collector/launch/signal_forwarding.h"

#include <cerrno>
#include <unistd.h>

namespace mansard::collector {
namespace {

// State that a signal handler may access.
volatile sig_atomic_t target = 0;
volatile sig_atomic_t arrived_early[NSIG];

// Whether the signal's default action ends a process and it can be caught.
bool ends_a_process(int number) {
  switch (number) {
    case SIGKILL:
    case SIGSTOP:
    case SIGCHLD:
    case SIGCONT:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
    case SIGURG:
    case SIGWINCH:
      return false;
    default:
      // The signals in between are reserved by the C library.
      return number < 32 || (number >= SIGRTMIN && number <= SIGRTMAX);
  }
}

bool is_fault(int number) {
  return number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE ||
         number == SIGTRAP || number == SIGSYS || number == SIGABRT;
}

void pass_on(pid_t child, int number, const siginfo_t* info) {
  if (info != nullptr && info->si_code == SI_QUEUE) {
    sigqueue(child, number, info->si_value);
  } else {
    kill(child, number);
  }
}

void forward(int number, siginfo_t* info, void*) {
  const int saved = errno;
  const bool by_kernel = info->si_code > 0;
  const bool by_itself = !by_kernel && info->si_pid == getpid() && number != SIGALRM;
  if (is_fault(number) && (by_kernel || by_itself)) {
    signal(number, SIG_DFL);  // the instruction, or abort(), repeats it
    return;
  }
  const bool closed_pipe = number == SIGPIPE && (by_kernel || by_itself);
  if (target == 0) {
    arrived_early[number] = 1;
  } else if (!by_kernel && !closed_pipe) {
    pass_on(static_cast<pid_t>(target), number, info);
  }
  errno = saved;
}

}  // namespace

SignalForwarding::SignalForwarding() {
  target = 0;
  struct sigaction action {};
  action.sa_sigaction = forward;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigfillset(&action.sa_mask);
  for (int number = 1; number < NSIG; ++number) {
    arrived_early[number] = 0;
    if (!ends_a_process(number)) continue;
    sigaction(number, nullptr, &before_[number]);
    // Signals that were already ignored (nohup) stay ignored.
    if (before_[number].sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
  }
}

SignalForwarding::~SignalForwarding() { restore_in_child(); }

void SignalForwarding::set_target(pid_t child) {
  target = static_cast<sig_atomic_t>(child);
  for (int number = 1; number < NSIG; ++number) {
    if (arrived_early[number] != 0) pass_on(child, number, nullptr);
  }
}

void SignalForwarding::restore_in_child() const {
  for (int number = 1; number < NSIG; ++number) {
    if (ends_a_process(number)) sigaction(number, &before_[number], nullptr);
  }
}

}  // namespace mansard::collector
