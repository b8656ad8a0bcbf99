// SPDX-License-Identifier: Apache-2.0
// Starting and stopping the recording of processes that run.
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
  std::filesystem::path output;  // the file that was asked for
  std::filesystem::path file;    // the file that it writes; empty: none yet
  RecordingProgress progress;
};

// This user's processes that run with the collector, by pid; for root those of all users, unless
// MANSARD_CONTROL_FOLDER names one folder. Removes what dead ones have left.
std::vector<RecordedProcess> recorded_processes();

// Those that `target`, a pid or a file, means: all that record to this file, or were asked to, such
// as the ranks of one job. Throws std::runtime_error if there is none, and says which there are.
std::vector<RecordedProcess> find_recorded(const std::string& target);

struct ControlReply {
  ControlState state = ControlState::ended;
  ControlResult result = ControlResult::nothing_to_do;
  std::uint32_t windows = 0;
  RecordingProgress progress;
};

// Asks, and waits for the answer. Throws std::runtime_error when the
// process has ended or does not answer within `patience`.
ControlReply control(const RecordedProcess& process, ControlCommand command,
                     std::chrono::milliseconds patience);

}  // namespace mansard::collector
