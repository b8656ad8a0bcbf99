// SPDX-License-Identifier: Apache-2.0
// The CUDA backend: conversions with Mansard's kernels, GEMMs with cuBLASLt. Include only in files
// that are compiled with MANSARD_HAVE_CUBLASLT == 1.
#pragma once

#include <vector>

#include "kernels/recipes/cublaslt_gemm.h"
#include "kernels/recipes/cuda_conversions.h"

namespace mansard::kernels {

class CudaBackend : public CudaConversions {
 public:
  explicit CudaBackend(const DeviceInfo& device);
  CudaBackend(const DeviceInfo& device, cudaStream_t stream);
  ~CudaBackend() override;

  MemoryLevel traffic_level() const override { return MemoryLevel::hbm; }
  void* cuda_stream() const override { return stream(); }

  std::shared_ptr<void> allocate(std::int64_t bytes) override;
  double free_bytes() const override;
  std::string memory_name() const override { return device_.name; }
  void fill(Bf16* data, std::int64_t count, DataPattern pattern, std::uint64_t seed,
            int exponent) override;
  void read(void* host, const void* source, std::int64_t width_bytes, std::int64_t count,
            std::int64_t pitch_bytes) override;
  void write(void* target, const void* host, std::int64_t bytes) override;
  std::shared_ptr<void> pin(void* host, std::int64_t bytes) override;

  bool multiplies(Scaling scaling) const override;
  Precision gemm_precision(const GemmProblem& problem) const override {
    return tensor_core_precision(problem);
  }
  std::int64_t gemm_workspace_bytes() const override { return CublasLtContext::kWorkspaceBytes; }
  void measure_gemms(bool on) override { cublaslt_.measure(on); }
  std::function<void()> prepare_gemm(const GemmProblem& problem, void* workspace) override {
    return cublaslt_.prepare(problem, workspace, stream());
  }

  void mark(std::size_t slot) override;
  double elapsed_s(std::size_t from_slot, std::size_t to_slot) override;
  void synchronize() override;
  std::function<void()> record(const std::function<void()>& enqueue) override;

 private:
  DeviceInfo device_;
  bool recording_ = false;
  CublasLtContext cublaslt_;
  std::vector<cudaEvent_t> events_;
};

}  // namespace mansard::kernels
