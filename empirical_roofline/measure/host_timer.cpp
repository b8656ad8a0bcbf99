// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <stdexcept>

#include "empirical_roofline/measure/launch_timer.h"

namespace mansard::roofline {
namespace {

class HostTimer : public LaunchTimer {
 public:
  double time_s(kernels::PreparedKernel& kernel) override {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    kernel.launch(nullptr);
    const std::chrono::duration<double> around = Clock::now() - start;
    const double own_s = kernel.elapsed_device_s();
    return own_s > 0 ? own_s : around.count();
  }
};

}  // namespace

std::unique_ptr<LaunchTimer> make_host_timer() { return std::make_unique<HostTimer>(); }

std::unique_ptr<LaunchTimer> make_timer(const kernels::KernelSpec& spec,
                                        const kernels::DeviceInfo& device) {
  if (spec.target == kernels::Target::host) return make_host_timer();
#if MANSARD_HAVE_CUDA
  return spec.role == kernels::KernelRole::overhead_ceiling ? make_wall_timer(device)
                                                            : make_event_timer(device);
#else
  throw std::logic_error("cannot time '" + spec.name + "' on " + device.name +
                         ": built without CUDA");
#endif
}

#if !MANSARD_HAVE_CUDA
std::unique_ptr<LoadTimer> make_load_timer(const kernels::DeviceInfo& device) {
  throw std::logic_error("cannot run a sustained load on " + device.name + ": built without CUDA");
}
#endif

}  // namespace mansard::roofline
