// SPDX-License-Identifier: Apache-2.0
// Starts and stops recording in running processes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "collector/session/control_block.h"
#include "collector/session/recording_progress.h"

namespace mansard::collector {

struct RecordedProcess {
  std::int64_t pid = 0;
  std::filesystem::path block;   // its shared memory
  std::filesystem::path output;  // the requested file name
  std::filesystem::path file;    // the file being written; empty: none yet
  RecordingProgress progress;
};

// This user's processes that run with the collector, by pid; for root, those of all users, unless
// MANSARD_CONTROL_FOLDER names one folder. Removes control blocks of dead processes.
std::vector<RecordedProcess> recorded_processes();

// Finds the processes of `target`, a pid or a file: all processes that record to this file or have
// it as output name, such as the ranks of one job. If there is none, throws std::runtime_error that
// lists the recorded processes.
std::vector<RecordedProcess> find_recorded(const std::string& target);

struct ControlReply {
  ControlState state = ControlState::ended;
  ControlResult result = ControlResult::nothing_to_do;
  std::uint32_t windows = 0;
  RecordingProgress progress;
};

// Sends a request and waits for the answer. Throws std::runtime_error if the process has ended or
// does not answer within `patience`.
ControlReply control(const RecordedProcess& process, ControlCommand command,
                     std::chrono::milliseconds patience);

}  // namespace mansard::collector
