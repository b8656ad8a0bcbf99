// SPDX-License-Identifier: Apache-2.0
// Runs a program with the collector loaded into it and into its children.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "collector/session/recording_options.h"

namespace mansard::collector {

inline constexpr std::array kPytorchRanges = {"nvtx", "shapes", "modules"};

struct LaunchOptions {
  std::vector<std::string> command;  // program and arguments; the program is looked up in PATH
  std::string output;                // a pattern, see collector/session/output_pattern.h
  std::filesystem::path collector;   // empty: find_collector()
  RecordingOptions recording = {};   // launch() sets its start_utc_ns
  // Record the shapes of library calls by preloading a library next to the collector, if it was
  // built, and of XLA's operations (xla_work.h).
  bool library_calls = true;
  // Ranges of PyTorch's operators or modules (collector/python/mansard_pytorch.py): a value of
  // kPytorchRanges, or empty for none.
  std::string pytorch = {};
  std::vector<std::string> redact =
      {};  // additional patterns to redact in the stored command; redact.h
  // Called periodically on its own thread while the program runs, with the files that its processes
  // have created so far. Not called again after it throws.
  std::function<void(const std::vector<std::filesystem::path>& recorded)> watch = {};
  std::chrono::milliseconds watch_period{500};
};

struct LaunchResult {
  int exit_code = 0;                            // 128 + signal if killed by a signal, as in shells
  int signal = 0;                               // 0: not killed by a signal
  std::vector<std::filesystem::path> recorded;  // files that its processes created, oldest first
  // Processes that ended by _exit(), exec() or a signal before any of their events were written.
  std::vector<std::int64_t> lost;
  std::vector<std::string> warnings;
};

// The program does not exist (exit code 127, as in shells) or cannot be run (126).
struct CannotRun : std::runtime_error {
  CannotRun(int code, const std::string& message) : std::runtime_error(message), exit_code(code) {}
  int exit_code;
};

// Runs the program and waits for it; SIGINT and SIGTERM sent to this process meanwhile are
// forwarded. Throws CannotRun, and std::runtime_error if the collector library is missing. Removes
// control blocks left by ended processes.
LaunchResult launch(const LaunchOptions& options);

// Returns the path of libmansard_collector.so of this build or installation. Throws
// std::runtime_error.
std::filesystem::path find_collector();

}  // namespace mansard::collector
