// SPDX-License-Identifier: Apache-2.0
// Full batches on their way to the writer, and empty ones on their way back. Bounded: when the
// writer cannot keep up, events are dropped and counted.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "collector/inject/nvtx_event.h"

namespace mansard {

class NvtxBatchQueue {
 public:
  // A burst of a million events, which many threads make faster than any disk takes them; the memory,
  // some 200 MB then, is given back as it is written.
  static constexpr std::size_t kMostBatches = 2560;

  explicit NvtxBatchQueue(std::function<void()> wake_writer, std::size_t capacity = kMostBatches)
      : wake_writer_(std::move(wake_writer)), capacity_(capacity) {}

  std::unique_ptr<NvtxBatch> empty_batch();

  // Takes a full batch and returns an empty one; the full one itself when the queue is full.
  std::unique_ptr<NvtxBatch> exchange(std::unique_ptr<NvtxBatch> full);

  // Takes a batch, full or not; null is none.
  void add(std::unique_ptr<NvtxBatch> batch);

  void count_dropped(std::uint64_t events = 1) {
    if (!closed_.load(std::memory_order_relaxed)) {
      dropped_.fetch_add(events, std::memory_order_relaxed);
    }
  }
  std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

  // From now on events are neither taken nor counted.
  void close() { closed_.store(true, std::memory_order_relaxed); }

  // Called by the writer: the oldest full batch, or null.
  std::unique_ptr<NvtxBatch> take_full();
  void recycle(std::unique_ptr<NvtxBatch> batch);

 private:
  const std::function<void()> wake_writer_;
  const std::size_t capacity_;
  std::atomic<std::uint64_t> dropped_ = 0;
  std::atomic<bool> closed_ = false;
  std::mutex mutex_;  // guards the fields below
  std::deque<std::unique_ptr<NvtxBatch>> full_;
  std::vector<std::unique_ptr<NvtxBatch>> empty_;
};

}  // namespace mansard
