// SPDX-License-Identifier: Apache-2.0
// A fake NVML with one GPU, whose power rises with every read. It lacks some functions of the real
// one.
#include <atomic>
#include <cstring>

#include "support/nvml.h"

#define FAKE extern "C" __attribute__((visibility("default")))

using namespace mansard::nvml;

namespace {

std::atomic<unsigned> looks = 0;
char the_gpu = 0;

}  // namespace

FAKE Return nvmlInit_v2() { return kSuccess; }
FAKE Return nvmlShutdown() { return kSuccess; }
FAKE const char* nvmlErrorString(Return) { return "fake error"; }
FAKE Return nvmlDeviceGetHandleByUUID(const char* uuid, Device* device) {
  if (std::strcmp(uuid, "GPU-fake") != 0) return 6;  // not found
  *device = reinterpret_cast<Device>(&the_gpu);
  return kSuccess;
}
FAKE Return nvmlDeviceGetClockInfo(Device, unsigned clock, unsigned* mhz) {
  *mhz = clock == kSmClock ? 1980 : 3201;
  return kSuccess;
}
FAKE Return nvmlDeviceGetPowerUsage(Device, unsigned* mw) {
  *mw = 100'000 + ++looks;
  return kSuccess;
}
FAKE Return nvmlDeviceGetCurrentClocksThrottleReasons(Device, unsigned long long* bits) {
  *bits = 0x4;
  return kSuccess;
}
