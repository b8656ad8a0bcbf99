// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

#include <sys/types.h>

namespace mansard::collector {

// While it lives, the launcher passes on to the program every signal that would end the launcher,
// and survives it; real-time signals with their value. Not passed on: what a terminal sends, since
// it sends it to the whole process group, and faults and closed pipes of the launcher itself. A
// signal that another process sends to the whole group reaches the program twice. Stopping and
// continuing (SIGTSTP, SIGCONT) keep their meaning for the launcher. One at a time in a process.
class SignalForwarding {
 public:
  SignalForwarding();
  ~SignalForwarding();
  SignalForwarding(const SignalForwarding&) = delete;
  SignalForwarding& operator=(const SignalForwarding&) = delete;

  void set_target(pid_t child);

  // For the child, before it becomes the program.
  void restore_in_child() const;

 private:
  struct sigaction before_[NSIG];
};

}  // namespace mansard::collector
