// SPDX-License-Identifier: Apache-2.0
// Runs a program with the collector loaded into it and into its children.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "collector/session/recording_options.h"

namespace mansard::collector {

struct LaunchOptions {
  std::vector<std::string> command;      // program and arguments; the program is searched on PATH
  std::string output;                    // pattern of collector/session/output_pattern.h
  std::filesystem::path collector;       // empty: found beside this program
  RecordingOptions recording = {};       // its start_utc_ns is set by launch()
  std::vector<std::string> redact = {};  // of the command in the profile, also these; redact.h
  // Called every so often while the program runs, on a thread of its own, with the files that its
  // processes have made so far. No more once it throws.
  std::function<void(const std::vector<std::filesystem::path>& recorded)> watch = {};
  std::chrono::milliseconds watch_period{500};
};

struct LaunchResult {
  int exit_code = 0;                            // 128 + signal when killed by one, as shells say it
  int signal = 0;                               // 0: it exited
  std::vector<std::filesystem::path> recorded;  // files that its processes made, oldest first
  // Processes that ended by _exit(), exec() or a signal before anything was written of them.
  std::vector<std::int64_t> lost;
};

// The program does not exist (exit code 127 in a shell) or cannot be run (126).
struct CannotRun : std::runtime_error {
  CannotRun(int code, const std::string& message) : std::runtime_error(message), exit_code(code) {}
  int exit_code;
};

// Waits for the program; SIGINT and SIGTERM sent meanwhile to this process reach it. Throws
// CannotRun, and std::runtime_error when the collector's library is missing. Control blocks that
// ended processes have left are removed.
LaunchResult launch(const LaunchOptions& options);

// libmansard_collector.so of this build or installation. Throws std::runtime_error.
std::filesystem::path find_collector();

}  // namespace mansard::collector
