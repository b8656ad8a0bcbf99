// SPDX-License-Identifier: Apache-2.0
// A table of the NVML functions that read the state of a GPU. The library is part of the driver and
// is loaded at run time; tests substitute their own functions. The declarations are copied from
// NVML's API reference, so that the build needs no driver headers; a test compares them with nvml.h
// if that is installed.
#pragma once

#include <cstddef>

namespace mansard::nvml {

using Device = struct nvmlDevice_st*;
using Return = int;

inline constexpr Return kSuccess = 0;
inline constexpr Return kNotSupported = 3;
inline constexpr Return kNoPermission = 4;
inline constexpr Return kFunctionNotFound = 13;
inline constexpr Return kGpuIsLost = 15;

inline constexpr unsigned kSmClock = 1;         // nvmlClockType_t
inline constexpr unsigned kMemoryClock = 2;     // nvmlClockType_t
inline constexpr unsigned kGpuTemperature = 0;  // nvmlTemperatureSensors_t
inline constexpr unsigned kPowerInstant = 186;  // NVML_FI_DEV_POWER_INSTANT, in milliwatts

struct Utilization {  // in percent, over NVML's own sample period of up to a second
  unsigned gpu;
  unsigned memory;
};

struct Memory {  // nvmlMemory_t
  unsigned long long total_bytes;
  unsigned long long free_bytes;
  unsigned long long used_bytes;
};

struct ProcessInfo {  // nvmlProcessInfo_v2_t
  unsigned pid;
  unsigned long long used_bytes;
  unsigned gpu_instance;
  unsigned compute_instance;
};

enum class ValueType : int {
  float64 = 0,
  uint32 = 1,
  ulong = 2,
  uint64 = 3,
  int64 = 4,
  int32 = 5,
  uint16 = 6,
};

struct FieldValue {
  unsigned field;
  unsigned scope;
  long long timestamp_us;
  long long latency_us;
  ValueType type;
  Return result;
  union {
    double float64;
    int int32;
    unsigned uint32;
    unsigned long ulong;
    unsigned long long uint64;
    long long int64;
    unsigned short uint16;
  } value;
};
static_assert(sizeof(FieldValue) == 40 && offsetof(FieldValue, value) == 32);

}  // namespace mansard::nvml

namespace mansard {

// Functions that the installed driver lacks are null; `init` and `device_by_uuid` never are.
struct NvmlApi {
  nvml::Return (*init)() = nullptr;
  nvml::Return (*shutdown)() = nullptr;
  const char* (*error_string)(nvml::Return) = nullptr;
  nvml::Return (*device_by_uuid)(const char* uuid, nvml::Device*) = nullptr;
  nvml::Return (*clock_mhz)(nvml::Device, unsigned clock, unsigned*) = nullptr;
  nvml::Return (*field_values)(nvml::Device, int count, nvml::FieldValue*) = nullptr;
  nvml::Return (*power_mw)(nvml::Device, unsigned*) = nullptr;  // averaged over about a second
  nvml::Return (*temperature_c)(nvml::Device, unsigned sensor, unsigned*) = nullptr;
  nvml::Return (*clocks_event_reasons)(nvml::Device, unsigned long long*) = nullptr;
  nvml::Return (*utilization)(nvml::Device, nvml::Utilization*) = nullptr;
  nvml::Return (*memory)(nvml::Device, nvml::Memory*) = nullptr;
  nvml::Return (*driver_version)(char* text, unsigned size) = nullptr;
  nvml::Return (*compute_processes)(nvml::Device, unsigned* count, nvml::ProcessInfo*) = nullptr;
};

// Loads the library, which stays loaded, without initializing it. Throws std::runtime_error that
// names what is missing.
NvmlApi load_nvml();

}  // namespace mansard
