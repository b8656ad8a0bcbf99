// SPDX-License-Identifier: Apache-2.0
// `mansard control`: starts and stops recording in programs that run under `mansard profile`.
#include "collector/launch/control.h"

#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/output.h"
#include "collector/launch/launch.h"
#include "support/text.h"
#include "support/units.h"

namespace mansard::cli {

void register_control(CommandRegistry& registry);

namespace {

constexpr std::chrono::seconds kPatience{30};

struct ControlOptions {
  std::string target;
  std::string action;
};

const char* name_of(collector::ControlState state) {
  switch (state) {
    case collector::ControlState::waiting:
      return "waiting";
    case collector::ControlState::recording:
      return "recording";
    case collector::ControlState::over:
      return "over";
    case collector::ControlState::ended:
      return "ended";
  }
  return "unknown";
}

collector::ControlCommand command_of(const std::string& action) {
  if (action == "start") return collector::ControlCommand::start;
  if (action == "stop") return collector::ControlCommand::stop;
  if (action == "flush") return collector::ControlCommand::flush;
  return collector::ControlCommand::status;
}

// Throws std::runtime_error if the requested action was not carried out.
void require_done(const collector::RecordedProcess& process, const std::string& action,
                  const collector::ControlReply& reply) {
  const std::string who = "process " + std::to_string(process.pid);
  switch (reply.result) {
    case collector::ControlResult::done:
      return;
    case collector::ControlResult::nothing_to_do:
      say(who + (action == "start" ? " is already recording" : " is not recording"));
      return;
    case collector::ControlResult::too_late:
      throw std::runtime_error(who + ": recording has ended, as its options requested");
    case collector::ControlResult::failed:
      throw std::runtime_error(who + " could not " + action +
                               "; see the program's stderr for the reason");
  }
}

int run_control(const ControlOptions& options) {
  const collector::ControlCommand command = command_of(options.action);
  int code = exit_ok;
  std::string file;
  for (const collector::RecordedProcess& process : collector::find_recorded(options.target)) {
    try {
      const collector::ControlReply reply = collector::control(process, command, kPatience);
      require_done(process, options.action, reply);
      file = (process.file.empty() ? process.output : process.file).string();
      const collector::RecordingProgress& progress = reply.progress;
      std::printf("process %lld  %s  %u %s  %llu events  %llu dropped  %s  %s%s\n",
                  static_cast<long long>(process.pid), name_of(reply.state), reply.windows,
                  reply.windows == 1 ? "window" : "windows",
                  static_cast<unsigned long long>(progress.events),
                  static_cast<unsigned long long>(progress.dropped_events),
                  format_capacity(static_cast<double>(progress.file_bytes)).c_str(), file.c_str(),
                  process.file.empty() ? " (not written yet)" : "");
    } catch (const std::runtime_error& error) {
      say(error.what());  // still try the other processes
      code = exit_failure;
    }
  }
  if (code == exit_ok &&
      (command == collector::ControlCommand::stop || command == collector::ControlCommand::flush)) {
    suggest_next("mansard analyze " + join_command({file}));
  }
  return code;
}

std::function<int()> declare_control(CLI::App& app) {
  auto options = std::make_shared<ControlOptions>();
  app.add_option("target", options->target,
                 "Output file, as given to 'mansard profile' (all processes that record to it), or "
                 "the PID of one process")
      ->type_name("FILE|PID")
      ->required();
  app.add_option("action", options->action,
                 "start, stop: start or stop recording; flush: write all events recorded so far to "
                 "the file; status: print the state and the number of recorded events")
      ->check(CLI::IsMember({"start", "stop", "status", "flush"}))
      ->type_name("start|stop|status|flush")
      ->required();
  app.footer(
      "With 'mansard profile --paused -- PROGRAM', recording begins at the first 'start'.\n"
      "A process can be controlled after its first NVTX range or CUDA API call.");
  return [options] { return run_control(*options); };
}

}  // namespace

void register_control(CommandRegistry& registry) {
  registry.add({.name = "control",
                .summary = "Start, stop or flush recording in a running program",
                .order = 25,
                .declare = declare_control});
}

}  // namespace mansard::cli
