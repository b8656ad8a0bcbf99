// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <cupti.h>

namespace mansard::collector {

// Told by CuptiSource of launches (launch_calls() in counters/kernel_launch.h), on the thread that
// makes them. Does not throw.
class LaunchObserver {
 public:
  virtual ~LaunchObserver() = default;
  virtual void launch_begins(CUpti_CallbackId call, const CUpti_CallbackData& data) = 0;
  virtual void launch_ends(const CUpti_CallbackData& data) = 0;
  // Launches are not told of any more; of those under way no end has come, nor will.
  virtual void launches_unwatched() = 0;
  // Whether this one's counters were read: its record has no times then. On any thread.
  virtual bool was_read(std::uint32_t correlation_id) = 0;
  virtual void context_ends(CUcontext context) = 0;  // it can still be used

  // Whether launches are to be watched now, and whether they may ever be again. Watching costs
  // every launch some tenths of a microsecond.
  virtual bool wants_launches() = 0;
  virtual bool is_done() = 0;
  // The program ends: the last moment to use CUDA.
  virtual void stop() = 0;
};

}  // namespace mansard::collector
