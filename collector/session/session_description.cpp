// SPDX-License-Identifier: Apache-2.0
#include "collector/session/session_description.h"

#include <fstream>
#include <iterator>
#include <sched.h>
#include <unistd.h>

#include "collector/session/output_pattern.h"
#include "collector/store/profile_writer.h"
#include "support/cpu_name.h"
#include "support/job_rank.h"

namespace mansard::collector {
namespace {

std::string own_command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!text.empty()) text.pop_back();
  for (char& c : text) {
    if (c == '\0') c = ' ';
  }
  return text;
}

int usable_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  return sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 0;
}

std::string driver_version() {
  std::ifstream file("/sys/module/nvidia/version");
  std::string version;
  file >> version;
  return version;
}

}  // namespace

store::SessionInfo describe_session(std::string command) {
  store::SessionInfo session;
  session.state = store::RecordingState::recording;
  session.start_utc_ns = store::utc_now_ns();
  session.command = command.empty() ? own_command_line() : std::move(command);
  session.host = host_name();
  session.cpu_name = cpu_name();
  session.cpu_cores = usable_cores();
  session.pid = getpid();
  session.rank = rank_of_environment().value_or(-1);
  session.mansard_version = MANSARD_VERSION;
  session.driver_version = driver_version();
  return session;
}

}  // namespace mansard::collector
