// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <vector>

#include "kernels/fp8/reference.h"
#include "kernels/nvfp4/random_input.h"
#include "kernels/nvfp4/reference.h"
#include "kernels/recipes/backend.h"
#include "kernels/recipes/cpu_gemm.h"

namespace mansard {
namespace {

using Clock = std::chrono::steady_clock;
using nvfp4::Matrix;
using nvfp4::Shape;
using nvfp4::Transform;

class CpuBackend : public Backend {
 public:
  MemoryLevel traffic_level() const override { return MemoryLevel::dram; }
  // cpu_gemm() widens its operands and runs FP32 multiply-adds.
  Precision gemm_precision(const GemmProblem&) const override { return Precision::fp32; }
  bool multiplies_fp8() const override { return false; }

  Buffer allocate(std::int64_t bytes) override {
    constexpr std::size_t kAlignment = 64;
    const std::size_t whole = (static_cast<std::size_t>(bytes) + kAlignment - 1) / kAlignment;
    void* memory = std::aligned_alloc(kAlignment, whole * kAlignment);
    if (memory == nullptr) {
      throw std::runtime_error("cannot allocate " + std::to_string(bytes) +
                               " bytes of host memory for a layer; use fewer tokens or one layer");
    }
    return Buffer(std::shared_ptr<void>(memory, std::free));
  }
  void fill(Bf16* data, std::int64_t count, DataPattern pattern, std::uint64_t seed,
            int exponent) override {
    fill_random(data, count, pattern, seed, exponent);
  }
  void read(void* host, const void* source, std::int64_t width_bytes, std::int64_t count,
            std::int64_t pitch_bytes) override {
    for (std::int64_t i = 0; i < count; ++i) {
      std::memcpy(static_cast<char*>(host) + i * width_bytes,
                  static_cast<const char*>(source) + i * pitch_bytes,
                  static_cast<std::size_t>(width_bytes));
    }
  }

  void write(void* target, const void* host, std::int64_t bytes) override {
    std::memcpy(target, host, static_cast<std::size_t>(bytes));
  }

  void amax(const Bf16* x, Shape shape, float* out) override {
    *out = nvfp4::reference::amax(x, shape);
  }
  void amax_rht(const Bf16* x, Shape shape, float* out, float* out_rht) override {
    *out = nvfp4::reference::amax(x, shape);
    *out_rht = nvfp4::reference::amax_rht_transposed(x, shape);
  }
  void quantize_both(const Bf16* x, Shape shape, const float* amax, const float* amax_rht,
                     Matrix out, Matrix out_rht, const nvfp4::RandomState* random) override {
    const nvfp4::reference::Options options = {.random = random};
    nvfp4::reference::quantize_1x16(x, shape, *amax, out, options);
    nvfp4::reference::quantize_transposed(x, shape, *amax_rht, Transform::rht, out_rht, options);
  }
  void next_random(nvfp4::RandomState* state) override { ++state->offset; }
  void quantize_16x16(const Bf16* x, Shape shape, const float* amax, Matrix out,
                      Matrix out_t) override {
    nvfp4::reference::quantize_16x16(x, shape, *amax, out, out_t);
  }
  void dequantize(Matrix in, Shape shape, Bf16* out) override {
    nvfp4::reference::dequantize(in, shape, out);
  }
  void gemm_alpha(const float* amax_a, const float* amax_b, float* alpha) override {
    *alpha = nvfp4::reference::gemm_alpha(*amax_a, *amax_b);
  }
  void fp8_cast_transpose(fp8::Format format, const Bf16* x, Shape shape, const float* amax,
                          fp8::TensorScale* scale, std::uint8_t* out,
                          std::uint8_t* out_t) override {
    *scale = fp8::reference::tensor_scale(format, *amax);
    fp8::reference::cast_transpose(format, x, shape, scale->scale, out, out_t, nullptr);
  }
  void fp8_decode(fp8::Format format, const std::uint8_t* codes, Shape shape, Bf16* out) override {
    fp8::reference::decode(format, codes, shape, out);
  }
  void fp8_gemm_alpha(const fp8::TensorScale* a, const fp8::TensorScale* b, float* alpha) override {
    *alpha = a->inverse * b->inverse;
  }

  std::function<void()> prepare_gemm(const GemmProblem& problem) override {
    if (problem.a.is_fp8() || problem.b.is_fp8()) {
      throw std::logic_error("the CPU multiplies FP8 operands only after fp8_decode()");
    }
    return [problem] { cpu_gemm(problem); };
  }

  void mark(std::size_t slot) override {
    if (slot >= marks_.size()) marks_.resize(slot + 1);
    marks_[slot] = Clock::now();
  }
  double elapsed_s(std::size_t from, std::size_t to) override {
    return std::chrono::duration<double>(marks_.at(to) - marks_.at(from)).count();
  }
  void synchronize() override {}

 private:
  std::vector<Clock::time_point> marks_;
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend() { return std::make_unique<CpuBackend>(); }

std::unique_ptr<Backend> make_backend(const DeviceInfo& device) {
  return device.target == Target::cuda ? make_cuda_backend(device) : make_cpu_backend();
}

}  // namespace mansard
