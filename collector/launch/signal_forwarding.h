// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

#include <sys/types.h>

namespace mansard::collector {

// While it exists, the launcher forwards to the program every signal that would end the launcher,
// and survives it; real-time signals keep their value. Not forwarded: signals from a terminal,
// which go to the whole process group anyway, and faults and closed pipes of the launcher itself. A
// signal that another process sends to the whole group reaches the program twice. Stopping and
// continuing (SIGTSTP, SIGCONT) still affect the launcher. Only one may exist per process.
class SignalForwarding {
 public:
  SignalForwarding();
  ~SignalForwarding();
  SignalForwarding(const SignalForwarding&) = delete;
  SignalForwarding& operator=(const SignalForwarding&) = delete;

  void set_target(pid_t child);

  // Called in the child before exec().
  void restore_in_child() const;

 private:
  struct sigaction before_[NSIG];
};

}  // namespace mansard::collector
