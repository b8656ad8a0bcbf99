// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/output_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <unistd.h>

#include "collector/session/output_pattern.h"
#include "support/files.h"

namespace mansard::collector {
namespace {

// A profile reveals what a program does, and its command line.
constexpr mode_t kOwnerOnly = 0600;

// Returns errno, or 0 if the file was created.
int create_exclusively(const std::filesystem::path& file) {
  const int fd = open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, kOwnerOnly);
  if (fd < 0) return errno;
  close(fd);
  return 0;
}

}  // namespace

std::filesystem::path create_output_file(const std::filesystem::path& given, std::int64_t pid) {
  // O_EXCL fails on a link, so resolve links first.
  const std::filesystem::path named = follow_links(given);
  std::filesystem::path file = named;
  int error = create_exclusively(file);
  // A process that calls exec() creates a second file with the same pid.
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

}  // namespace mansard::collector
