// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "empirical_roofline/measure/launch_timer.h"

namespace mansard {
namespace {

std::unique_ptr<PreparedKernel> prepare(const char* name, const DeviceInfo& device) {
  const KernelSpec* spec = kernel_registry().find(name);
  return spec != nullptr && spec->unsupported(device).empty() ? spec->prepare(device, {}) : nullptr;
}

// What is read of the SMs' counters around a launch must be what a kernel counts within it.
TEST(EventTimer, SeesTheClockThatAKernelCounts) {
  const DeviceInfo device = cuda_devices().front();
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
    EXPECT_NEAR(ratios[12], 1, 0.003) << name;
  }
}

TEST(LoadTimer, SeesBatchesAsLongAsTheirLaunches) {
  const DeviceInfo device = cuda_devices().front();
  const auto kernel = prepare("fma_fp32", device);
  ASSERT_NE(kernel, nullptr);
  const auto timer = make_event_timer(device);
  const double one_s = timer->time_s(*kernel);
  const auto load = make_load_timer(device);
  EXPECT_EQ(load->next_s(*kernel, 10), 0);
  std::vector<double> batches_s;
  for (int i = 0; i < 9; ++i) batches_s.push_back(load->next_s(*kernel, 10));
  std::nth_element(batches_s.begin(), batches_s.begin() + 4, batches_s.end());
  EXPECT_NEAR(batches_s[4] / (10 * one_s), 1, 0.1);
}

}  // namespace
}  // namespace mansard
