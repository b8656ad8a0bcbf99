// SPDX-License-Identifier: Apache-2.0
// The NVTX state of one thread of the program: its open ranges, and the batch being filled.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "collector/inject/nvtx_event.h"
#include "collector/inject/spin_lock.h"

namespace mansard {

struct NvtxOpenRange {
  NvtxEvent event;
  std::string text;
};

class NvtxBatchQueue;

// A text longer than this is cut.
inline constexpr std::size_t kLongestText = 32 * 1024;

// Fills in what is known when a range begins.
void open_range(NvtxOpenRange& range, NvtxEventType type, const NvtxAttributes& attributes,
                std::int64_t now_ns, std::int64_t global_tid);

class NvtxThread {
 public:
  NvtxThread(NvtxBatchQueue& queue, std::int64_t global_tid);

  // As NVTX defines them: the nesting level in the domain, from 0; negative if there is none.
  int push(const NvtxAttributes& attributes, std::int64_t now_ns);
  int pop(const NvtxDomain* domain, std::int64_t now_ns);

  // An event that is complete.
  void append(const NvtxOpenRange& range);

  std::int64_t global_tid() const { return global_tid_; }

  // The thread has ended: the next drain is the last.
  void retire() { retired_.store(true, std::memory_order_release); }
  bool retired() const { return retired_.load(std::memory_order_acquire); }

  // Called by the writer. Takes the events so far, leaving `empty` to be filled.
  std::unique_ptr<NvtxBatch> take(std::unique_ptr<NvtxBatch> empty);
  // Calls `visit` with each open range that is not in the database yet; it sets the row id.
  template <class Visit>
  void visit_open(Visit visit) {
    const std::lock_guard lock(lock_);
    for (std::size_t i = 0; i < depth_; ++i) {
      if (open_[i].event.row_id == 0) visit(open_[i]);
    }
  }

 private:
  void append_locked(const NvtxEvent& event, std::string_view text);
  int level(const NvtxDomain* domain) const;

  NvtxBatchQueue& queue_;
  const std::int64_t global_tid_;
  std::atomic<bool> retired_ = false;
  SpinLock lock_;  // guards the fields below
  std::unique_ptr<NvtxBatch> batch_;
  std::vector<NvtxOpenRange> open_;  // the first depth_ are open; the others keep their memory
  std::size_t depth_ = 0;
};

}  // namespace mansard
