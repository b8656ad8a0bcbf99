// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "empirical_roofline/measure/launch_timer.h"

namespace mansard::roofline {
namespace {

std::unique_ptr<kernels::PreparedKernel> prepare(const char* name,
                                                 const kernels::DeviceInfo& device) {
  const kernels::KernelSpec* spec = kernels::kernel_registry().find(name);
  return spec != nullptr && spec->unsupported(device).empty() ? spec->prepare(device, {}) : nullptr;
}

// The clock from the SMs' counters around a launch must match the cycles that the kernel counts,
// except for a few microseconds before and after, if nothing throttles the clock.
TEST(EventTimer, SeesTheClockThatAKernelCounts) {
  const kernels::DeviceInfo device = kernels::cuda_devices().front();
  const auto timer = make_event_timer(device);
  for (const char* name : {"fma_fp32", "wgmma_bf16"}) {
    const auto kernel = prepare(name, device);
    if (kernel == nullptr) continue;
    std::vector<double> ratios;
    for (int i = 0; i < 25; ++i) {
      const double time_s = timer->time_s(*kernel);
      const double cycles = kernel->elapsed_cycles();
      const double kernel_s = kernel->elapsed_device_s();
      ASSERT_GT(cycles, 0) << name;
      EXPECT_LE(kernel_s, time_s + 2e-6) << name;  // the global timer's tick
      ratios.push_back(timer->clock_hz() * kernel_s / cycles);
    }
    std::nth_element(ratios.begin(), ratios.begin() + 12, ratios.end());
    EXPECT_NEAR(ratios[12], 1, 0.005) << name;
  }
}

TEST(LoadTimer, SeesBatchesAsLongAsTheirLaunchesAndTheirClock) {
  constexpr int kLaunches = 10;
  const kernels::DeviceInfo device = kernels::cuda_devices().front();
  const auto kernel = prepare("fma_fp32", device);
  ASSERT_NE(kernel, nullptr);
  const auto load = make_load_timer(device);
  EXPECT_EQ(load->next_s(*kernel, kLaunches), 0);
  std::vector<double> lengths;
  std::vector<double> clocks;
  for (int i = 0; i < 9; ++i) {
    const double batch_s = load->next_s(*kernel, kLaunches);
    const double cycles = kernel->elapsed_cycles();  // of a launch in the batch that runs now
    const double kernel_s = kernel->elapsed_device_s();
    lengths.push_back(batch_s / (kLaunches * kernel_s));
    clocks.push_back(load->clock_hz() * kernel_s / cycles);
  }
  std::nth_element(lengths.begin(), lengths.begin() + 4, lengths.end());
  std::nth_element(clocks.begin(), clocks.begin() + 4, clocks.end());
  EXPECT_NEAR(lengths[4], 1, 0.02);
  EXPECT_NEAR(clocks[4], 1, 0.005);
}

}  // namespace
}  // namespace mansard::roofline
