// SPDX-License-Identifier: Apache-2.0
// The CPU as a stand-in for a device that multiplies quantized operands, so that the requests of
// recipes to such a device are tested without one.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/recipes/cpu_backend.h"
#include "tests/kernels/recipes/gemm_operand_values.h"

namespace mansard::kernels {

class MultiplyingBackend : public CpuBackend {
 public:
  // The faulty variant omits the products of one instruction, the last 32 along the reduction axis.
  explicit MultiplyingBackend(std::vector<Scaling> scalings, bool faulty = false)
      : scalings_(std::move(scalings)), faulty_(faulty) {}

  bool multiplies(Scaling scaling) const override {
    return CpuBackend::multiplies(scaling) ||
           std::find(scalings_.begin(), scalings_.end(), scaling) != scalings_.end();
  }
  Precision gemm_precision(const GemmProblem& problem) const override {
    return tensor_core_precision(problem);
  }

  std::function<void()> prepare_gemm(const GemmProblem& p, void* workspace) override {
    if (!p.a.is_quantized()) return CpuBackend::prepare_gemm(p, workspace);
    return [this, p] {
      const std::vector<double> a = operand_values(p.a, p.m, p.k, *this);
      const std::vector<double> b = operand_values(p.b, p.n, p.k, *this);
      const double factor = double{read_gemm_factor(p, *this)};
      const std::int64_t used = faulty_ ? p.k - 32 : p.k;
      for (std::int64_t i = 0; i < p.m * p.n; ++i) {
        const double* row = a.data() + i / p.n * p.k;
        const double* col = b.data() + i % p.n * p.k;
        double sum = 0;
        for (std::int64_t k = 0; k < used; ++k) sum += row[k] * col[k];
        store(p, i, static_cast<float>(factor * sum));
      }
    };
  }

 private:
  static void store(const GemmProblem& p, std::int64_t i, float product) {
    if (p.output == GemmOutput::fp32) {
      float& c = static_cast<float*>(p.c)[i];
      c = p.accumulate ? c + product : product;
    } else {
      static_cast<Bf16*>(p.c)[i] = bf16::from_float(product);
    }
  }

  std::vector<Scaling> scalings_;
  bool faulty_;
};

}  // namespace mansard::kernels
