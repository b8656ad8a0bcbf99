// SPDX-License-Identifier: Apache-2.0
// Messages from the recorded processes to their launcher, as lines that they append to a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace mansard::collector {

enum class ProcessEvent {
  began,    // recording can begin
  created,  // its profile exists
  ended,    // recording has ended in order
};

// `profile`: of ProcessEvent::created. Does nothing if `notes` is "" or cannot be opened: the
// launcher is then in another container or on another machine.
void append_note(const std::string& notes, ProcessEvent event, std::int64_t pid,
                 const std::filesystem::path& profile = {});

struct ProcessNotes {
  std::vector<std::filesystem::path> profiles;  // in the order in which they were created
  // Processes that began, and have neither a profile nor an end.
  std::vector<std::int64_t> without_profile;
};

// Nothing if there is no such file. Lines that are not notes are left out.
ProcessNotes read_notes(const std::string& notes);

}  // namespace mansard::collector
