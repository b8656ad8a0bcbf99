// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <cupti.h>

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
  // Whether this launch's counters were read; its record then has no timestamps. Called on any
  // thread.
  virtual bool was_read(std::uint32_t correlation_id) = 0;
  virtual void context_ends(CUcontext context) = 0;  // it can still be used

  // Whether launches should be observed now, and whether they may ever be again. Observing costs a
  // few tenths of a µs per launch.
  virtual bool wants_launches() = 0;
  virtual bool is_done() = 0;
  // The program is exiting: last chance to use CUDA.
  virtual void stop() = 0;
};

}  // namespace mansard::collector
