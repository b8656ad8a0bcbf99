// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/counters/counter_source.h"

#include <utility>

#include "collector/store/kernel_name.h"

namespace mansard::collector {
namespace {

// Another thread may be stuck in a launch, or in the kernel whose counters it reads.
constexpr std::chrono::seconds kPatience{5};
// Maximum age of unwritten readings, similar to that of other events.
constexpr std::int64_t kLongestWait_ns = 500'000'000;

// The launch in progress on this thread, if the thread holds the lock.
struct Turn {
  std::unique_lock<std::timed_mutex> lock;
  std::uint64_t watch = 0;
  std::uint32_t correlation_id = 0;
  const ContextCounters* started = nullptr;
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
      reading_(!settings_.after_window) {}

void CounterSource::window_opens() {
  if (settings_.after_window) reading_ = false;
}

void CounterSource::window_closed() {
  if (settings_.after_window && !done_) reading_ = true;
}

void CounterSource::launch_begins(CUpti_CallbackId call, const CUpti_CallbackData& data) {
  if (turn.lock.owns_lock()) {
    if (turn.watch == watch_) return;  // a nested launch: CUPTI's own, during replay
    end_reading();                     // the end of the last one was not observed
  }
  if (!reading_) return;
  turn.lock = std::unique_lock(launching_, kPatience);
  if (!turn.lock.owns_lock()) {
    give_up("a kernel launch on another thread does not return");
    return;
  }
  turn.watch = watch_;
  turn.correlation_id = data.correlationId;
  turn.started = nullptr;
  try {
    if (reading_ && begin_reading(call, data)) {
      ContextCounters& counters = *contexts_.at(data.context).counters;
      counters.start();
      turn.started = &counters;
    }
  } catch (const std::exception& error) {
    contexts_.clear();
    give_up(error.what());
  }
}

bool CounterSource::begin_reading(CUpti_CallbackId call, const CUpti_CallbackData& data) {
  const auto launch = kernel_launch(call, data.functionParams);
  if (!launch || hooks_.is_capturing(launch->stream)) return false;
  const std::string_view name = data.symbolName != nullptr ? data.symbolName : "";
  Context& context = context_of(data.context);
  if (context.counters == nullptr) return false;  // finished
  const auto group = context.sampler->choose(launch->signature, name);
  if (context.sampler->finished()) {
    finish(context);
    return false;
  }
  if (!group) {
    // Do not let the last readings wait for another launch of their group.
    const bool waits = !context.launches.empty();
    if (waits && store::utc_now_ns() - context.last_read_ns > kLongestWait_ns) take(context);
    return false;
  }
  if (*group != context.counters->group()) {
    take(context);
    context.counters->configure(*group);
  }
  context.last_read_ns = store::utc_now_ns();
  context.launches.push_back({std::string(name), launch->signature,
                              context.last_read_ns - session_start_ns_, data.correlationId});
  const std::lock_guard lock(mutex_);
  read_ids_.insert(data.correlationId);
  return true;
}

void CounterSource::launch_ends(const CUpti_CallbackData& data) {
  if (!turn.lock.owns_lock() || turn.correlation_id != data.correlationId) return;
  end_reading();
}

void CounterSource::end_reading() {
  const ContextCounters* started = std::exchange(turn.started, nullptr);
  try {
    for (auto& [handle, context] : contexts_) {
      if (started == nullptr || context.counters.get() != started) continue;
      context.counters->stop();
      hooks_.flush_all_records();
      if (context.launches.size() == ContextCounters::kMaxRanges) take(context);
    }
  } catch (const std::exception& error) {
    contexts_.clear();
    give_up(error.what());
  }
  turn.lock.unlock();
}

bool CounterSource::was_read(std::uint32_t correlation_id) {
  const std::lock_guard lock(mutex_);
  return read_ids_.contains(correlation_id);
}

CounterSource::Context& CounterSource::context_of(CUcontext handle) {
  const auto [at, is_new] = contexts_.try_emplace(handle);
  Context& context = at->second;
  if (!is_new) return context;
  context.counters = std::make_unique<ContextCounters>(api_, host_api_, handle, settings_.set_name);
  const MetricPlan& plan = context.counters->plan();
  context.sampler = std::make_unique<LaunchSampler>(plan.groups.size(), settings_.per_kernel);
  hooks_.values_need_stop();
  const std::lock_guard lock(mutex_);
  unavailable_.insert(plan.unavailable.begin(), plan.unavailable.end());
  unavailable_changed_ = true;
  return context;
}

// Ranges and launches must match one to one: an unobserved launch in between would shift all values
// after it.
void CounterSource::take(Context& context) {
  if (context.launches.empty()) return;
  const std::vector<Launch> launches = std::exchange(context.launches, {});
  const MetricGroup& group = context.counters->plan().groups.at(context.counters->group());
  const std::vector<std::vector<double>> values = context.counters->take();
  if (!std::exchange(values_computed_, true)) hooks_.values_need_stop();
  const std::lock_guard lock(mutex_);
  if (values.size() != launches.size()) {
    diagnostics_.push_back({store::utc_now_ns() - session_start_ns_, store::Severity::warning,
                            "counters of " + std::to_string(launches.size()) +
                                " launches are dropped: the GPU counted " +
                                std::to_string(values.size()) + " kernels instead"});
    return;
  }
  for (std::size_t i = 0; i < launches.size(); ++i) {
    readings_.push_back(
        {launches[i], context.counters->device_id(), group.passes, group.metrics, values[i]});
  }
}

// All signatures are read: stop profiling this GPU, which also ends the overhead.
void CounterSource::finish(Context& context) {
  take(context);
  context.counters = nullptr;
  bool all = true;
  for (const auto& [handle, other] : contexts_) all = all && other.counters == nullptr;
  if (!all) return;
  reading_ = false;
  done_ = true;
}

void CounterSource::give_up(const std::string& reason) {
  reading_ = false;
  if (done_.exchange(true)) return;  // already reported
  const std::string text = "hardware counters are not read: " + reason;
  hooks_.complain(text + ". Kernels are still recorded.");
  const std::lock_guard lock(mutex_);
  diagnostics_.push_back({store::utc_now_ns() - session_start_ns_, store::Severity::warning, text});
}

void CounterSource::context_ends(CUcontext handle) {
  // Do not wait forever: a launch in progress in this context may hold the lock.
  const std::unique_lock lock(launching_, kPatience);
  const auto at = contexts_.find(handle);
  if (!lock.owns_lock() || at == contexts_.end()) return;
  try {
    if (at->second.counters != nullptr) take(at->second);
  } catch (const std::exception& error) {
    give_up(error.what());
  }
  contexts_.erase(at);
}

void CounterSource::stop() {
  reading_ = false;
  const std::unique_lock lock(launching_, kPatience);
  if (!lock.owns_lock()) return;
  try {
    for (auto& [handle, context] : contexts_) {
      if (context.counters != nullptr) take(context);
    }
  } catch (const std::exception& error) {
    give_up(error.what());
  }
  contexts_.clear();
  done_ = true;
}

bool CounterSource::has_events() {
  const std::lock_guard lock(mutex_);
  return !readings_.empty();
}

bool CounterSource::drain(store::ProfileWriter& writer, const std::atomic<int>& wanted) {
  std::deque<Reading> readings;
  std::vector<store::DiagnosticRecord> diagnostics;
  std::string unavailable;
  {
    const std::lock_guard lock(mutex_);
    readings.swap(readings_);
    diagnostics.swap(diagnostics_);
    if (std::exchange(unavailable_changed_, false)) {
      for (const std::string& metric : unavailable_) {
        unavailable += (unavailable.empty() ? "" : " ") + metric;
      }
    }
  }
  (void)wanted;  // at most a few hundred readings at a time
  for (const store::DiagnosticRecord& diagnostic : diagnostics) writer.add(diagnostic);
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
  diagnostics_.clear();
}

}  // namespace mansard::collector
