// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/shared_center.h"

#include <algorithm>
#include <cerrno>
#include <pthread.h>

namespace mansard::kernels {

struct SharedCenter::Part {
  pthread_mutex_t mutex;
};

namespace {

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

std::int64_t parts_of(std::int64_t count) {
  return (count + SharedCenter::kPart - 1) / SharedCenter::kPart;
}

}  // namespace

SharedCenter::SharedCenter(ProcessGroup& group, std::int64_t count)
    : count_(count),
      memory_(group, header_bytes(count) + 4 * count,
              "EASGD's center (model averaging and BMUF do not need it)"),
      parts_(static_cast<Part*>(memory_.get())),
      values_(reinterpret_cast<float*>(static_cast<char*>(memory_.get()) + header_bytes(count))) {
  if (group.rank() == 0) {
    pthread_mutexattr_t attributes;
    ::pthread_mutexattr_init(&attributes);
    ::pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    ::pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    for (std::int64_t i = 0; i < parts_of(count); ++i) {
      ::pthread_mutex_init(&parts_[i].mutex, &attributes);
    }
    ::pthread_mutexattr_destroy(&attributes);
  }
  group.barrier();  // the locks are ready
}

std::int64_t SharedCenter::header_bytes(std::int64_t count) {
  return (parts_of(count) * static_cast<std::int64_t>(sizeof(Part)) + 4095) / 4096 * 4096;
}

void SharedCenter::set(const float* values) { std::copy_n(values, count_, values_); }

void SharedCenter::for_each_part(
    const std::function<void(float* values, std::int64_t first, std::int64_t count)>& exchange) {
  for (std::int64_t first = 0; first < count_; first += kPart) {
    const RobustLock lock(parts_[first / kPart].mutex);
    exchange(values_ + first, first, std::min(kPart, count_ - first));
  }
}

}  // namespace mansard::kernels
