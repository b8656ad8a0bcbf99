// SPDX-License-Identifier: Apache-2.0
// Checks files before they are read, and replaces files but keeps their permissions and the links
// to them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <sys/types.h>

namespace mansard {

// Identifies a file independently of its names and descriptors, as long as it exists.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const FileIdentity&) const = default;
};

// Returns null if the descriptor is not open, or the path does not exist or cannot be read. Follows
// links. Async-signal-safe for descriptors.
std::optional<FileIdentity> file_identity(int fd);
std::optional<FileIdentity> file_identity(const std::filesystem::path& path);

// Throws std::runtime_error that begins with `what` ("machine model 'a.json'") unless `file` is a
// regular file of at most `most_bytes`. Reading a pipe may block forever, and a device may be
// endless.
void require_input_file(const std::filesystem::path& file, const std::string& what,
                        std::uintmax_t most_bytes = UINTMAX_MAX);

// Returns the target of the chain of symbolic links at `file`; the target need not exist. Throws
// std::runtime_error if they form a loop.
std::filesystem::path follow_links(std::filesystem::path file);

// Returns true for a FIFO, a character device or a socket: outputs that are written into, not
// replaced. False for a block device.
bool is_stream(const std::filesystem::path& file);

enum class OutputKind {
  text,     // written from start to end; streams are possible
  database  // a SQLite database, which has log files next to it
};

// An output file that gets its name only when it is complete, so that readers never see a partial
// file and a failure leaves nothing behind. Write the content to file(), a temporary file next to
// the output; for a stream, the stream itself.
class OutputFile {
 public:
  // Follows links at `output`. Throws std::runtime_error if text cannot be written there.
  explicit OutputFile(const std::filesystem::path& output, OutputKind kind = OutputKind::text);
  ~OutputFile();  // removes an unfinished file
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::filesystem::path& file() const { return file_; }

  // Replaces the output and keeps its permissions. A new database is readable only by its owner,
  // because a profile reveals a program's work and command line. Call after the file is closed.
  void finish();

 private:
  std::filesystem::path output_;
  std::filesystem::path file_;
  OutputKind kind_;
};

}  // namespace mansard
