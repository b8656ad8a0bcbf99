// SPDX-License-Identifier: Apache-2.0
// Collects the NVTX events of all threads and writes them to the profile.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collector/inject/nvtx_batch_queue.h"
#include "collector/inject/nvtx_thread.h"
#include "collector/session/writer_thread.h"

namespace mansard::collector {

class NvtxSource : public EventSource, public RecordingWindow::Listener {
 public:
  struct Hooks {
    std::function<void()> wake_writer;
    std::function<void(const std::string&)> complain;
  };
  NvtxSource(std::int64_t session_start_ns, const RecordingWindow& window, Hooks hooks);

  // Creates the state of the calling thread. Owned by this source until the thread has retired.
  NvtxThread* add_thread();

  // Start/end ranges, which may end on another thread.
  std::uint64_t start_range(const NvtxAttributes& attributes, std::int64_t now_ns,
                            std::int64_t global_tid, bool trigger);
  // Returns whether the range was started as a trigger. `json`: a structured payload passed with
  // the end.
  bool end_range(std::uint64_t id, std::int64_t now_ns, NvtxThread& ended_by,
                 const std::string& json = {});

  void name_thread(std::int64_t global_tid, std::string name);

  bool has_events() override;
  bool drain(store::ProfileWriter& writer, const std::atomic<int>& wanted) override;
  void close() override { queue_.close(); }
  void discard() override;
  std::uint64_t dropped_events() const override { return queue_.dropped(); }

  void window_opens() override {}
  void window_closed() override;

 private:
  void write(store::ProfileWriter& writer, NvtxBatch& batch);
  void write(store::ProfileWriter& writer, const NvtxEvent& event, std::string_view text,
             std::string_view json);
  // Writes the batches that threads are still filling. `others_wait`: older full batches are
  // waiting.
  void write_unfinished(store::ProfileWriter& writer, const std::vector<NvtxThread*>& all,
                        bool others_wait);
  void write_domain(store::ProfileWriter& writer, const NvtxEvent& event);
  void report_dropped(store::ProfileWriter& writer);
  void write_open_ranges(store::ProfileWriter& writer, const std::vector<NvtxThread*>& threads);
  void write_thread_names(store::ProfileWriter& writer, const std::vector<NvtxThread*>& threads);
  std::vector<NvtxThread*> threads();

  const std::int64_t session_start_ns_;
  const RecordingWindow& window_;
  const Hooks hooks_;
  NvtxBatchQueue queue_;
  std::atomic<std::uint64_t> next_range_id_ = 1;

  std::mutex mutex_;  // guards the fields below
  std::vector<std::unique_ptr<NvtxThread>> threads_;
  std::unordered_map<std::uint64_t, NvtxOpenRange> started_;
  std::vector<std::pair<std::int64_t, std::string>> thread_names_;
  bool any_thread_ = false;

  // Used by the writer only.
  std::uint64_t reported_dropped_ = 0;
  std::set<const NvtxDomain*> written_domains_;
  std::set<std::int64_t> named_threads_;
  std::unordered_map<const NvtxString*, store::StringId> registered_;
};

}  // namespace mansard::collector
