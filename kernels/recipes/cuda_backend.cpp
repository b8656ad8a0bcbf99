// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "kernels/recipes/backend.h"

#if MANSARD_HAVE_CUBLASLT

#include "kernels/device/cuda_check.h"
#include "kernels/recipes/cublaslt.h"
#include "kernels/recipes/cuda_backend.h"
#include "kernels/recipes/cuda_graph.h"
#include "kernels/recipes/fill_random.h"

namespace mansard::kernels {

CudaBackend::CudaBackend(const DeviceInfo& device)
    : CudaConversions(device.ordinal), device_(device) {}

CudaBackend::CudaBackend(const DeviceInfo& device, cudaStream_t stream)
    : CudaConversions(device.ordinal, stream), device_(device) {}

CudaBackend::~CudaBackend() {
  for (cudaEvent_t event : events_) cudaEventDestroy(event);
}

std::shared_ptr<void> CudaBackend::allocate(std::int64_t bytes) {
  void* memory = nullptr;
  cuda_check(cudaMalloc(&memory, static_cast<std::size_t>(bytes)),
             "allocate " + std::to_string(bytes) + " bytes of device memory");
  return {memory, [](void* p) { cudaFree(p); }};
}

double CudaBackend::free_bytes() const {
  std::size_t free = 0, total = 0;
  cuda_check(cudaMemGetInfo(&free, &total), "query the free device memory");
  return static_cast<double>(free);
}

void CudaBackend::fill(Bf16* data, std::int64_t count, DataPattern pattern, std::uint64_t seed,
                       int exponent) {
  fill_random_on_device(data, count, pattern, seed, exponent, stream());
}

void CudaBackend::read(void* host, const void* source, std::int64_t width_bytes, std::int64_t count,
                       std::int64_t pitch_bytes) {
  const auto width = static_cast<std::size_t>(width_bytes);
  const auto pitch = count == 1 ? width : static_cast<std::size_t>(pitch_bytes);
  cuda_check(cudaMemcpy2DAsync(host, width, source, pitch, width, static_cast<std::size_t>(count),
                               cudaMemcpyDeviceToHost, stream()),
             "read a result from the device");
  synchronize();
}

void CudaBackend::write(void* target, const void* host, std::int64_t bytes) {
  cuda_check(cudaMemcpyAsync(target, host, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice,
                             stream()),
             "write to the device");
  synchronize();
}

std::shared_ptr<void> CudaBackend::pin(void* host, std::int64_t bytes) {
  if (cudaHostRegister(host, static_cast<std::size_t>(bytes), cudaHostRegisterDefault) !=
      cudaSuccess) {
    cudaGetLastError();  // unpinned memory works too
    return nullptr;
  }
  return {host, [](void* p) { cudaHostUnregister(p); }};
}

// Source: cuBLAS documentation of cublasLtMatmul(), "Narrow Precision Data Types Usage".
bool CudaBackend::multiplies(Scaling scaling) const {
  const int capability = device_.compute_capability;
  switch (scaling) {
    case Scaling::none:
      return true;
    case Scaling::tensor:
      return capability >= 89;
    case Scaling::block_1x128:
    case Scaling::block_128x128:
      return capability == 90 && cublaslt_has_block_scales_of_128();
    case Scaling::mx_1x32:
    case Scaling::nv_1x16:
      return capability >= 100;
  }
  return false;
}

void CudaBackend::mark(std::size_t slot) {
  while (events_.size() <= slot) {
    cudaEvent_t event = nullptr;
    cuda_check(cudaEventCreate(&event), "create an event");
    events_.push_back(event);
  }
  // Without the flag, an event recorded during capture would only order the graph's nodes.
  const unsigned flags = recording_ ? cudaEventRecordExternal : cudaEventRecordDefault;
  cuda_check(cudaEventRecordWithFlags(events_[slot], stream(), flags), "record an event");
}

double CudaBackend::elapsed_s(std::size_t from_slot, std::size_t to_slot) {
  cuda_check(cudaEventSynchronize(events_.at(to_slot)), "wait for an event");
  float time_ms = 0;
  cuda_check(cudaEventElapsedTime(&time_ms, events_.at(from_slot), events_.at(to_slot)),
             "read an event");
  return 1e-3 * time_ms;
}

void CudaBackend::synchronize() {
  cuda_check(cudaStreamSynchronize(stream()), "finish the enqueued operations");
}

std::function<void()> CudaBackend::record(const std::function<void()>& enqueue) {
  struct Recording {
    explicit Recording(bool& on) : flag(on) { flag = true; }
    ~Recording() { flag = false; }
    bool& flag;
  };
  const Recording recording(recording_);
  const auto graph = std::make_shared<CudaGraph>(stream(), enqueue);
  return [this, graph] { graph->launch(stream()); };
}

namespace {

void require_recipes(const DeviceInfo& device) {
  if (device.compute_capability < 80) {
    throw std::runtime_error("cannot run a recipe on " + device.name +
                             ": it needs compute capability 8.0 (BF16 tensor cores)");
  }
  if (const std::string& reason = cublaslt_unavailable_reason(); !reason.empty()) {
    throw std::runtime_error("cannot run a recipe on " + device.name + ": " + reason +
                             "; or use --device cpu");
  }
}

}  // namespace

std::unique_ptr<Backend> make_cuda_backend(const DeviceInfo& device) {
  require_recipes(device);
  return std::make_unique<CudaBackend>(device);
}

std::unique_ptr<Backend> make_cuda_backend(const DeviceInfo& device, void* stream) {
  require_recipes(device);
  return std::make_unique<CudaBackend>(device, static_cast<cudaStream_t>(stream));
}

}  // namespace mansard::kernels

#else

namespace mansard::kernels {
std::unique_ptr<Backend> make_cuda_backend(const DeviceInfo& device) {
  throw std::runtime_error(
      "cannot run a recipe on " + device.name +
      ": Mansard was built without CUDA or without cublasLt.h; use --device cpu");
}
std::unique_ptr<Backend> make_cuda_backend(const DeviceInfo& device, void*) {
  return make_cuda_backend(device);
}
}  // namespace mansard::kernels

#endif
