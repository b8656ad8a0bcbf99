// SPDX-License-Identifier: Apache-2.0
// Reads hardware counters of the program's kernels as they are launched: a few launches of each
// kernel signature, and of each CUDA graph, run alone and are read; nothing else in the program
// changes. All time that the program waits for it is recorded (store::PauseRecord).
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "collector/cupti/counters/context_counters.h"
#include "collector/cupti/counters/kernel_launch.h"
#include "collector/cupti/counters/wanted_kernels.h"
#include "collector/cupti/launch_observer.h"
#include "collector/session/recording_window.h"
#include "collector/session/writer_thread.h"

namespace mansard::collector {

class CounterSource : public EventSource, public RecordingWindow::Listener, public LaunchObserver {
 public:
  struct Settings {
    std::string set_name = "roofline";
    int per_kernel = 2;
    // Read counters only while the window is closed, after it has closed for the first time;
    // otherwise always.
    bool after_window = false;
    // Read only the kernels that take the most time, once the program repeats itself, for at most
    // `budget`; nothing in programs whose kernels wait for other GPUs or ranks.
    bool automatic = false;
    std::chrono::milliseconds budget = kAutoCountersBudget;
  };
  struct Hooks {
    std::function<void(const std::string&)> complain;
    // Whether the stream is being captured into a graph, so that nothing may run on it now.
    std::function<bool(CUstream)> is_capturing;
    // Returns true once all work of the context has finished, and false after the given time.
    std::function<bool(CUcontext, std::chrono::milliseconds)> wait_for_work;
    // FunctionSignature::work of a launch on this thread.
    std::function<std::uint64_t()> library_call;
    // Called when a launch was replayed and no other has started: its record never becomes
    // complete, and blocks later records until all are flushed.
    std::function<void()> flush_all_records;
    // Called when CUPTI has loaded, or first used, the code that computes values from counters. It
    // has registered exit handlers of its own, so stop() must be called by an exit handler
    // registered now, which runs before them.
    std::function<void()> values_need_stop;
  };

  CounterSource(const RangeProfilerApi& api, const ProfilerHostApi& host_api,
                std::int64_t session_start_ns, Settings settings, Hooks hooks);

  void window_opens() override;
  void window_closed() override;

  void launch_begins(CUpti_CallbackId call, const CUpti_CallbackData& data) override;
  void launch_ends(const CUpti_CallbackData& data) override;
  void launches_unwatched() override { ++watch_; }
  void capture_begins() override;
  void capture_ends() override { --captures_; }
  bool was_read(std::uint32_t correlation_id) override;
  void kernel_recorded(const store::KernelRecord& kernel, std::string_view mangled_name) override;
  void context_ends(CUcontext context) override;
  bool wants_launches() override { return reading_; }
  bool is_done() override { return done_; }
  void stop() override;

  bool has_events() override;
  bool drain(store::ProfileWriter& writer, const std::atomic<int>& wanted) override;
  void close() override;
  void discard() override;

 private:
  struct Launch {
    std::string name;  // as reported by the driver
    FunctionSignature signature;
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
    std::shared_ptr<const WantedKernels> wanted;
    // The round that is open; round 0: none.
    LaunchSampler::Turn turn;
    bool started = false;                    // the pass of `turn`
    std::map<std::size_t, Launch> launches;  // by slot: the first launch that was read
    std::vector<std::size_t> replayed;       // slots, in the order of the launches
    std::int64_t last_read_ns = 0;
    bool finished = false;
  };

  Context& context_of(CUcontext context);
  void begin_reading(CUpti_CallbackId call, const CUpti_CallbackData& data);
  void end_reading();
  void release_turn();
  void prepare(Context& context, const LaunchSampler::Choice& choice);
  void end_round(Context& context);
  void finish(Context& context);
  void close_contexts();
  void forget_contexts();
  void add_pause(std::int64_t start_ns);  // until now
  void give_up(const std::string& reason);
  void choose_kernels();
  std::int64_t now_ns() const;

  const RangeProfilerApi api_;
  const ProfilerHostApi host_api_;
  const std::int64_t session_start_ns_;
  const Settings settings_;
  const Hooks hooks_;
  std::atomic<bool> reading_ = false;
  std::atomic<bool> done_ = false;
  std::atomic<bool> window_closed_ = false;
  std::atomic<std::uint64_t> watch_ = 0;  // number of the current observation period
  std::atomic<int> captures_ = 0;         // stream captures in progress
  std::atomic<std::int64_t> paused_ns_ = 0;

  // Held during every launch, so that the kernel being read runs alone.
  std::timed_mutex launching_;
  std::map<CUcontext, Context> contexts_;  // guarded by launching_, as are the next two members
  bool values_computed_ = false;
  int not_idle_ = 0;  // launches in a row that were not read because work before them did not end

  KernelTimes times_;  // used by the writer's thread only, as is the next member
  bool reported_communication_ = false;

  std::mutex mutex_;  // guards the rest
  std::shared_ptr<const WantedKernels> wanted_;
  std::deque<Reading> readings_;
  std::vector<store::PauseRecord> pauses_;
  std::vector<store::DiagnosticRecord> diagnostics_;
  std::set<std::string> unavailable_;
  bool unavailable_changed_ = false;
  std::unordered_set<std::uint32_t> replayed_ids_;  // correlation ids
};

}  // namespace mansard::collector
