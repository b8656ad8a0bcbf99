// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include "empirical_roofline/measure/launch_timer.h"

namespace mansard {
namespace {

class HostTimer : public LaunchTimer {
 public:
  double time_s(PreparedKernel& kernel) override {
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

}  // namespace mansard
