// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/shared_center.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <pthread.h>
#include <stdexcept>
#include <unistd.h>
#include <utility>

#include <sys/mman.h>

namespace mansard::kernels {

struct SharedCenter::Part {
  pthread_mutex_t mutex;
};

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

// A lock that a process which is killed while it holds it does not keep. What it leaves is a part
// of the center of which some elements have moved, which is as valid as before.
class RobustLock {
 public:
  explicit RobustLock(pthread_mutex_t& mutex) : mutex_(&mutex) {
    if (::pthread_mutex_lock(mutex_) == EOWNERDEAD) ::pthread_mutex_consistent(mutex_);
  }
  ~RobustLock() { ::pthread_mutex_unlock(mutex_); }
  RobustLock(const RobustLock&) = delete;
  RobustLock& operator=(const RobustLock&) = delete;

 private:
  pthread_mutex_t* mutex_;
};

}  // namespace

SharedCenter::SharedCenter(ProcessGroup& group, std::int64_t count) : count_(count) {
  const std::int64_t parts = (count + kPart - 1) / kPart;
  const std::int64_t header =
      (parts * static_cast<std::int64_t>(sizeof(Part)) + 4095) / 4096 * 4096;
  bytes_ = header + 4 * count;
  const bool creates = group.rank() == 0;
  const SharedName name(group.broadcast("/mansard-center-" + std::to_string(::getpid()) + "-" +
                                        std::to_string(reinterpret_cast<std::uintptr_t>(this))),
                        creates);
  const int flags = creates ? O_RDWR | O_CREAT | O_EXCL : O_RDWR;
  int file = -1;
  std::string problem;
  if (creates) {
    file = ::shm_open(name.get(), flags, 0600);
    // Reserves the pages: without them, a write would end the process.
    const int error = file < 0 ? errno : ::posix_fallocate(file, 0, bytes_);
    if (error != 0) {
      problem = "cannot reserve " + std::to_string(bytes_) +
                " bytes of shared memory for the center: " + std::strerror(error);
    }
  }
  problem = group.broadcast(problem);
  if (problem.empty() && !creates) {
    file = ::shm_open(name.get(), flags, 0600);
    if (file < 0) {
      throw std::runtime_error(
          "cannot open the shared memory of rank 0: EASGD's center needs all ranks on one host; "
          "use "
          "model averaging or BMUF across hosts");
    }
  }
  if (problem.empty()) {
    memory_ = ::mmap(nullptr, static_cast<std::size_t>(bytes_), PROT_READ | PROT_WRITE, MAP_SHARED,
                     file, 0);
    if (memory_ == MAP_FAILED)
      problem = std::string("cannot map the center: ") + std::strerror(errno);
  }
  if (file >= 0) ::close(file);
  if (problem.empty()) {
    parts_ = static_cast<Part*>(memory_);
    values_ = reinterpret_cast<float*>(static_cast<char*>(memory_) + header);
    if (creates) {
      pthread_mutexattr_t attributes;
      ::pthread_mutexattr_init(&attributes);
      ::pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
      ::pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
      for (std::int64_t i = 0; i < parts; ++i) ::pthread_mutex_init(&parts_[i].mutex, &attributes);
      ::pthread_mutexattr_destroy(&attributes);
    }
  }
  group.barrier();  // all have it open, and the locks are ready
  if (!problem.empty()) throw std::runtime_error(problem);
}

SharedCenter::~SharedCenter() {
  if (memory_ != nullptr && memory_ != MAP_FAILED) {
    ::munmap(memory_, static_cast<std::size_t>(bytes_));
  }
}

void SharedCenter::set(const float* values) { std::copy_n(values, count_, values_); }

void SharedCenter::exchange(float* weights, std::int64_t first, std::int64_t count,
                            float elasticity) {
  for (std::int64_t at = first; at < first + count;) {
    const std::int64_t part = at / kPart;
    const std::int64_t end = std::min(first + count, (part + 1) * kPart);
    const RobustLock lock(parts_[part].mutex);
    for (; at < end; ++at) {
      const float center = values_[at];
      float& weight = weights[at - first];
      values_[at] = center + elasticity * (weight - center);
      weight = center;
    }
  }
}

}  // namespace mansard::kernels
