// SPDX-License-Identifier: Apache-2.0
// Messages from the recorded processes to their launcher: lines appended to a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace mansard::collector {

enum class ProcessEvent {
  began,    // recording can begin
  created,  // its profile exists
  ended,    // recording has ended normally
};

// `profile` is used for ProcessEvent::created. Does nothing if `notes` is "" or cannot be opened:
// the launcher is then in another container or on another machine.
void append_note(const std::string& notes, ProcessEvent event, std::int64_t pid,
                 const std::filesystem::path& profile = {});

struct ProcessNotes {
  std::vector<std::filesystem::path> profiles;  // in order of creation
  // Processes with a `began` note, but neither `created` nor `ended`.
  std::vector<std::int64_t> without_profile;
};

// Returns empty notes if the file does not exist. Ignores lines that are not notes.
ProcessNotes read_notes(const std::string& notes);

}  // namespace mansard::collector
