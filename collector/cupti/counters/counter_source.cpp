// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/counters/counter_source.h"

#include <utility>

#include "collector/store/kernel_name.h"

namespace mansard::collector {
namespace {

// Another thread may be stuck in a launch, or in the kernel whose counters it reads.
constexpr std::chrono::seconds kPatience{5};
// Maximum wait for the work before a launch that is to be read, and for that launch. A kernel that
// waits for the host would never end while the host waits for it.
constexpr std::chrono::milliseconds kWorkPatience{2000};
constexpr int kMostNotIdle = 3;
// Maximum age of unwritten readings of a round that has ended without being closed.
constexpr std::int64_t kLongestWait_ns = 500'000'000;
// Shorter waits do not disturb a step.
constexpr std::int64_t kShortestPause_ns = 20'000;

// The launch in progress on this thread, if the thread holds the lock.
struct Turn {
  std::unique_lock<std::timed_mutex> lock;
  std::uint64_t watch = 0;
  std::uint32_t correlation_id = 0;
  std::int64_t start_ns = 0;
  CUcontext context = nullptr;  // null: the launch is not read
  LaunchSampler::Choice choice;
};
thread_local Turn turn;

}  // namespace

CounterSource::CounterSource(const RangeProfilerApi& api, const ProfilerHostApi& host_api,
                             std::int64_t session_start_ns, Settings settings, Hooks hooks)
    : api_(api),
      host_api_(host_api),
      session_start_ns_(session_start_ns),
      settings_(std::move(settings)),
      hooks_(std::move(hooks)),
      reading_(!settings_.after_window && !settings_.automatic) {}

std::int64_t CounterSource::now_ns() const { return store::utc_now_ns() - session_start_ns_; }

void CounterSource::window_opens() {
  if (settings_.after_window) reading_ = false;
}

void CounterSource::window_closed() {
  window_closed_ = true;
  if (settings_.after_window && !settings_.automatic && !done_) reading_ = true;
}

void CounterSource::capture_begins() {
  release_turn();
  // A launch that is read must not overlap the start of a capture.
  const std::unique_lock lock(launching_, kPatience);
  ++captures_;
}

void CounterSource::launch_begins(CUpti_CallbackId call, const CUpti_CallbackData& data) {
  if (turn.lock.owns_lock()) {
    if (turn.watch == watch_) return;  // a nested launch: CUPTI's own, during replay
    end_reading();                     // the end of the last one was not observed
  }
  if (!reading_) return;
  turn.start_ns = now_ns();
  turn.lock = std::unique_lock(launching_, kPatience);
  if (!turn.lock.owns_lock()) {
    give_up("a kernel launch on another thread does not return");
    return;
  }
  turn.watch = watch_;
  turn.correlation_id = data.correlationId;
  turn.context = nullptr;
  try {
    if (reading_) begin_reading(call, data);
  } catch (const std::exception& error) {
    turn.context = nullptr;
    close_contexts();
    give_up(error.what());
  }
  if (turn.context != nullptr) return;
  add_pause(turn.start_ns);
  // Launches may no longer be watched when this one ends.
  if (!reading_) turn.lock.unlock();
}

// A thread whose last launch was not seen to end still holds the lock.
void CounterSource::release_turn() {
  if (turn.lock.owns_lock()) end_reading();
}

void CounterSource::begin_reading(CUpti_CallbackId call, const CUpti_CallbackData& data) {
  auto launch = kernel_launch(call, data.functionParams);
  if (!launch || captures_ > 0 || hooks_.is_capturing(launch->stream)) return;
  FunctionSignature& signature = launch->signature;
  if (launch->graph != nullptr) {
    if (api_.get_graph_exec_id(launch->graph, &signature.graph_id) != CUPTI_SUCCESS) return;
  } else {
    signature.work = hooks_.library_call();
  }
  const std::string_view name =
      launch->graph == nullptr && data.symbolName != nullptr ? data.symbolName : "";
  const auto is_idle = [&] {
    if (hooks_.wait_for_work(data.context, kWorkPatience)) {
      not_idle_ = 0;
    } else if (++not_idle_ == kMostNotIdle) {
      forget_contexts();
      throw std::runtime_error("the GPU's work did not end while a launch waited for it");
    }
    return not_idle_ == 0;
  };
  // Counters cannot be set up while the GPU works, either.
  if ((not_idle_ > 0 || !contexts_.contains(data.context)) && !is_idle()) return;
  Context& context = context_of(data.context);
  if (context.finished) return;
  if (settings_.automatic && paused_ns_ > std::chrono::nanoseconds(settings_.budget).count()) {
    finish(context);
    return;
  }
  const auto choice = context.sampler->choose(signature, name);
  if (!choice) {
    const bool ended =
        context.turn.round > 0 && context.sampler->open_round() != context.turn.round;
    if (ended && now_ns() - context.last_read_ns > kLongestWait_ns) end_round(context);
    if (context.sampler->finished()) finish(context);
    return;
  }
  if (!is_idle()) return;
  prepare(context, *choice);
  context.last_read_ns = now_ns();
  Launch read{std::string(name), signature, context.last_read_ns, data.correlationId};
  context.launches.try_emplace(choice->slot, std::move(read));
  turn.choice = *choice;
  turn.context = data.context;
  if (context.counters->plan().groups[choice->turn.group].reading == GroupReading::replay) {
    context.replayed.push_back(choice->slot);
    const std::lock_guard lock(mutex_);
    replayed_ids_.insert(data.correlationId);
  }
}

// Sets the counters up for this launch.
void CounterSource::prepare(Context& context, const LaunchSampler::Choice& choice) {
  ContextCounters& counters = *context.counters;
  const bool in_ranges = counters.plan().groups[choice.turn.group].reading == GroupReading::ranges;
  if (choice.turn.round != context.turn.round) {
    end_round(context);
    counters.open(choice.turn.group, choice.turn.capacity);
  } else if (choice.turn.pass != context.turn.pass && std::exchange(context.started, false)) {
    counters.stop();
  }
  context.turn = choice.turn;
  if (!std::exchange(context.started, true)) counters.start();
  if (in_ranges) counters.push(std::to_string(choice.slot));
}

void CounterSource::launch_ends(const CUpti_CallbackData& data) {
  if (!turn.lock.owns_lock() || turn.correlation_id != data.correlationId) return;
  end_reading();
}

void CounterSource::end_reading() {
  const CUcontext handle = std::exchange(turn.context, nullptr);
  try {
    const auto at = handle != nullptr ? contexts_.find(handle) : contexts_.end();
    if (at != contexts_.end() && at->second.counters != nullptr) {
      Context& context = at->second;
      ContextCounters& counters = *context.counters;
      const bool in_ranges =
          counters.plan().groups[turn.choice.turn.group].reading == GroupReading::ranges;
      if (!in_ranges) {
        counters.stop();
        context.started = false;
        hooks_.flush_all_records();
      } else if (!hooks_.wait_for_work(handle, kWorkPatience)) {
        // The end of the range would wait for the kernel, maybe forever.
        forget_contexts();
        throw std::runtime_error("a kernel did not end while its launch waited for it");
      } else {
        counters.pop();
        if (turn.choice.ends_pass) {
          counters.stop();
          context.started = false;
        }
      }
      if (turn.choice.ends_round) end_round(context);
      if (context.sampler->finished()) finish(context);
    }
  } catch (const std::exception& error) {
    close_contexts();
    give_up(error.what());
  }
  if (handle != nullptr) add_pause(turn.start_ns);
  turn.lock.unlock();
}

void CounterSource::add_pause(std::int64_t start_ns) {
  const std::int64_t end_ns = now_ns();
  if (end_ns - start_ns < kShortestPause_ns) return;
  paused_ns_ += end_ns - start_ns;
  const std::lock_guard lock(mutex_);
  pauses_.push_back({start_ns, end_ns});
}

// After an error: keeps the values that can still be taken.
void CounterSource::close_contexts() {
  for (auto& [handle, context] : contexts_) {
    try {
      if (context.counters != nullptr) end_round(context);
    } catch (const std::exception&) {
      // The first error is reported.
    }
  }
  contexts_.clear();
}

// Closing the counters would wait for the kernel that does not end.
void CounterSource::forget_contexts() {
  for (auto& [handle, context] : contexts_) static_cast<void>(context.counters.release());
  contexts_.clear();
}

bool CounterSource::was_read(std::uint32_t correlation_id) {
  const std::lock_guard lock(mutex_);
  return replayed_ids_.contains(correlation_id);
}

void CounterSource::kernel_recorded(const store::KernelRecord& kernel,
                                    std::string_view mangled_name) {
  if (settings_.automatic && !done_) times_.add(kernel, mangled_name);
}

// Sets the counters of a new context up, on the thread that launches in it: exit() on the program's
// main thread would destroy CUPTI's static objects under a thread of ours that uses them.
CounterSource::Context& CounterSource::context_of(CUcontext handle) {
  const auto [at, is_new] = contexts_.try_emplace(handle);
  Context& context = at->second;
  if (is_new) {
    context.counters =
        std::make_unique<ContextCounters>(api_, host_api_, handle, settings_.set_name);
    const MetricPlan& plan = context.counters->plan();
    context.sampler = std::make_unique<LaunchSampler>(plan.groups, settings_.per_kernel);
    hooks_.values_need_stop();
    const std::lock_guard lock(mutex_);
    unavailable_.insert(plan.unavailable.begin(), plan.unavailable.end());
    unavailable_changed_ = true;
  }
  std::shared_ptr<const WantedKernels> wanted;
  {
    const std::lock_guard lock(mutex_);
    wanted = wanted_;
  }
  if (wanted != context.wanted) {
    context.wanted = wanted;
    context.finished = false;
    context.sampler->want(
        [wanted](const FunctionSignature& launch, std::string_view name) {
          return wanted->contains(launch, name);
        },
        wanted->size());
  }
  return context;
}

// Takes the values of the open round.
void CounterSource::end_round(Context& context) {
  if (context.turn.round == 0) return;
  const std::size_t open_group = context.turn.group;
  context.turn = {};
  const std::map<std::size_t, Launch> launches = std::exchange(context.launches, {});
  const std::vector<std::size_t> replayed = std::exchange(context.replayed, {});
  if (std::exchange(context.started, false)) context.counters->stop();
  const MetricGroup& group = context.counters->plan().groups.at(open_group);
  const std::vector<ContextCounters::Range> ranges = context.counters->take();
  context.counters->close();
  if (!std::exchange(values_computed_, true)) hooks_.values_need_stop();
  const std::lock_guard lock(mutex_);
  const auto add = [&](std::size_t slot, const std::vector<double>& values) {
    const auto launch = launches.find(slot);
    if (launch == launches.end()) return;
    readings_.push_back(
        {launch->second, context.counters->device_id(), group.passes, group.metrics, values});
  };
  if (group.reading == GroupReading::ranges) {
    for (const ContextCounters::Range& range : ranges) {
      add(static_cast<std::size_t>(std::strtoull(range.name.c_str(), nullptr, 10)), range.values);
    }
    return;
  }
  // Replayed launches have no names: an unobserved launch in between would shift all values after
  // it.
  if (ranges.size() != replayed.size()) {
    diagnostics_.push_back({now_ns(), store::Severity::warning,
                            "counters of " + std::to_string(replayed.size()) +
                                " launches are dropped: the GPU counted " +
                                std::to_string(ranges.size()) + " kernels instead"});
    return;
  }
  for (std::size_t i = 0; i < replayed.size(); ++i) add(replayed[i], ranges[i].values);
}

// Everything is read: stop watching launches, which also ends the overhead.
void CounterSource::finish(Context& context) {
  end_round(context);
  context.finished = true;
  bool all = true;
  for (const auto& [handle, other] : contexts_) {
    all = all && other.finished;
  }
  if (!all) return;
  reading_ = false;
  const bool spent = paused_ns_ > std::chrono::nanoseconds(settings_.budget).count();
  if (!settings_.automatic || settings_.after_window || spent) done_ = true;
}

void CounterSource::give_up(const std::string& reason) {
  reading_ = false;
  if (done_.exchange(true)) return;  // already reported
  const std::string text = "hardware counters are not read: " + reason;
  hooks_.complain(text + ". Kernels are still recorded.");
  const std::lock_guard lock(mutex_);
  diagnostics_.push_back({now_ns(), store::Severity::warning, text});
}

void CounterSource::context_ends(CUcontext handle) {
  release_turn();
  // Do not wait forever: a launch in progress in this context may hold the lock.
  const std::unique_lock lock(launching_, kPatience);
  const auto at = contexts_.find(handle);
  if (!lock.owns_lock() || at == contexts_.end()) return;
  try {
    if (at->second.counters != nullptr) end_round(at->second);
  } catch (const std::exception& error) {
    give_up(error.what());
  }
  contexts_.erase(at);
}

void CounterSource::stop() {
  reading_ = false;
  release_turn();
  const std::unique_lock lock(launching_, kPatience);
  if (!lock.owns_lock()) return;
  try {
    for (auto& [handle, context] : contexts_) {
      if (context.counters != nullptr) end_round(context);
    }
  } catch (const std::exception& error) {
    give_up(error.what());
  }
  contexts_.clear();
  done_ = true;
}

// In automatic mode: starts to read when the program repeats itself and when, later, other kernels
// take its time.
void CounterSource::choose_kernels() {
  if (!settings_.automatic || reading_ || done_) return;
  const bool after = settings_.after_window;
  if (after ? !window_closed_ : !times_.settled()) return;
  if (times_.communicates()) {
    done_ = true;
    if (std::exchange(reported_communication_, true)) return;
    const std::lock_guard lock(mutex_);
    diagnostics_.push_back(
        {now_ns(), store::Severity::info,
         "Hardware counters were not read, because kernels of this program wait for other GPUs or "
         "ranks, which reading may disturb. --counters roofline reads the other kernels."});
    return;
  }
  const auto wanted = times_.select(LaunchSampler::kMostSlots, !after);
  if (wanted->size() == 0) return;
  {
    const std::lock_guard lock(mutex_);
    wanted_ = wanted;
  }
  reading_ = true;
}

// The records of the last launches may settle the kernel times, but the program is exiting.
void CounterSource::close() {
  reading_ = false;
  done_ = true;
}

bool CounterSource::has_events() {
  const std::lock_guard lock(mutex_);
  return !readings_.empty();
}

bool CounterSource::drain(store::ProfileWriter& writer, const std::atomic<int>& wanted) {
  choose_kernels();
  std::deque<Reading> readings;
  std::vector<store::DiagnosticRecord> diagnostics;
  std::vector<store::PauseRecord> pauses;
  std::string unavailable;
  {
    const std::lock_guard lock(mutex_);
    readings.swap(readings_);
    diagnostics.swap(diagnostics_);
    pauses.swap(pauses_);
    if (std::exchange(unavailable_changed_, false)) {
      for (const std::string& metric : unavailable_) {
        unavailable += (unavailable.empty() ? "" : " ") + metric;
      }
    }
  }
  (void)wanted;  // at most a few hundred readings at a time
  for (const store::DiagnosticRecord& diagnostic : diagnostics) writer.add(diagnostic);
  for (const store::PauseRecord& pause : pauses) writer.add(pause);
  if (!unavailable.empty()) writer.set_session_value("countersUnavailable", unavailable);
  for (const Reading& r : readings) {
    store::CounterReading row;
    row.start_ns = r.launch.start_ns;
    row.device_id = static_cast<std::int32_t>(r.device_id);
    row.correlation_id = r.launch.correlation_id;
    row.demangled_name = writer.intern(store::demangle(r.launch.name));
    row.mangled_name = writer.intern(r.launch.name);
    for (std::size_t i = 0; i < 3; ++i) {
      row.grid[i] = static_cast<std::int32_t>(r.launch.signature.grid[i]);
      row.block[i] = static_cast<std::int32_t>(r.launch.signature.block[i]);
    }
    row.dynamic_shared_bytes = static_cast<std::int32_t>(r.launch.signature.dynamic_shared_bytes);
    row.passes = static_cast<std::int32_t>(r.passes);
    row.graph_id = static_cast<std::int32_t>(r.launch.signature.graph_id);
    for (std::size_t i = 0; i < r.values.size(); ++i) {
      row.values.emplace_back(writer.intern(r.metrics[i]), r.values[i]);
    }
    writer.add(row);
  }
  return false;
}

void CounterSource::discard() {
  const std::lock_guard lock(mutex_);
  readings_.clear();
  pauses_.clear();
  diagnostics_.clear();
}

}  // namespace mansard::collector
