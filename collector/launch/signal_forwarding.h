// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

#include <sys/types.h>

namespace mansard {

// While it lives, the launcher survives what is meant for the program: SIGTERM and SIGHUP are
// passed on to it; SIGINT and SIGQUIT from a terminal reach the whole process group anyway, so they
// are passed on only when they were sent to the launcher alone. One at a time in a process.
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
  static constexpr int kSignals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
  struct sigaction before_[4];
};

}  // namespace mansard
