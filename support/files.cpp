// SPDX-License-Identifier: Apache-2.0
#include "support/files.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <unistd.h>

#include <sys/stat.h>

#include "support/units.h"

namespace mansard {
namespace {

namespace fs = std::filesystem;

std::optional<FileIdentity> identity(int result, const struct stat& status) {
  if (result != 0) return std::nullopt;
  return FileIdentity{status.st_dev, status.st_ino};
}

// SQLite would apply a leftover log of a previous file to the new one.
void remove_logs(const fs::path& database) {
  std::error_code ignored;
  for (const char* suffix : {"-wal", "-shm", "-journal"}) {
    fs::remove(database.string() + suffix, ignored);
  }
}

void keep_permissions(const fs::path& existing, const fs::path& file) {
  std::error_code missing;
  const fs::file_status status = fs::status(existing, missing);
  if (fs::exists(status)) fs::permissions(file, status.permissions());
}

}  // namespace

std::optional<FileIdentity> file_identity(int fd) {
  struct stat status {};
  return identity(fstat(fd, &status), status);
}

std::optional<FileIdentity> file_identity(const fs::path& path) {
  struct stat status {};
  return identity(stat(path.c_str(), &status), status);
}

void require_input_file(const fs::path& file, const std::string& what, std::uintmax_t most_bytes) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (!fs::exists(status)) throw std::runtime_error(what + ": no such file");
  if (fs::is_directory(status)) {
    throw std::runtime_error(what + " is a folder; name a file in it");
  }
  if (!fs::is_regular_file(status)) {
    throw std::runtime_error(what +
                             " is a pipe, socket or device, not a regular file; write "
                             "its content to a file first");
  }
  const std::uintmax_t bytes = fs::file_size(file, error);
  if (!error && bytes > most_bytes) {
    throw std::runtime_error(what +
                             " is too large: " + format_capacity(static_cast<double>(bytes)) +
                             ", maximum " + format_capacity(static_cast<double>(most_bytes)));
  }
}

fs::path follow_links(fs::path file) {
  constexpr int kMaxLinks = 40;  // as many as Linux follows
  const fs::path named = file;
  std::error_code none;
  for (int links = 0; fs::is_symlink(fs::symlink_status(file, none)); ++links) {
    if (links == kMaxLinks) {
      throw std::runtime_error("'" + named.string() + "' is a loop of symbolic links");
    }
    file = file.parent_path() / fs::read_symlink(file);  // an absolute target replaces the folder
  }
  return file;
}

bool is_stream(const fs::path& file) {
  std::error_code missing;
  const fs::file_type type = fs::status(file, missing).type();
  return type == fs::file_type::fifo || type == fs::file_type::character ||
         type == fs::file_type::socket;
}

OutputFile::OutputFile(const fs::path& output, OutputKind kind)
    : output_(output), file_(output), kind_(kind) {
  if (kind == OutputKind::text && is_stream(output)) return;
  output_ = follow_links(output);
  file_ = output_.string() + ".unfinished." + std::to_string(getpid());
  if (kind == OutputKind::database) {
    std::error_code ignored;
    fs::remove(file_, ignored);
    remove_logs(file_);
    return;
  }
  // Set permissions now, so that users who cannot read the replaced file cannot read this one.
  if (!std::ofstream(file_)) {
    throw std::runtime_error("cannot write '" + output.string() + "': " + std::strerror(errno));
  }
  keep_permissions(output_, file_);
}

OutputFile::~OutputFile() {
  if (file_ == output_) return;
  std::error_code ignored;
  fs::remove(file_, ignored);
  if (kind_ == OutputKind::database) remove_logs(file_);
}

void OutputFile::finish() {
  if (file_ == output_) return;
  if (kind_ == OutputKind::database) {
    remove_logs(output_);
    constexpr fs::perms kOwnerOnly = fs::perms::owner_read | fs::perms::owner_write;
    if (!fs::exists(output_)) fs::permissions(file_, kOwnerOnly);
    keep_permissions(output_, file_);
  }
  fs::rename(file_, output_);
  if (kind_ == OutputKind::database) remove_logs(file_);
  file_ = output_;
}

}  // namespace mansard
