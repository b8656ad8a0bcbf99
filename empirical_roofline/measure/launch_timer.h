// SPDX-License-Identifier: Apache-2.0
// Measures the time of launches, with a timer that suits the device and the kernel's role.
#pragma once

#include <memory>

#include "kernels/kernel.h"

namespace mansard::roofline {

class LaunchTimer {
 public:
  virtual ~LaunchTimer() = default;
  // Runs one launch to its end and returns its time.
  virtual double time_s(kernels::PreparedKernel& kernel) = 0;
  // The SMs' mean clock during that launch; 0 if not measured. For kernels that do not count cycles
  // themselves: memcpy, links, libraries.
  virtual double clock_hz() const { return 0; }
};

// Keeps a device busy without gaps, and measures the time of each batch of launches.
class LoadTimer {
 public:
  virtual ~LoadTimer() = default;
  // Enqueues a batch of `launches`, waits for the end of the previous batch and returns the time of
  // that one: from the end of its predecessor to its own end, including the gap between them. The
  // first call returns 0; the second times the first batch from its own start.
  virtual double next_s(kernels::PreparedKernel& kernel, int launches) = 0;
  // The SMs' mean clock during the batch whose time was returned last; 0 if not measured.
  virtual double clock_hz() const { return 0; }
};

// Host kernels: the kernel's own time if it reports one, else the monotonic clock around the
// launch.
std::unique_ptr<LaunchTimer> make_host_timer();

// CUDA kernels: events in a separate stream, after a kernel that spins until the host has enqueued
// everything, so that no launch gap is measured.
std::unique_ptr<LaunchTimer> make_event_timer(const kernels::DeviceInfo& device);

// CUDA overheads, which include host time: the monotonic clock from an idle stream to an idle
// stream.
std::unique_ptr<LaunchTimer> make_wall_timer(const kernels::DeviceInfo& device);

std::unique_ptr<LoadTimer> make_load_timer(const kernels::DeviceInfo& device);

// Returns the timer of these three that suits the kernel. Throws std::logic_error for a CUDA kernel
// in a build without CUDA.
std::unique_ptr<LaunchTimer> make_timer(const kernels::KernelSpec& spec,
                                        const kernels::DeviceInfo& device);

}  // namespace mansard::roofline
