// SPDX-License-Identifier: Apache-2.0
// The NVTX state of one program thread: its open ranges and the batch being filled.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collector/inject/nvtx_event.h"
#include "collector/inject/spin_lock.h"
#include "collector/session/recording_window.h"

namespace mansard::collector {

struct NvtxOpenRange {
  NvtxEvent event;
  std::string text;
  std::string json;      // its structured payload
  bool trigger = false;  // its end closes the recording window
};

class NvtxBatchQueue;

// A longer text is truncated, and a structured payload longer than kMaxJsonLength is omitted.
inline constexpr std::size_t kMaxTextLength = 32 * 1024;
inline constexpr std::size_t kMaxJsonLength = 16 * 1024;

// Fills in what is known at the start of a range. Keeps its memory, as most objects are reused.
void open_range(NvtxOpenRange& range, store::NvtxEventType type, const NvtxAttributes& attributes,
                std::int64_t now_ns, std::int64_t global_tid);

// For a range that is or was open: clips its start to the recording window that is open or has just
// closed. Returns false if the range is in no window.
bool place_in_window(NvtxEvent& event, const RecordingWindow& window);

class NvtxThread {
 public:
  NvtxThread(NvtxBatchQueue& queue, const RecordingWindow& window, std::int64_t global_tid);
  ~NvtxThread();
  NvtxThread(const NvtxThread&) = delete;
  NvtxThread& operator=(const NvtxThread&) = delete;

  // Both return what NVTX defines: the nesting level in the domain, from 0; negative if there is
  // none. Outside of a recording window, open ranges are tracked, as they may extend into one, but
  // `now_ns` is not used. `trigger` of pop(): whether the range was pushed as one. `json` of pop():
  // a structured payload passed with the end, such as a new NCCL communicator. Later events refer
  // to it, so outside of a window it is stored as a mark at `mark_ns`.
  int push(const NvtxAttributes& attributes, std::int64_t now_ns, bool trigger);
  int pop(const NvtxDomain* domain, std::int64_t now_ns, bool& trigger,
          const std::string& json = {}, std::int64_t mark_ns = 0);

  // Whether a trigger is open on this thread, which must be the calling thread.
  bool inside_trigger() const { return open_triggers_ > 0; }

  // The window has closed: stores open ranges without their ends.
  void window_closed();

  // Appends a complete event.
  void append(const NvtxOpenRange& range);

  std::int64_t global_tid() const { return global_tid_; }
  const RecordingWindow& window() const { return window_; }

  // Called when the thread has ended: the next drain is the last.
  void retire() { retired_.store(true, std::memory_order_release); }
  bool retired() const { return retired_.load(std::memory_order_acquire); }

  // Called by the writer. Takes the events so far and leaves `empty` to be filled; returns `empty`
  // if there are none. With null, takes the batch in any case, as another thread may need it.
  std::unique_ptr<NvtxBatch> take(std::unique_ptr<NvtxBatch> empty);
  // Calls `visit` with each open range that is not in the database yet; it sets the row id.
  template <class Visit>
  void visit_open(Visit visit) {
    const std::lock_guard lock(lock_);
    if (!window_.recording()) return;  // window_closed() has handled them
    for (std::size_t i = 0; i < depth_; ++i) {
      place_in_window(open_[i].event, window_);
      if (open_[i].event.row_id == 0) visit(open_[i]);
    }
  }

 private:
  void append_locked(const NvtxEvent& event, std::string_view text, std::string_view json);
  int& depth_of(const NvtxDomain* domain);

  NvtxBatchQueue& queue_;
  const RecordingWindow& window_;
  const std::int64_t global_tid_;
  std::atomic<bool> retired_ = false;
  SpinLock lock_;                     // guards the fields below
  std::unique_ptr<NvtxBatch> batch_;  // null: obtained at the next event
  std::vector<NvtxOpenRange> open_;   // the first depth_ are open; the others are kept for reuse
  std::size_t depth_ = 0;
  std::vector<std::pair<const NvtxDomain*, int>> depths_;  // of each domain; there are few
  int open_triggers_ = 0;
};

}  // namespace mansard::collector
