// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/nvtx_batch_queue.h"

namespace mansard::collector {
namespace {

constexpr std::size_t kKeptEmpty = 64;

}  // namespace

std::unique_ptr<NvtxBatch> NvtxBatchQueue::empty_batch() {
  {
    const std::lock_guard lock(mutex_);
    if (!empty_.empty()) {
      std::unique_ptr<NvtxBatch> batch = std::move(empty_.back());
      empty_.pop_back();
      return batch;
    }
    if (batches_ >= most_batches_) return nullptr;
    ++batches_;
  }
  try {
    return std::make_unique<NvtxBatch>();
  } catch (...) {
    const std::lock_guard lock(mutex_);
    --batches_;
    throw;
  }
}

std::unique_ptr<NvtxBatch> NvtxBatchQueue::exchange(std::unique_ptr<NvtxBatch> full) {
  bool fills_up = false;
  if (full != nullptr) {
    const std::lock_guard lock(mutex_);
    if (closed_.load(std::memory_order_relaxed)) return full;
    full_.push_back(std::move(full));
    fills_up = full_.size() == most_batches_ / 8 + 1;
  }
  if (fills_up) wake_writer_();
  return empty_batch();
}

void NvtxBatchQueue::add(std::unique_ptr<NvtxBatch> batch) {
  if (batch == nullptr) return;
  if (batch->events.empty() || closed_.load(std::memory_order_relaxed)) {
    recycle(std::move(batch));
    return;
  }
  const std::lock_guard lock(mutex_);
  full_.push_back(std::move(batch));
}

bool NvtxBatchQueue::has_full() {
  const std::lock_guard lock(mutex_);
  return !full_.empty();
}

bool NvtxBatchQueue::used_up() {
  const std::lock_guard lock(mutex_);
  return empty_.empty() && batches_ >= most_batches_;
}

std::unique_ptr<NvtxBatch> NvtxBatchQueue::take_full() {
  const std::lock_guard lock(mutex_);
  if (full_.empty()) return nullptr;
  std::unique_ptr<NvtxBatch> oldest = std::move(full_.front());
  full_.pop_front();
  return oldest;
}

void NvtxBatchQueue::recycle(std::unique_ptr<NvtxBatch> batch) {
  if (batch == nullptr) return;
  batch->clear();
  const std::lock_guard lock(mutex_);
  if (empty_.size() < kKeptEmpty) {
    empty_.push_back(std::move(batch));
  } else {
    --batches_;
  }
}

}  // namespace mansard::collector
