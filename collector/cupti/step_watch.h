// SPDX-License-Identifier: Apache-2.0
// Opens and closes the window of --steps in programs without ranges that mark their steps.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>

#include "collector/cupti/launch_observer.h"
#include "collector/session/recording_window.h"
#include "collector/session/step_recognizer.h"

namespace mansard::collector {

class StepWatch : public LaunchObserver {
 public:
  // The window must outlive this. `next` (may be null) is notified of everything, too. `tell` is
  // called with a sentence once the steps are recognized.
  StepWatch(RecordingWindow& window, LaunchObserver* next,
            std::function<void(const std::string&)> tell)
      : window_(window), next_(next), tell_(std::move(tell)) {}

  void launch_begins(CUpti_CallbackId call, const CUpti_CallbackData& data) override;
  void launch_ends(const CUpti_CallbackData& data) override;
  void launches_unwatched() override;
  void capture_begins() override;
  void capture_ends() override;
  bool was_read(std::uint32_t correlation_id) override;
  void kernel_recorded(const store::KernelRecord& kernel, std::string_view mangled_name) override;
  void context_ends(CUcontext context) override;
  bool wants_launches() override { return watching_ || (next_ && next_->wants_launches()); }
  bool is_done() override { return !watching_ && (!next_ || next_->is_done()); }
  void stop() override;

 private:
  void launched(std::uint64_t kind);
  std::string choose_steps();

  RecordingWindow& window_;
  LaunchObserver* const next_;
  const std::function<void(const std::string&)> tell_;
  std::atomic<bool> watching_ = true;

  std::mutex mutex_;  // guards the fields below
  StepRecognizer recognizer_;
  std::int64_t first_ = 0;  // the steps to record; 0: not recognized
  std::int64_t end_ = 0;
};

}  // namespace mansard::collector
