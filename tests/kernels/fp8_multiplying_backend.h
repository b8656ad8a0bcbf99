// SPDX-License-Identifier: Apache-2.0
// The CPU in the part of a device that multiplies FP8 operands, so that what the FP8 recipe asks of
// such a device is tested without one.
#pragma once

#include <vector>

#include "kernels/recipes/backend.h"
#include "tests/kernels/gemm_operand_values.h"

namespace mansard {

class Fp8MultiplyingBackend : public Backend {
 public:
  // A faulty one leaves out the products of one instruction, the last 32 of the reduction axis.
  explicit Fp8MultiplyingBackend(bool faulty = false) : faulty_(faulty) {}

  bool multiplies_fp8() const override { return true; }
  Precision gemm_precision(const GemmProblem& problem) const override {
    return problem.a.is_fp8() ? Precision::fp8_e4m3 : cpu_->gemm_precision(problem);
  }

  std::function<void()> prepare_gemm(const GemmProblem& p) override {
    if (!p.a.is_fp8()) return cpu_->prepare_gemm(p);
    return [this, p] {
      const std::vector<float> a = operand_values(p.a, p.m * p.k, *cpu_);
      const std::vector<float> b = operand_values(p.b, p.n * p.k, *cpu_);
      const std::int64_t used = faulty_ ? p.k - 32 : p.k;
      for (std::int64_t i = 0; i < p.m * p.n; ++i) {
        const float* row = a.data() + i / p.n * p.k;
        const float* col = b.data() + i % p.n * p.k;
        float sum = 0;
        for (std::int64_t k = 0; k < used; ++k) sum += row[k] * col[k];
        sum *= *p.a.scale * *p.b.scale;
        if (p.output == GemmOutput::fp32) {
          static_cast<float*>(p.c)[i] = sum;
        } else {
          static_cast<Bf16*>(p.c)[i] = bf16::from_float(sum);
        }
      }
    };
  }

  MemoryLevel traffic_level() const override { return cpu_->traffic_level(); }
  Buffer allocate(std::int64_t bytes) override { return cpu_->allocate(bytes); }
  void fill(Bf16* data, std::int64_t count, DataPattern pattern, std::uint64_t seed,
            int exponent) override {
    cpu_->fill(data, count, pattern, seed, exponent);
  }
  void read(void* host, const void* source, std::int64_t width_bytes, std::int64_t count,
            std::int64_t pitch_bytes) override {
    cpu_->read(host, source, width_bytes, count, pitch_bytes);
  }
  void write(void* target, const void* host, std::int64_t bytes) override {
    cpu_->write(target, host, bytes);
  }
  void amax(const Bf16* x, nvfp4::Shape shape, float* out) override { cpu_->amax(x, shape, out); }
  void amax_rht(const Bf16* x, nvfp4::Shape shape, float* out, float* out_rht) override {
    cpu_->amax_rht(x, shape, out, out_rht);
  }
  void quantize_both(const Bf16* x, nvfp4::Shape shape, const float* amax, const float* amax_rht,
                     nvfp4::Matrix out, nvfp4::Matrix out_rht,
                     const nvfp4::RandomState* random) override {
    cpu_->quantize_both(x, shape, amax, amax_rht, out, out_rht, random);
  }
  void next_random(nvfp4::RandomState* state) override { cpu_->next_random(state); }
  void quantize_16x16(const Bf16* x, nvfp4::Shape shape, const float* amax, nvfp4::Matrix out,
                      nvfp4::Matrix out_t) override {
    cpu_->quantize_16x16(x, shape, amax, out, out_t);
  }
  void dequantize(nvfp4::Matrix in, nvfp4::Shape shape, Bf16* out) override {
    cpu_->dequantize(in, shape, out);
  }
  void gemm_alpha(const float* amax_a, const float* amax_b, float* alpha) override {
    cpu_->gemm_alpha(amax_a, amax_b, alpha);
  }
  void fp8_cast_transpose(fp8::Format format, const Bf16* x, fp8::Shape shape, const float* amax,
                          fp8::TensorScale* scale, std::uint8_t* out,
                          std::uint8_t* out_t) override {
    cpu_->fp8_cast_transpose(format, x, shape, amax, scale, out, out_t);
  }
  void fp8_decode(fp8::Format format, const std::uint8_t* codes, fp8::Shape shape,
                  Bf16* out) override {
    cpu_->fp8_decode(format, codes, shape, out);
  }
  void fp8_gemm_alpha(const fp8::TensorScale* a, const fp8::TensorScale* b, float* alpha) override {
    cpu_->fp8_gemm_alpha(a, b, alpha);
  }
  void mark(std::size_t slot) override { cpu_->mark(slot); }
  double elapsed_s(std::size_t from, std::size_t to) override { return cpu_->elapsed_s(from, to); }
  void synchronize() override { cpu_->synchronize(); }

 private:
  std::unique_ptr<Backend> cpu_ = make_cpu_backend();
  bool faulty_;
};

}  // namespace mansard
