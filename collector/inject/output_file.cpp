// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/output_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <unistd.h>

#include "collector/store/output_pattern.h"

namespace mansard {
namespace {

// A profile tells what a program does, and how it was called.
constexpr mode_t kOwnerOnly = 0600;

// Errors are errno; 0: created.
int create_exclusively(const std::filesystem::path& file) {
  const int fd = open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, kOwnerOnly);
  if (fd < 0) return errno;
  close(fd);
  return 0;
}

}  // namespace

std::filesystem::path create_output_file(const std::string& pattern, std::int64_t pid) {
  const std::filesystem::path named = expand_output_pattern(pattern, pid);
  std::filesystem::path file = named;
  int error = create_exclusively(file);
  // A process that replaces itself (exec) comes here a second time with the same pid.
  for (int again = 1; error == EEXIST && again <= 100; ++again) {
    file = with_pid(named, pid);
    if (again > 1) file.replace_extension("." + std::to_string(again) + named.extension().string());
    error = create_exclusively(file);
  }
  if (error != 0) {
    throw std::runtime_error("cannot create " + file.string() + ": " + std::strerror(error));
  }
  return file;
}

void announce_output_file(const std::filesystem::path& file, const std::string& list) {
  if (list.empty()) return;
  const int fd = open(list.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd < 0) return;  // another machine or container: the launcher guesses the name
  const std::string line = file.string() + "\n";
  [[maybe_unused]] const ssize_t written = write(fd, line.data(), line.size());
  close(fd);
}

}  // namespace mansard
