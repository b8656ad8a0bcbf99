// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/shared_memory.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <stdexcept>
#include <unistd.h>
#include <utility>

#include <sys/mman.h>

namespace mansard::kernels {
namespace {

// The name of shared memory, removed when all ranks have it open or one has failed.
class SharedName {
 public:
  SharedName(std::string name, bool owned) : name_(std::move(name)), owned_(owned) {}
  ~SharedName() {
    if (owned_) ::shm_unlink(name_.c_str());
  }
  SharedName(const SharedName&) = delete;
  SharedName& operator=(const SharedName&) = delete;
  const char* get() const { return name_.c_str(); }

 private:
  std::string name_;
  bool owned_;
};

}  // namespace

SharedMemory::SharedMemory(ProcessGroup& group, std::int64_t bytes, const std::string& purpose)
    : bytes_(bytes) {
  const bool creates = group.rank() == 0;
  const SharedName name(group.broadcast("/mansard-" + std::to_string(::getpid()) + "-" +
                                        std::to_string(std::random_device()())),
                        creates);
  const auto map = [&](int file) {
    memory_ = MAP_FAILED;
    if (file >= 0) {
      memory_ = ::mmap(nullptr, static_cast<std::size_t>(bytes_), PROT_READ | PROT_WRITE,
                       MAP_SHARED, file, 0);
      ::close(file);
    }
    if (memory_ != MAP_FAILED) return;
    memory_ = nullptr;
    throw std::runtime_error("cannot map the shared memory of rank 0 for " + purpose +
                             ", which needs all ranks on one host: " + std::strerror(errno));
  };
  try {
    group.agree([&] {
      if (!creates) return;
      const int file = ::shm_open(name.get(), O_RDWR | O_CREAT | O_EXCL, 0600);
      // Reserves the pages: without them, a write would end the process.
      const int error = file < 0 ? errno : ::posix_fallocate(file, 0, bytes_);
      if (error != 0) {
        if (file >= 0) ::close(file);
        throw std::runtime_error("cannot reserve " + std::to_string(bytes_) +
                                 " bytes of shared memory for " + purpose + ": " +
                                 std::strerror(error));
      }
      map(file);
    });
    group.agree([&] {
      if (!creates) map(::shm_open(name.get(), O_RDWR, 0600));
    });
  } catch (...) {
    unmap();
    throw;
  }
}

SharedMemory::~SharedMemory() { unmap(); }

void SharedMemory::unmap() {
  if (memory_ != nullptr) ::munmap(memory_, static_cast<std::size_t>(bytes_));
}

}  // namespace mansard::kernels
