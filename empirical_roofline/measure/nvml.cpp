// SPDX-License-Identifier: Apache-2.0
// The few NVML declarations used here are restated from NVML's API reference, so that no header of
// the driver is needed to build.
#include "empirical_roofline/measure/nvml.h"

#include <array>
#include <dlfcn.h>
#include <unistd.h>
#include <vector>

namespace mansard {
namespace {

using Device = void*;
constexpr int kSuccess = 0;
constexpr unsigned kSmClock = 1;  // nvmlClockType_t
constexpr unsigned kMemoryClock = 2;
constexpr unsigned kGpuTemperature = 0;  // nvmlTemperatureSensors_t

struct ProcessInfo {  // nvmlProcessInfo_v2_t
  unsigned pid;
  unsigned long long used_bytes;
  unsigned gpu_instance;
  unsigned compute_instance;
};

struct Utilization {  // nvmlUtilization_t, in percent
  unsigned gpu;
  unsigned memory;
};

struct Reason {  // nvmlClocksEventReason*
  unsigned long long bit;
  const char* text;
};
constexpr std::array kReasons = {
    Reason{0x4, "software power cap"},         Reason{0x8, "hardware slowdown"},
    Reason{0x20, "software thermal slowdown"}, Reason{0x40, "hardware thermal slowdown"},
    Reason{0x80, "hardware power brake"},
};

}  // namespace

struct Nvml::Library {
  void* handle = nullptr;
  Device device = nullptr;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*by_uuid)(const char*, Device*) = nullptr;
  int (*clock_mhz)(Device, unsigned, unsigned*) = nullptr;
  int (*power_mw)(Device, unsigned*) = nullptr;
  int (*temperature)(Device, unsigned, unsigned*) = nullptr;
  int (*reasons)(Device, unsigned long long*) = nullptr;
  int (*driver)(char*, unsigned) = nullptr;
  int (*utilization)(Device, Utilization*) = nullptr;
  int (*processes)(Device, unsigned*, ProcessInfo*) = nullptr;

  ~Library() {
    if (device != nullptr && shutdown != nullptr) shutdown();
    if (handle != nullptr) dlclose(handle);
  }

  template <typename Function>
  void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(handle, name));
  }
};

Nvml::Nvml(std::unique_ptr<Library> library) : library_(std::move(library)) {}
Nvml::~Nvml() = default;

std::unique_ptr<Nvml> Nvml::open(const std::string& uuid) {
  auto library = std::make_unique<Library>();
  library->handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library->handle == nullptr) return nullptr;
  library->find(library->init, "nvmlInit_v2");
  library->find(library->shutdown, "nvmlShutdown");
  library->find(library->by_uuid, "nvmlDeviceGetHandleByUUID");
  library->find(library->clock_mhz, "nvmlDeviceGetClockInfo");
  library->find(library->power_mw, "nvmlDeviceGetPowerUsage");
  library->find(library->temperature, "nvmlDeviceGetTemperature");
  library->find(library->reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  library->find(library->driver, "nvmlSystemGetDriverVersion");
  library->find(library->utilization, "nvmlDeviceGetUtilizationRates");
  library->find(library->processes, "nvmlDeviceGetComputeRunningProcesses_v3");
  if (library->init == nullptr || library->by_uuid == nullptr || library->init() != kSuccess) {
    return nullptr;
  }
  Device device = nullptr;
  if (library->by_uuid(uuid.c_str(), &device) != kSuccess) {
    if (library->shutdown != nullptr) library->shutdown();
    return nullptr;
  }
  library->device = device;
  return std::unique_ptr<Nvml>(new Nvml(std::move(library)));
}

GpuState Nvml::state() const {
  const Library& l = *library_;
  GpuState state;
  unsigned value = 0;
  if (l.clock_mhz != nullptr) {
    if (l.clock_mhz(l.device, kSmClock, &value) == kSuccess) state.sm_clock_hz = 1e6 * value;
    if (l.clock_mhz(l.device, kMemoryClock, &value) == kSuccess) {
      state.memory_clock_hz = 1e6 * value;
    }
  }
  if (l.power_mw != nullptr && l.power_mw(l.device, &value) == kSuccess) {
    state.power_w = 1e-3 * value;
  }
  if (l.temperature != nullptr && l.temperature(l.device, kGpuTemperature, &value) == kSuccess) {
    state.temperature_c = value;
  }
  unsigned long long bits = 0;
  if (l.reasons != nullptr && l.reasons(l.device, &bits) == kSuccess) {
    for (const Reason& reason : kReasons) {
      if ((bits & reason.bit) == 0) continue;
      state.throttled = true;
      if (!state.throttle_reason.empty()) state.throttle_reason += ", ";
      state.throttle_reason += reason.text;
    }
  }
  return state;
}

double Nvml::utilization() const {
  Utilization rates{};
  if (library_->utilization == nullptr ||
      library_->utilization(library_->device, &rates) != kSuccess) {
    return -1;
  }
  return 0.01 * rates.gpu;
}

std::string Nvml::driver_version() const {
  std::array<char, 96> text{};
  if (library_->driver == nullptr ||
      library_->driver(text.data(), static_cast<unsigned>(text.size())) != kSuccess) {
    return "";
  }
  return text.data();
}

int Nvml::other_processes() const {
  if (library_->processes == nullptr) return -1;
  std::vector<ProcessInfo> running(64);
  auto count = static_cast<unsigned>(running.size());
  if (library_->processes(library_->device, &count, running.data()) != kSuccess) return -1;
  int others = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (running[i].pid != static_cast<unsigned>(::getpid())) ++others;
  }
  return others;
}

}  // namespace mansard
