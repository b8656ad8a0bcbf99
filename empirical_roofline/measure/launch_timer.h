// SPDX-License-Identifier: Apache-2.0
// How long one launch takes, by the clock that fits the device and the kernel's role.
#pragma once

#include <memory>

#include "kernels/kernel.h"

namespace mansard {

class LaunchTimer {
 public:
  virtual ~LaunchTimer() = default;
  // Runs one launch to its end.
  virtual double time_s(PreparedKernel& kernel) = 0;
};

// Host kernels: the kernel's own time where it reports one, else the monotonic clock around it.
std::unique_ptr<LaunchTimer> make_host_timer();

// CUDA kernels: events in a stream of its own, behind a kernel that spins long enough for the host
// to enqueue everything, so that no launch gap is measured.
std::unique_ptr<LaunchTimer> make_event_timer(const DeviceInfo& device);

// CUDA overheads, where the host's part counts: the monotonic clock from an idle stream to an idle
// stream.
std::unique_ptr<LaunchTimer> make_wall_timer(const DeviceInfo& device);

}  // namespace mansard
