// SPDX-License-Identifier: Apache-2.0
#include "cli/stop_signals.h"

#include <csignal>
#include <initializer_list>

namespace mansard::cli {
namespace {

volatile std::sig_atomic_t last_signal = 0;

}  // namespace

StopSignals::StopSignals() {
  last_signal = 0;
  for (const int signal : {SIGINT, SIGTERM}) {
    std::signal(signal, [](int number) { last_signal = number; });
  }
}

StopSignals::~StopSignals() {
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
}

int StopSignals::received() { return last_signal; }

}  // namespace mansard::cli
