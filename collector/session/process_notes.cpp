// SPDX-License-Identifier: Apache-2.0
#include "collector/session/process_notes.h"

#include <algorithm>
#include <charconv>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <string_view>
#include <unistd.h>

#include "collector/session/background_thread.h"

namespace mansard::collector {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

std::string_view name_of(ProcessEvent event) {
  switch (event) {
    case ProcessEvent::began:
      return "began";
    case ProcessEvent::created:
      return "created";
    case ProcessEvent::ended:
      return "ended";
  }
  return "";
}

// A file name may hold any character but NUL.
std::string without_line_ends(const std::string& path) {
  std::string line;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && c != '%') {
      line += c;
    } else {
      line += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return line;
}

std::string with_line_ends(std::string_view line) {
  std::string path;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::size_t high = i + 2 < line.size() ? kHex.find(line[i + 1]) : kHex.npos;
    const std::size_t low = i + 2 < line.size() ? kHex.find(line[i + 2]) : kHex.npos;
    if (line[i] == '%' && high != kHex.npos && low != kHex.npos) {
      path += static_cast<char>(high << 4 | low);
      i += 2;
    } else {
      path += line[i];
    }
  }
  return path;
}

std::string_view first_word(std::string_view& line) {
  const std::size_t space = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, space);
  line.remove_prefix(std::min(space + 1, line.size()));
  return word;
}

}  // namespace

void append_note(const std::string& notes, ProcessEvent event, std::int64_t pid,
                 const std::filesystem::path& profile) {
  if (notes.empty()) return;
  const int fd = open(notes.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return;
  std::string line = std::string(name_of(event)) + " " + std::to_string(pid);
  if (!profile.empty()) line += " " + without_line_ends(profile.string());
  line += "\n";
  const DiscardedWriteSignals quiet;
  [[maybe_unused]] const ssize_t written = write(fd, line.data(), line.size());
  close(fd);
}

ProcessNotes read_notes(const std::string& notes) {
  ProcessNotes read;
  std::map<std::int64_t, bool> explained;  // by pid
  std::ifstream stream(notes);
  for (std::string text; std::getline(stream, text);) {
    std::string_view line = text;
    const std::string_view event = first_word(line);
    const std::string_view number = first_word(line);
    std::int64_t pid = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), pid);
    if (error != std::errc{} || end != number.data() + number.size()) continue;
    if (event == name_of(ProcessEvent::began)) {
      explained.try_emplace(pid, false);
    } else if (event == name_of(ProcessEvent::created) && !line.empty()) {
      explained[pid] = true;
      read.profiles.emplace_back(with_line_ends(line));
    } else if (event == name_of(ProcessEvent::ended)) {
      explained[pid] = true;
    }
  }
  for (const auto& [pid, is_explained] : explained) {
    if (!is_explained) read.without_profile.push_back(pid);
  }
  return read;
}

}  // namespace mansard::collector
