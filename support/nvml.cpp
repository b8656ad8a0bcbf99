// SPDX-License-Identifier: Apache-2.0
#include "support/nvml.h"

#include <dlfcn.h>
#include <stdexcept>
#include <string>

namespace mansard {
namespace {

template <class Function>
void find(void* library, const char* name, Function& function) {
  if (function == nullptr) function = reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

NvmlApi load_nvml() {
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    throw std::runtime_error(
        std::string(reason != nullptr ? reason : "libnvidia-ml.so.1 cannot be loaded") +
        ". It is part of the NVIDIA driver; a container needs the driver capability 'utility'");
  }
  NvmlApi api;
  find(library, "nvmlInit_v2", api.init);
  find(library, "nvmlShutdown", api.shutdown);
  find(library, "nvmlErrorString", api.error_string);
  find(library, "nvmlDeviceGetHandleByUUID", api.device_by_uuid);
  find(library, "nvmlDeviceGetClockInfo", api.clock_mhz);
  find(library, "nvmlDeviceGetFieldValues", api.field_values);
  find(library, "nvmlDeviceGetPowerUsage", api.power_mw);
  find(library, "nvmlDeviceGetTemperature", api.temperature_c);
  // Drivers before 535 have only the old name.
  find(library, "nvmlDeviceGetCurrentClocksEventReasons", api.clocks_event_reasons);
  find(library, "nvmlDeviceGetCurrentClocksThrottleReasons", api.clocks_event_reasons);
  find(library, "nvmlDeviceGetUtilizationRates", api.utilization);
  find(library, "nvmlDeviceGetMemoryInfo", api.memory);
  find(library, "nvmlSystemGetDriverVersion", api.driver_version);
  find(library, "nvmlDeviceGetComputeRunningProcesses_v3", api.compute_processes);
  if (api.init == nullptr || api.device_by_uuid == nullptr) {
    throw std::runtime_error("libnvidia-ml.so.1 lacks nvmlInit_v2 or nvmlDeviceGetHandleByUUID");
  }
  return api;
}

}  // namespace mansard
