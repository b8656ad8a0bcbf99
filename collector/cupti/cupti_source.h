// SPDX-License-Identifier: Apache-2.0
// Records the GPU work of this process from CUPTI activity records.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "collector/cupti/activity_translator.h"
#include "collector/cupti/buffer_pool.h"
#include "collector/cupti/cupti_api.h"
#include "collector/cupti/graph_nodes.h"
#include "collector/cupti/launch_observer.h"
#include "collector/cupti/record_kinds.h"
#include "collector/cupti/window_graphs.h"
#include "collector/session/memory_limit.h"
#include "collector/session/recording_window.h"
#include "collector/session/writer_thread.h"

namespace mansard::collector {

// Only one may exist per process: CUPTI allows one subscriber, and its callbacks have no user
// pointer.
class CuptiSource : public EventSource, public RecordingWindow::Listener {
 public:
  using Complain = std::function<void(const std::string&)>;
  struct Settings {
    // Called with true after cudaProfilerStart and with false before cudaProfilerStop.
    std::function<void(bool)> on_profiler_api;
    // Notified of launches while it wants them. May be null.
    LaunchObserver* launches = nullptr;
    // Called once for each GPU on which the program has a context, on the writer's thread.
    std::function<void(const store::GpuRecord&)> on_device = {};
    bool graphs_as_a_whole = false;  // instead of their kernels, which costs more time
    // A killed program loses the events of up to two flush periods plus the writer's period: CUPTI
    // delivers records that are incomplete at one flush with the next.
    std::chrono::milliseconds flush_period{300};
    // Time from the end of the last window until unsubscribing from CUPTI: the GPU may lag behind
    // the program.
    std::chrono::milliseconds let_go_after{10000};
    std::size_t memory_bytes = split_memory_limit(kDefaultMemoryLimit_bytes).cupti_bytes;
  };

  // Subscribes; records after window_opens(). Throws std::runtime_error if another tool uses CUPTI
  // (the message names it) or CUPTI fails.
  CuptiSource(const CuptiApi& api, std::int64_t session_start_ns, Complain complain,
              Settings settings);
  ~CuptiSource() override;

  // Record kinds are enabled and disabled on the thread that opens and closes the window, so that
  // it contains exactly the work launched in between. Outside of a window, no CUDA call is traced;
  // after the last window, the subscription ends. CUPTI is not finalized, which is not allowed with
  // work in flight.
  void window_opens() override;  // throws std::runtime_error
  void window_closed() override;
  void window_is_over() override;

  // Called at exit, before the driver shuts down: collects the remaining records. Only the first
  // call has an effect.
  void stop();

  // Collects the records of finished GPU work.
  void flush();
  // Also collects incomplete records and those queued behind them. Only allowed when the GPU is
  // idle.
  void flush_all_records();

  bool has_events() override;
  bool drain(store::ProfileWriter& writer, const std::atomic<int>& wanted) override;
  void close() override {}  // stop() came before
  void discard() override;
  std::uint64_t dropped_events() const override;

 private:
  void subscribe();
  void prepare();
  void choose_calls();
  void flush_periodically();
  // Which launches are observed.
  enum class Watching { none, graphs, all };
  void watch_launches();
  void stop_recording_work();
  void watch_graph_nodes(bool on);
  void handle_call(CUpti_CallbackId call, const CUpti_CallbackData& data);
  void handle_launch(CUpti_CallbackId call, const CUpti_CallbackData& data);
  void handle_resource(CUpti_CallbackId event, const CUpti_ResourceData& data);
  void let_go();
  // Reports once if CUPTI fails.
  void enable(const RecordKind& kind);
  bool stopped();
  void check(CUptiResult result, const std::string& attempted) const;
  template <class Visit>
  void visit(const CuptiBuffer& buffer, Visit visit);
  // Returns false if interrupted because a thread is waiting; to be called again.
  bool write_first_waiting(store::ProfileWriter& writer, const std::atomic<int>& wanted);
  void report_refused(store::ProfileWriter& writer);
  void report_lost(store::ProfileWriter& writer);

  static void CUPTIAPI on_callback(void* source, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                   const void* data);
  static void CUPTIAPI on_buffer_requested(std::uint8_t** buffer, std::size_t* size,
                                           std::size_t* most_records);
  static void CUPTIAPI on_buffer_completed(CUcontext context, std::uint32_t stream,
                                           std::uint8_t* buffer, std::size_t size,
                                           std::size_t valid_size);

  static std::atomic<CuptiSource*> active_;

  const CuptiApi api_;
  const std::int64_t session_start_ns_;
  const Complain complain_;
  const Settings settings_;
  std::vector<CUpti_CallbackId> query_calls_;  // of the runtime API
  std::vector<CUpti_CallbackId> driver_work_calls_;
  std::set<CUpti_ActivityKind> refused_;  // reported once
  BufferPool pool_;
  GraphNodes graph_nodes_;
  std::atomic<std::size_t> dropped_ = 0;
  CUpti_SubscriberHandle subscriber_ = nullptr;

  WindowGraphs graphs_;
  std::atomic<bool> window_is_open_ = false;
  std::atomic<bool> observed_ = false;  // launches, by Settings::launches
  std::mutex watching_mutex_;           // guards the next
  Watching watching_ = Watching::none;

  std::mutex mutex_;  // guards the fields below
  std::condition_variable changed_;
  bool stopping_ = false;
  bool over_ = false;
  bool subscribed_ = false;
  std::vector<store::DiagnosticRecord> diagnostics_;
  std::thread flusher_;

  // Used by the writer only.
  ActivityTranslator translator_;
  std::deque<CuptiBuffer> waiting_;
  CUpti_Activity* written_ = nullptr;  // the last record written from the first of them
  std::int64_t reported_lost_ = 0;
};

}  // namespace mansard::collector
