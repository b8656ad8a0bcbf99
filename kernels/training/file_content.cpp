// SPDX-License-Identifier: Apache-2.0
#include "kernels/training/file_content.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <utility>

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>

namespace mansard::kernels {
namespace {

std::runtime_error failure(const char* action, const std::filesystem::path& file,
                           const std::string& reason) {
  return std::runtime_error(std::string("cannot ") + action + " '" + file.string() +
                            "': " + reason);
}

class OpenFile {
 public:
  explicit OpenFile(const std::filesystem::path& file)
      : fd_(open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) throw failure("open", file, std::strerror(errno));
  }
  ~OpenFile() { close(fd_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

std::unique_ptr<std::byte[]> read_all(int fd, std::size_t bytes,
                                      const std::filesystem::path& file) {
  auto data = std::make_unique<std::byte[]>(bytes);
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t got = ::read(fd, data.get() + done, bytes - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw failure("read", file, std::strerror(errno));
    if (got == 0) throw failure("read", file, "it was truncated by another program; try again");
    done += static_cast<std::size_t>(got);
  }
  return data;
}

std::byte* map(int fd, std::size_t bytes, const std::filesystem::path& file) {
  void* const mapping = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
  if (mapping != MAP_FAILED) return static_cast<std::byte*>(mapping);
  throw failure("map", file,
                errno == ENOMEM ? "too many mappings or too little address space; join files into "
                                  "larger ones, or raise sysctl vm.max_map_count or ulimit -v"
                                : std::strerror(errno));
}

}  // namespace

FileContent::FileContent(const std::filesystem::path& file) {
  const OpenFile opened(file);
  struct stat status {};
  if (fstat(opened.fd(), &status) != 0) throw failure("read", file, std::strerror(errno));
  bytes_ = static_cast<std::size_t>(status.st_size);
  data_ = bytes_ < kMappedBytes ? read_all(opened.fd(), bytes_, file).release()
                                : map(opened.fd(), bytes_, file);
}

FileContent::~FileContent() {
  if (bytes_ < kMappedBytes) {
    delete[] data_;
  } else {
    munmap(data_, bytes_);
  }
}

FileContent::FileContent(FileContent&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

bool FileContent::read(std::size_t at, std::size_t count, void* to) const {
  if (bytes_ >= kMappedBytes) {
    // The kernel reports a page that cannot be read as an error; a load from it raises SIGBUS.
    const iovec local = {to, count};
    const iovec remote = {data_ + at, count};
    const ssize_t copied = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
    if (copied == static_cast<ssize_t>(count)) return true;
    const bool forbidden = copied < 0 && (errno == EPERM || errno == ENOSYS);
    if (!forbidden) return false;
  }
  std::memcpy(to, data_ + at, count);
  return true;
}

}  // namespace mansard::kernels
