// SPDX-License-Identifier: Apache-2.0
// Full batches on their way to the writer, and empty ones on their way back. The memory of all
// batches, including those that threads are filling, is bounded: if the writer cannot keep up,
// events are dropped and counted.
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

namespace mansard::collector {

class NvtxBatchQueue {
 public:
  // Batches are allocated as needed, and most are freed once they are written.
  NvtxBatchQueue(std::function<void()> wake_writer, std::size_t most_bytes)
      : wake_writer_(std::move(wake_writer)), most_batches_(most_bytes / NvtxBatch::kBytes) {}

  // Returns null when the memory limit is reached.
  std::unique_ptr<NvtxBatch> empty_batch();

  // Takes a full batch (may be null) and returns an empty one, or null as above. After close(),
  // returns the full one itself.
  std::unique_ptr<NvtxBatch> exchange(std::unique_ptr<NvtxBatch> full);

  // Takes a batch, full or not; ignores null.
  void add(std::unique_ptr<NvtxBatch> batch);

  // Whether the memory limit is reached, so that a thread may be waiting for a batch.
  bool used_up();
  bool has_full();

  void count_dropped(std::uint64_t events = 1) {
    if (!closed_.load(std::memory_order_relaxed)) {
      dropped_.fetch_add(events, std::memory_order_relaxed);
    }
  }
  std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

  // Afterwards, events are neither accepted nor counted.
  void close() { closed_.store(true, std::memory_order_relaxed); }

  // Called by the writer: the oldest full batch, or null.
  std::unique_ptr<NvtxBatch> take_full();

  // Takes back a batch that is no longer needed; ignores null.
  void recycle(std::unique_ptr<NvtxBatch> batch);

 private:
  const std::function<void()> wake_writer_;
  const std::size_t most_batches_;
  std::atomic<std::uint64_t> dropped_ = 0;
  std::atomic<bool> closed_ = false;
  std::mutex mutex_;         // guards the fields below
  std::size_t batches_ = 0;  // in all places
  std::deque<std::unique_ptr<NvtxBatch>> full_;
  std::vector<std::unique_ptr<NvtxBatch>> empty_;
};

}  // namespace mansard::collector
