// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/step_watch.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "collector/cupti/counters/kernel_launch.h"
#include "support/units.h"

namespace mansard::collector {
namespace {

// The kind of the launch in progress on this thread; 0: unknown.
thread_local std::uint64_t launching = 0;
// This thread captures a stream: its launches become nodes of a graph and do not run.
thread_local bool capturing = false;

std::int64_t steady_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

void StepWatch::launch_begins(CUpti_CallbackId call, const CUpti_CallbackData& data) {
  launching = 0;
  if (watching_ && !capturing) {
    const auto launch = kernel_launch(call, data.functionParams);
    if (launch) launching = launch->signature.hash();
  }
  if (next_ != nullptr && next_->wants_launches()) next_->launch_begins(call, data);
}

void StepWatch::launch_ends(const CUpti_CallbackData& data) {
  if (next_ != nullptr) next_->launch_ends(data);
  const std::uint64_t kind = std::exchange(launching, 0);
  if (kind != 0 && watching_) launched(kind);
}

void StepWatch::launched(std::uint64_t kind) {
  std::string recognized;
  bool opens = false;
  bool ends = false;
  {
    const std::lock_guard lock(mutex_);
    if (!watching_ || !recognizer_.add(kind, steady_ns())) return;
    if (window_.steps_begun() > 0) {  // the program marks its steps
      watching_ = false;
      return;
    }
    if (first_ == 0) recognized = choose_steps();
    const std::int64_t next_step = recognizer_.steps() + 1;
    opens = next_step == first_;
    ends = next_step == end_;
    if (ends) watching_ = false;
  }
  // Without the lock: another thread may wait for it within CUPTI, which opening calls.
  if (!recognized.empty()) tell_(recognized);
  if (opens) window_.open();
  if (ends) window_.end();
}

std::string StepWatch::choose_steps() {
  const RecordingOptions& options = window_.options();
  first_ = std::max(options.first_step, recognizer_.steps() + 1);
  end_ = first_ + options.end_step - options.first_step;
  const StepRecognizer::Pattern& pattern = *recognizer_.pattern();
  std::string text = "no range '" + options.step_prefix +
                     "...' was entered; steps were recognized by their repeating launches (" +
                     format_whole(std::llround(pattern.launches)) + " per step, " +
                     format_si(pattern.step_s, "s") + ")";
  if (first_ > options.first_step) {
    text += " after step " + std::to_string(options.first_step) + " had begun; steps " +
            std::to_string(first_) + ":" + std::to_string(end_) + " are recorded instead";
  }
  return text;
}

void StepWatch::launches_unwatched() {
  if (next_ != nullptr) next_->launches_unwatched();
}
void StepWatch::capture_begins() {
  capturing = true;
  if (next_ != nullptr) next_->capture_begins();
}
void StepWatch::capture_ends() {
  capturing = false;
  if (next_ != nullptr) next_->capture_ends();
}
bool StepWatch::was_read(std::uint32_t correlation_id) {
  return next_ != nullptr && next_->was_read(correlation_id);
}
void StepWatch::kernel_recorded(const store::KernelRecord& kernel, std::string_view mangled_name) {
  if (next_ != nullptr) next_->kernel_recorded(kernel, mangled_name);
}
void StepWatch::context_ends(CUcontext context) {
  if (next_ != nullptr) next_->context_ends(context);
}
void StepWatch::stop() {
  watching_ = false;
  if (next_ != nullptr) next_->stop();
}

}  // namespace mansard::collector
