// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "kernels/recipes/backend.h"

#if MANSARD_HAVE_CUBLASLT

#include <vector>

#include "kernels/device/cuda_check.h"
#include "kernels/device/device_buffer.h"
#include "kernels/fp8/fp8.h"
#include "kernels/nvfp4/nvfp4.h"
#include "kernels/recipes/cublaslt.h"
#include "kernels/recipes/cublaslt_gemm.h"
#include "kernels/recipes/fill_random.h"
#include "kernels/recipes/fp8_gemm_alpha.h"

namespace mansard {
namespace {

using nvfp4::Matrix;
using nvfp4::Shape;
using nvfp4::Transform;

struct Stream {
  explicit Stream(int device) {
    cuda_check(cudaSetDevice(device), "use CUDA device " + std::to_string(device));
    cuda_check(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking), "create a stream");
  }
  ~Stream() { cudaStreamDestroy(handle); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaStream_t handle = nullptr;
};

class CudaBackend : public Backend {
 public:
  explicit CudaBackend(const DeviceInfo& device)
      : stream_(device.ordinal), compute_capability_(device.compute_capability) {
    scratch_.fill_bytes(0);
    // The memset belongs to the default stream, which this one does not wait for.
    cuda_check(cudaDeviceSynchronize(), "clear the scratch of reductions");
  }
  ~CudaBackend() override {
    for (cudaEvent_t event : events_) cudaEventDestroy(event);
  }

  MemoryLevel traffic_level() const override { return MemoryLevel::hbm; }
  // E5M2 and E4M3 go through the same instructions at the same rate.
  Precision gemm_precision(const GemmProblem& problem) const override {
    return problem.a.is_fp8() ? Precision::fp8_e4m3 : Precision::bf16;
  }
  // What cuBLASLt's FP8 products need (documentation of cublasLtMatmul).
  bool multiplies_fp8() const override { return compute_capability_ >= 89; }

  Buffer allocate(std::int64_t bytes) override {
    void* memory = nullptr;
    cuda_check(cudaMalloc(&memory, static_cast<std::size_t>(bytes)),
               "allocate " + std::to_string(bytes) +
                   " bytes of device memory for a layer (fewer tokens or one layer need less)");
    return Buffer(std::shared_ptr<void>(memory, [](void* p) { cudaFree(p); }));
  }
  void fill(Bf16* data, std::int64_t count, DataPattern pattern, std::uint64_t seed,
            int exponent) override {
    fill_random_on_device(data, count, pattern, seed, exponent, stream_.handle);
  }
  void read(void* host, const void* source, std::int64_t width_bytes, std::int64_t count,
            std::int64_t pitch_bytes) override {
    const auto width = static_cast<std::size_t>(width_bytes);
    const auto pitch = count == 1 ? width : static_cast<std::size_t>(pitch_bytes);
    cuda_check(cudaMemcpy2DAsync(host, width, source, pitch, width, static_cast<std::size_t>(count),
                                 cudaMemcpyDeviceToHost, stream_.handle),
               "read a result from the device");
    synchronize();
  }

  void write(void* target, const void* host, std::int64_t bytes) override {
    cuda_check(cudaMemcpyAsync(target, host, static_cast<std::size_t>(bytes),
                               cudaMemcpyHostToDevice, stream_.handle),
               "write to the device");
    synchronize();
  }

  void amax(const Bf16* x, Shape shape, float* out) override {
    nvfp4::amax(x, shape, out, scratch_.get(), stream_.handle);
  }
  void amax_rht(const Bf16* x, Shape shape, float* out, float* out_rht) override {
    nvfp4::amax_rht(x, shape, out, out_rht, scratch_.get(), stream_.handle);
  }
  void quantize_both(const Bf16* x, Shape shape, const float* amax, const float* amax_rht,
                     Matrix out, Matrix out_rht, const nvfp4::RandomState* random) override {
    nvfp4::quantize_both(x, shape, amax, amax_rht, Transform::rht, out, out_rht, {.random = random},
                         stream_.handle);
  }
  void next_random(nvfp4::RandomState* state) override {
    nvfp4::next_random(state, stream_.handle);
  }
  void quantize_16x16(const Bf16* x, Shape shape, const float* amax, Matrix out,
                      Matrix out_t) override {
    nvfp4::quantize_16x16(x, shape, amax, out, out_t, {}, stream_.handle);
  }
  void dequantize(Matrix in, Shape shape, Bf16* out) override {
    nvfp4::dequantize(in, shape, nvfp4::ScaleLayout::linear, out, stream_.handle);
  }
  void gemm_alpha(const float* amax_a, const float* amax_b, float* alpha) override {
    nvfp4::gemm_alpha(amax_a, amax_b, alpha, stream_.handle);
  }
  void fp8_cast_transpose(fp8::Format format, const Bf16* x, Shape shape, const float* amax,
                          fp8::TensorScale* scale, std::uint8_t* out,
                          std::uint8_t* out_t) override {
    fp8::cast_transpose(format, x, shape, {scale, amax}, out, out_t, nullptr, stream_.handle);
  }
  void fp8_decode(fp8::Format format, const std::uint8_t* codes, Shape shape, Bf16* out) override {
    fp8::decode(format, codes, shape, out, stream_.handle);
  }
  void fp8_gemm_alpha(const fp8::TensorScale* a, const fp8::TensorScale* b, float* alpha) override {
    mansard::fp8_gemm_alpha(a, b, alpha, stream_.handle);
  }

  std::function<void()> prepare_gemm(const GemmProblem& problem) override {
    return cublaslt_.prepare(problem, stream_.handle);
  }

  void mark(std::size_t slot) override {
    while (events_.size() <= slot) {
      cudaEvent_t event = nullptr;
      cuda_check(cudaEventCreate(&event), "create an event");
      events_.push_back(event);
    }
    cuda_check(cudaEventRecord(events_[slot], stream_.handle), "record an event");
  }
  double elapsed_s(std::size_t from, std::size_t to) override {
    cuda_check(cudaEventSynchronize(events_.at(to)), "wait for an event");
    float time_ms = 0;
    cuda_check(cudaEventElapsedTime(&time_ms, events_.at(from), events_.at(to)), "read an event");
    return 1e-3 * time_ms;
  }
  void synchronize() override {
    cuda_check(cudaStreamSynchronize(stream_.handle), "finish the enqueued operations");
  }

 private:
  Stream stream_;
  int compute_capability_;
  CublasLtContext cublaslt_;
  DeviceBuffer<nvfp4::AmaxScratch> scratch_{1};
  std::vector<cudaEvent_t> events_;
};

}  // namespace

std::unique_ptr<Backend> make_cuda_backend(const DeviceInfo& device) {
  if (device.compute_capability < 80) {
    throw std::runtime_error("cannot run a recipe on " + device.name +
                             ": it needs compute capability 8.0 (BF16 tensor cores)");
  }
  if (const std::string& reason = cublaslt_unavailable_reason(); !reason.empty()) {
    throw std::runtime_error("cannot run a recipe on " + device.name + ": " + reason +
                             "; --device cpu works without");
  }
  return std::make_unique<CudaBackend>(device);
}

}  // namespace mansard

#else

namespace mansard {
std::unique_ptr<Backend> make_cuda_backend(const DeviceInfo& device) {
  throw std::runtime_error("cannot run a recipe on " + device.name +
                           ": this build of Mansard has no CUDA or was made without cublasLt.h");
}
}  // namespace mansard

#endif
