// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include <cupti.h>

#include "collector/store/device_tables.h"

namespace mansard::collector {

// Notified by CuptiSource of launches (launch_calls() in counters/kernel_launch.h), on the
// launching thread. Must not throw.
class LaunchObserver {
 public:
  virtual ~LaunchObserver() = default;
  virtual void launch_begins(CUpti_CallbackId call, const CUpti_CallbackData& data) = 0;
  virtual void launch_ends(const CUpti_CallbackData& data) = 0;
  // Launches are no longer observed; the ends of launches in progress are not reported.
  virtual void launches_unwatched() = 0;
  // A stream capture begins, which may still fail, and has ended.
  virtual void capture_begins() = 0;
  virtual void capture_ends() = 0;
  // Whether this launch was replayed to read its counters; its record then has no timestamps.
  // Called on any thread.
  virtual bool was_read(std::uint32_t correlation_id) = 0;
  // A kernel's record has arrived. Called on the writer's thread.
  virtual void kernel_recorded(const store::KernelRecord& kernel,
                               std::string_view mangled_name) = 0;
  virtual void context_ends(CUcontext context) = 0;  // it can still be used

  // Whether launches should be observed now, and whether they may ever be again. Observing costs a
  // few tenths of a µs per launch.
  virtual bool wants_launches() = 0;
  virtual bool is_done() = 0;
  // The program is exiting: last chance to use CUDA.
  virtual void stop() = 0;
};

}  // namespace mansard::collector
