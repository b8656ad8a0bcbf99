// SPDX-License-Identifier: Apache-2.0
#if MANSARD_HAVE_CUBLASLT

#include "kernels/ceilings/library/frame/cublaslt_ceiling.h"

#include <cstdio>

#include "kernels/ceilings/library/frame/algorithm_text.h"
#include "kernels/ceilings/library/frame/gemm_tuning.h"
#include "kernels/ceilings/mma/tensor_ceiling.h"

namespace mansard::kernels::library {
namespace {

SweepPlan plan(const LibraryGemm& gemm, const DeviceInfo& device, const PrepareOptions& options) {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  cuda_check(cudaMemGetInfo(&free_bytes, &total_bytes), "query the free device memory");
  return plan_sweep(gemm, device.units, options.shape, static_cast<std::int64_t>(free_bytes));
}

// "4096x4096x4096 799.1e12; 8192x8192x8192 806.0e12": the rate of each shape's winner in FLOP/s or
// op/s.
std::string sweep_text(const std::vector<Contender>& winners) {
  std::string result;
  for (const Contender& winner : winners) {
    char rate[32];
    std::snprintf(rate, sizeof rate, " %.1fe12", 1e-12 * winner.rate());
    result += (result.empty() ? "" : "; ") + to_string(winner.shape) + rate;
  }
  return result;
}

class CublasLtCeiling : public PreparedKernel {
 public:
  CublasLtCeiling(const LibraryGemm& gemm, const SweepPlan& plan, const PrepareOptions& options)
      : pattern_(options.pattern), seed_(options.seed), runner_(gemm, plan.buffers) {
    fill();
    tuning_ = tune(runner_, plan);
  }

  Work work() const override {
    Work w;
    w.flop = tuning_.best.shape.flop();
    return w;
  }

  void launch(void* stream) override {
    cublaslt_check(runner_.run(tuning_.best, static_cast<cudaStream_t>(stream)),
                   "run " + tuning_.best.matmul->name());
  }

  std::string verify() override {
    const std::string difference = runner_.check(tuning_.best);
    fill();
    return difference;
  }

  PrepareOptions chosen(const PrepareOptions& asked) const override {
    PrepareOptions again = asked;
    const GemmShape& shape = tuning_.best.shape;
    again.shape = {shape.m, shape.n, shape.k, tuning_.best.number};
    return again;
  }

  std::map<std::string, std::string> parameters() const override {
    std::map<std::string, std::string> p = algorithm_parameters(tuning_.best.algorithm);
    p["library"] = "cuBLASLt " + cublaslt_version_text(cublaslt().version());
    p["shape"] = to_string(tuning_.best.shape);
    p["layout"] = tuning_.best.layout.name;
    p["workspace_bytes"] = std::to_string(kWorkspaceBytes);
    p["candidates"] = std::to_string(tuning_.candidates);
    p["sweep"] = sweep_text(tuning_.winners);
    p["sweep_shapes_left_out"] = std::to_string(tuning_.shapes_left_out);
    char time_s[32];
    std::snprintf(time_s, sizeof time_s, "%.2f", tuning_.time_s);
    p["sweep_s"] = time_s;
    return p;
  }

 private:
  void fill() { runner_.fill(runner_.gemm().operand, pattern_, seed_); }

  DataPattern pattern_;
  std::uint64_t seed_;
  GemmRunner runner_;
  Tuning tuning_;
};

std::string unsupported(const LibraryGemm& gemm, const DeviceInfo& device) {
  const std::string reason = needs_at_least(gemm.min_compute_capability)(device);
  return reason.empty() ? cublaslt_unavailable_reason() : reason;
}

}  // namespace

KernelSpec cublaslt_spec(const LibraryGemm& gemm) {
  KernelSpec spec;
  spec.name = gemm.name;
  spec.summary = gemm.summary;
  spec.role = KernelRole::compute_ceiling;
  spec.precision = gemm.precision;
  spec.unit = gemm.unit;
  spec.roof = false;
  spec.uses_data_pattern = true;
  spec.sustained = [](const DeviceInfo&) { return true; };
  spec.unsupported = [gemm](const DeviceInfo& device) { return unsupported(gemm, device); };
  spec.peak_per_clock = [peaks = gemm.peak_per_clock](const DeviceInfo& device) {
    const auto peak = peaks.find(device.compute_capability);
    return peak == peaks.end() ? 0.0 : peak->second;
  };
  spec.prepare = [gemm](const DeviceInfo& device, const PrepareOptions& options) {
    return std::make_unique<CublasLtCeiling>(gemm, plan(gemm, device, options), options);
  };
  return spec;
}

}  // namespace mansard::kernels::library

#endif
