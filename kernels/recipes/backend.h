// SPDX-License-Identifier: Apache-2.0
// What a recipe needs of the machine that runs it. The recipes are written once against this and
// run on the CPU (by the reference) and on CUDA devices.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "kernels/device_info.h"
#include "kernels/fp8/layout.h"
#include "kernels/kernel.h"
#include "kernels/nvfp4/bf16.h"
#include "kernels/nvfp4/shape.h"
#include "kernels/nvfp4/stochastic.h"
#include "kernels/recipes/gemm.h"

namespace mansard {

// Memory where the backend computes; copies share it.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::shared_ptr<void> memory) : memory_(std::move(memory)) {}
  template <typename T>
  T* as() const {
    return static_cast<T*>(memory_.get());
  }

 private:
  std::shared_ptr<void> memory_;
};

// Operations are enqueued in order and may return before they are done; read(), elapsed_s() and
// synchronize() wait. The shape rules are those of kernels/nvfp4/shape.h.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual MemoryLevel traffic_level() const = 0;
  // Of the instructions that execute the GEMM.
  virtual Precision gemm_precision(const GemmProblem& problem) const = 0;
  // Whether prepare_gemm() takes FP8 operands; both must then have their reduction axis innermost.
  virtual bool multiplies_fp8() const = 0;

  // Uninitialised. Throws std::runtime_error when there is not enough.
  virtual Buffer allocate(std::int64_t bytes) = 0;
  virtual void fill(Bf16* data, std::int64_t count, DataPattern pattern, std::uint64_t seed,
                    int exponent) = 0;
  // `count` runs of `width_bytes`, each `pitch_bytes` after the one before, packed into `host`.
  virtual void read(void* host, const void* source, std::int64_t width_bytes,
                    std::int64_t count = 1, std::int64_t pitch_bytes = 0) = 0;

  // The opposite, of host memory that may go at once.
  virtual void write(void* target, const void* host, std::int64_t bytes) = 0;

  virtual void amax(const Bf16* x, nvfp4::Shape shape, float* out) = 0;
  virtual void amax_rht(const Bf16* x, nvfp4::Shape shape, float* out, float* out_rht) = 0;
  // Rows by 1x16, and columns by 1x16 after the Hadamard transform; stochastically where `random`
  // is given, which is where the backend computes.
  virtual void quantize_both(const Bf16* x, nvfp4::Shape shape, const float* amax,
                             const float* amax_rht, nvfp4::Matrix out, nvfp4::Matrix out_rht,
                             const nvfp4::RandomState* random) = 0;
  virtual void next_random(nvfp4::RandomState* state) = 0;  // ++offset
  virtual void quantize_16x16(const Bf16* x, nvfp4::Shape shape, const float* amax,
                              nvfp4::Matrix out, nvfp4::Matrix out_t) = 0;
  virtual void dequantize(nvfp4::Matrix in, nvfp4::Shape shape, Bf16* out) = 0;
  virtual void gemm_alpha(const float* amax_a, const float* amax_b, float* alpha) = 0;

  // x and x^T in FP8 with current scaling: makes *scale of *amax.
  virtual void fp8_cast_transpose(fp8::Format format, const Bf16* x, fp8::Shape shape,
                                  const float* amax, fp8::TensorScale* scale, std::uint8_t* out,
                                  std::uint8_t* out_t) = 0;
  // The codes' values, exact; fp8_gemm_alpha() holds the scales.
  virtual void fp8_decode(fp8::Format format, const std::uint8_t* codes, fp8::Shape shape,
                          Bf16* out) = 0;
  virtual void fp8_gemm_alpha(const fp8::TensorScale* a, const fp8::TensorScale* b,
                              float* alpha) = 0;

  // Whatever choosing an algorithm costs is paid here; the result may be called many times.
  virtual std::function<void()> prepare_gemm(const GemmProblem& problem) = 0;

  // Time stamps in the order of the operations, by a slot number of the caller's choice.
  virtual void mark(std::size_t slot) = 0;
  virtual double elapsed_s(std::size_t from_slot, std::size_t to_slot) = 0;
  virtual void synchronize() = 0;
};

std::unique_ptr<Backend> make_cpu_backend();

// Throws std::runtime_error in a build without CUDA, and when the device cannot be used.
std::unique_ptr<Backend> make_cuda_backend(const DeviceInfo& device);

std::unique_ptr<Backend> make_backend(const DeviceInfo& device);

}  // namespace mansard
