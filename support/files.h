// SPDX-License-Identifier: Apache-2.0
// Checks files before they are read, and replaces files without harm to what the user made of them:
// links to them, and who may read them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <sys/types.h>

namespace mansard {

// Identifies a file apart from its names and descriptors, as long as it exists.
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
// regular file of at most `most_bytes`. Reading a pipe may wait forever, and a device never ends.
void require_input_file(const std::filesystem::path& file, const std::string& what,
                        std::uintmax_t most_bytes = UINTMAX_MAX);

// Returns the target of the symbolic links that begin at `file`, which need not exist. Throws
// std::runtime_error if they form a loop.
std::filesystem::path follow_links(std::filesystem::path file);

// Returns true for a FIFO, a character device or a socket: outputs that are written into, not
// replaced. False for a disk, which nobody means to replace by a report.
bool is_stream(const std::filesystem::path& file);

enum class OutputKind {
  text,     // written from start to end; streams are possible
  database  // a SQLite database, with logs beside it
};

// An output that gets its name only when it is complete, so that no reader sees half of it and a
// failure leaves nothing behind. The content goes to file(), which lies beside the output. A stream
// is its own file().
class OutputFile {
 public:
  // Follows links of `output`. Throws std::runtime_error if text cannot be written there.
  explicit OutputFile(const std::filesystem::path& output, OutputKind kind = OutputKind::text);
  ~OutputFile();  // removes an unfinished file
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::filesystem::path& file() const { return file_; }

  // Replaces the output, whose permissions are kept. A new database can be read by its owner only:
  // a profile tells what a program does and how it was called. Call when all is written and closed.
  void finish();

 private:
  std::filesystem::path output_;
  std::filesystem::path file_;
  OutputKind kind_;
};

}  // namespace mansard
