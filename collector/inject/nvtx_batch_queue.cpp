// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/nvtx_batch_queue.h"

namespace mansard {
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
  }
  return std::make_unique<NvtxBatch>();
}

std::unique_ptr<NvtxBatch> NvtxBatchQueue::exchange(std::unique_ptr<NvtxBatch> full) {
  bool fills_up = false;
  if (full != nullptr) {
    const std::lock_guard lock(mutex_);
    if (full_.size() >= capacity_) return full;
    full_.push_back(std::move(full));
    fills_up = full_.size() == capacity_ / 8 + 1;
  }
  if (fills_up) wake_writer_();
  return empty_batch();
}

std::vector<std::unique_ptr<NvtxBatch>> NvtxBatchQueue::take_full() {
  const std::lock_guard lock(mutex_);
  return std::exchange(full_, {});
}

void NvtxBatchQueue::recycle(std::unique_ptr<NvtxBatch> batch) {
  batch->clear();
  const std::lock_guard lock(mutex_);
  if (empty_.size() < kKeptEmpty) empty_.push_back(std::move(batch));
}

}  // namespace mansard
