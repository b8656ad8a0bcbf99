// SPDX-License-Identifier: Apache-2.0
// Reads hardware counters of the program's own kernels, as it launches them: a few launches of each
// run alone, between the start and the stop of the counters, and nothing else of the program
// changes. A recording with a window is left undisturbed, and counters are read after it.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_set>

#include "collector/cupti/counters/context_counters.h"
#include "collector/cupti/counters/kernel_launch.h"
#include "collector/cupti/launch_observer.h"
#include "collector/session/recording_window.h"
#include "collector/session/writer_thread.h"

namespace mansard::collector {

class CounterSource : public EventSource, public RecordingWindow::Listener, public LaunchObserver {
 public:
  struct Settings {
    std::string set_name = "roofline";
    int per_kernel = 2;
    // Counters are read while the window is closed, from its first closing on; else always.
    bool after_window = false;
  };
  struct Hooks {
    std::function<void(const std::string&)> complain;
    // Whether a graph is being captured from the stream, so that nothing may run on it now.
    std::function<bool(CUstream)> is_capturing;
    // A launch was read, and no other has begun: its record never becomes complete, and keeps back
    // those after it until they are all flushed.
    std::function<void()> flush_all_records;
    // CUPTI has loaded, or used for the first time, what computes values from counters. What that
    // leaves for the end of the process has been registered, so that stop() has to be called by an
    // exit handler that is registered now.
    std::function<void()> values_need_stop;
  };

  CounterSource(const RangeProfilerApi& api, const ProfilerHostApi& host_api,
                std::int64_t session_start_ns, Settings settings, Hooks hooks);

  void window_opens() override;
  void window_closed() override;

  void launch_begins(CUpti_CallbackId call, const CUpti_CallbackData& data) override;
  void launch_ends(const CUpti_CallbackData& data) override;
  void launches_unwatched() override { ++watch_; }
  bool was_read(std::uint32_t correlation_id) override;
  void context_ends(CUcontext context) override;
  bool wants_launches() override { return reading_; }
  bool is_done() override { return done_; }
  void stop() override;

  bool has_events() override;
  bool drain(store::ProfileWriter& writer, const std::atomic<int>& wanted) override;
  void close() override {}
  void discard() override;

 private:
  struct Launch {
    std::string name;  // as the driver has it
    LaunchSignature signature;
    std::int64_t start_ns = 0;
    std::int64_t correlation_id = 0;
  };
  struct Reading {
    Launch launch;
    std::uint32_t device_id = 0;
    std::size_t passes = 1;
    std::vector<std::string> metrics;
    std::vector<double> values;
  };
  struct Context {
    std::unique_ptr<ContextCounters> counters;
    std::unique_ptr<LaunchSampler> sampler;
    std::vector<Launch> launches;  // read, but not taken from the GPU
    std::int64_t last_read_ns = 0;
  };

  Context& context_of(CUcontext context);
  bool begin_reading(CUpti_CallbackId call, const CUpti_CallbackData& data);
  void end_reading();
  void take(Context& context);
  void give_up(const std::string& reason);
  void finish(Context& context);

  const RangeProfilerApi api_;
  const ProfilerHostApi host_api_;
  const std::int64_t session_start_ns_;
  const Settings settings_;
  const Hooks hooks_;
  std::atomic<bool> reading_ = false;
  std::atomic<bool> done_ = false;
  std::atomic<std::uint64_t> watch_ = 0;  // which of the times of being told of launches

  // Held from the begin to the end of every launch, so that the kernel being read is the only one.
  std::timed_mutex launching_;
  std::map<CUcontext, Context> contexts_;  // guarded by it, as is the next
  bool values_computed_ = false;

  std::mutex mutex_;  // guards the rest
  std::deque<Reading> readings_;
  std::vector<store::DiagnosticRecord> diagnostics_;
  std::set<std::string> unavailable_;
  bool unavailable_changed_ = false;
  std::unordered_set<std::uint32_t> read_ids_;  // correlation ids
};

}  // namespace mansard::collector
