// SPDX-License-Identifier: Apache-2.0
// The CPU backend: conversions with the references, GEMMs with cpu_gemm().
#pragma once

#include <chrono>
#include <vector>

#include "kernels/recipes/cpu_conversions.h"

namespace mansard::kernels {

class CpuBackend : public CpuConversions {
 public:
  MemoryLevel traffic_level() const override { return MemoryLevel::dram; }
  void* cuda_stream() const override { return nullptr; }

  std::shared_ptr<void> allocate(std::int64_t bytes) override;
  double free_bytes() const override;
  std::string memory_name() const override { return "the host"; }
  void fill(Bf16* data, std::int64_t count, DataPattern pattern, std::uint64_t seed,
            int exponent) override;
  void read(void* host, const void* source, std::int64_t width_bytes, std::int64_t count,
            std::int64_t pitch_bytes) override;
  void write(void* target, const void* host, std::int64_t bytes) override;

  bool multiplies(Scaling scaling) const override { return scaling == Scaling::none; }
  // cpu_gemm() widens its operands and executes FP32 multiply-adds.
  Precision gemm_precision(const GemmProblem&) const override { return Precision::fp32; }
  std::int64_t gemm_workspace_bytes() const override { return 0; }
  std::function<void()> prepare_gemm(const GemmProblem& problem, void* workspace) override;

  void mark(std::size_t slot) override;
  double elapsed_s(std::size_t from_slot, std::size_t to_slot) override;
  void synchronize() override {}
  std::function<void()> record(const std::function<void()>& enqueue) override;

 private:
  std::vector<std::chrono::steady_clock::time_point> marks_;
};

}  // namespace mansard::kernels
