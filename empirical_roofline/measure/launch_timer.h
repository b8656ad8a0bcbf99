// SPDX-License-Identifier: Apache-2.0
// How long launches take, by the clock that fits the device and the kernel's role.
#pragma once

#include <memory>

#include "kernels/kernel.h"

namespace mansard::roofline {

class LaunchTimer {
 public:
  virtual ~LaunchTimer() = default;
  // Runs one launch to its end.
  virtual double time_s(kernels::PreparedKernel& kernel) = 0;
  // The SMs' mean clock over that launch; 0 where nobody looked. For kernels that do not count
  // cycles themselves: copies, links, libraries.
  virtual double clock_hz() const { return 0; }
};

// Keeps a device at work without a gap, and says how long each batch took.
class LoadTimer {
 public:
  virtual ~LoadTimer() = default;
  // Enqueues a batch of `launches` and waits for the end of the one before it, whose time it
  // returns: from the end of its predecessor to its own end, so that what lies between them counts.
  // The first call returns 0, the second times the first batch from its own start.
  virtual double next_s(kernels::PreparedKernel& kernel, int launches) = 0;
  // The SMs' mean clock over the batch whose time was returned last; 0 where nobody looked.
  virtual double clock_hz() const { return 0; }
};

// Host kernels: the kernel's own time where it reports one, else the monotonic clock around it.
std::unique_ptr<LaunchTimer> make_host_timer();

// CUDA kernels: events in a stream of its own, behind a kernel that spins long enough for the host
// to enqueue everything, so that no launch gap is measured.
std::unique_ptr<LaunchTimer> make_event_timer(const kernels::DeviceInfo& device);

// CUDA overheads, where the host's part counts: the monotonic clock from an idle stream to an idle
// stream.
std::unique_ptr<LaunchTimer> make_wall_timer(const kernels::DeviceInfo& device);

std::unique_ptr<LoadTimer> make_load_timer(const kernels::DeviceInfo& device);

// Of the three, the one for this kernel. Throws std::logic_error for a CUDA kernel in a build
// without CUDA.
std::unique_ptr<LaunchTimer> make_timer(const kernels::KernelSpec& spec,
                                        const kernels::DeviceInfo& device);

}  // namespace mansard::roofline
