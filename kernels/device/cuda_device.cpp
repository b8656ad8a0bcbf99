// SPDX-License-Identifier: Apache-2.0
#include "kernels/device_info.h"

#if MANSARD_HAVE_CUDA

#include <cstdio>

#include <cuda_runtime_api.h>

namespace mansard::kernels {
namespace {

// In nvidia-smi's format: "GPU-" and 16 bytes in hexadecimal, 8-4-4-4-12.
std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    char byte[3];
    std::snprintf(byte, sizeof byte, "%02x", static_cast<unsigned char>(uuid.bytes[i]));
    text += byte;
  }
  return text;
}

double attribute(cudaDeviceAttr name, int device) {
  int value = 0;
  return cudaDeviceGetAttribute(&value, name, device) == cudaSuccess ? value : 0.0;
}

}  // namespace

std::vector<DeviceInfo> cuda_devices() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();  // a machine without a GPU is not an error
    return {};
  }
  std::vector<DeviceInfo> devices;
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp p{};
    if (cudaGetDeviceProperties(&p, i) != cudaSuccess) continue;
    DeviceInfo d;
    d.target = Target::cuda;
    d.ordinal = i;
    d.name = p.name;
    d.uuid = uuid_text(p.uuid);
    d.compute_capability = 10 * p.major + p.minor;
    d.units = p.multiProcessorCount;
    d.boost_clock_hz = 1e3 * attribute(cudaDevAttrClockRate, i);
    d.memory_clock_hz = 1e3 * attribute(cudaDevAttrMemoryClockRate, i);
    d.memory_bus_bits = static_cast<int>(attribute(cudaDevAttrGlobalMemoryBusWidth, i));
    d.memory_bytes = static_cast<double>(p.totalGlobalMem);
    d.l1_bytes = static_cast<double>(p.sharedMemPerMultiprocessor);
    d.l1_count = p.multiProcessorCount;
    d.l2_bytes = p.l2CacheSize;
    d.l2_count = 1;
    d.instruction_set = "sm_" + std::to_string(d.compute_capability);
    devices.push_back(d);
  }
  return devices;
}

std::string cuda_unavailable_reason() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  cudaGetLastError();
  if (status == cudaErrorInsufficientDriver || status == cudaErrorNoDevice ||
      (status == cudaSuccess && count == 0)) {
    int driver = 0;
    cudaDriverGetVersion(&driver);
    return driver == 0 ? "no NVIDIA driver is loaded" : "the driver reports no usable GPU";
  }
  return status == cudaSuccess ? "" : cudaGetErrorString(status);
}

}  // namespace mansard::kernels

#else

namespace mansard::kernels {
std::vector<DeviceInfo> cuda_devices() { return {}; }
std::string cuda_unavailable_reason() { return "Mansard was built without CUDA"; }
}  // namespace mansard::kernels

#endif
