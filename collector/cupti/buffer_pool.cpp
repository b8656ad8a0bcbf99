// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/buffer_pool.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace mansard::collector {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kReady = 4;
constexpr std::size_t kKept = 32;

}  // namespace

// Buffer sizes are whole pages; the pool has as many buffers as fit.
BufferPool::BufferPool(std::size_t most_bytes)
    : buffer_bytes_(std::min(kMaxBufferBytes, most_bytes / kMinBuffers / kPage * kPage)),
      most_buffers_(most_bytes / buffer_bytes_) {}

std::uint8_t* BufferPool::request() noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (!spare_.empty()) {
      std::uint8_t* data = spare_.back().release();
      spare_.pop_back();
      return data;
    }
    if (buffers_ >= most_buffers_) return nullptr;
    // operator new aligns to 16; CUPTI needs 8.
    auto* data = new (std::nothrow) std::uint8_t[buffer_bytes_];
    if (data != nullptr) ++buffers_;
    return data;
  } catch (...) {
    return nullptr;
  }
}

void BufferPool::complete(std::uint8_t* data, std::size_t valid_bytes) noexcept {
  if (data == nullptr) return;
  std::unique_ptr<std::uint8_t[]> owned(data);
  try {
    const std::lock_guard lock(mutex_);
    if (valid_bytes == 0) {
      spare_.push_back(std::move(owned));
    } else {
      completed_.push_back({std::move(owned), valid_bytes});
    }
  } catch (...) {
    // Out of memory: the records in this buffer are lost.
    const std::lock_guard lock(mutex_);
    --buffers_;
  }
}

std::vector<CuptiBuffer> BufferPool::take_completed() {
  const std::lock_guard lock(mutex_);
  return std::exchange(completed_, {});
}

void BufferPool::recycle(CuptiBuffer buffer) {
  const std::lock_guard lock(mutex_);
  if (spare_.size() < kKept) {
    spare_.push_back(std::move(buffer.data));
  } else {
    --buffers_;
  }
}

void BufferPool::refill() {
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      if (spare_.size() >= kReady || buffers_ >= most_buffers_) return;
      ++buffers_;
    }
    // Write to the buffer here, so that its pages are not mapped on the program's thread.
    std::unique_ptr<std::uint8_t[]> data(new std::uint8_t[buffer_bytes_]);
    std::memset(data.get(), 0, buffer_bytes_);
    const std::lock_guard lock(mutex_);
    spare_.push_back(std::move(data));
  }
}

}  // namespace mansard::collector
