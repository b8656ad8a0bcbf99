// SPDX-License-Identifier: Apache-2.0
#include "collector/store/unfinished_file.h"

#include <string>
#include <unistd.h>

#include "collector/store/replaced_file.h"

namespace mansard {
namespace {

namespace fs = std::filesystem;

// A log of a file that was there before would be taken for the new one's.
void remove_logs(const fs::path& file) {
  std::error_code ignored;
  for (const char* suffix : {"-wal", "-shm", "-journal"}) {
    fs::remove(file.string() + suffix, ignored);
  }
}

void remove_database(const fs::path& file) {
  std::error_code ignored;
  fs::remove(file, ignored);
  remove_logs(file);
}

}  // namespace

UnfinishedFile::UnfinishedFile(const fs::path& output)
    : output_(follow_links(output)),
      file_(output_.string() + ".unfinished." + std::to_string(getpid())) {
  remove_database(file_);
}

UnfinishedFile::~UnfinishedFile() { remove_database(file_); }

void UnfinishedFile::finish() {
  remove_logs(output_);
  // Like a profile's own file: it tells what a program does, and how it was called.
  constexpr fs::perms kOwnerOnly = fs::perms::owner_read | fs::perms::owner_write;
  if (!fs::exists(output_)) fs::permissions(file_, kOwnerOnly);
  keep_permissions(output_, file_);
  fs::rename(file_, output_);
}

}  // namespace mansard
