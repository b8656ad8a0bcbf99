// SPDX-License-Identifier: Apache-2.0
#if MANSARD_HAVE_CUBLASLT

#include "kernels/recipes/cublaslt_gemm.h"

#include "kernels/recipes/cublaslt.h"

namespace mansard {
namespace {

std::string describe(const GemmProblem& p) {
  return "a BF16 GEMM of " + std::to_string(p.m) + "x" + std::to_string(p.n) + "x" +
         std::to_string(p.k);
}

template <typename Value>
void set(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute, Value value) {
  cublaslt_check(cublaslt().desc_set(desc, attribute, &value, sizeof value),
                 "set an attribute of a GEMM");
}

// cuBLASLt is column-major. A row-major C (m x n) is its column-major C^T (n x m) = B * A^T, so B
// is its first operand. A row-major rows x k operand is column-major k x rows.
struct Layout {
  Layout(cudaDataType_t type, std::int64_t rows, std::int64_t cols) {
    cublaslt_check(cublaslt().layout_create(&handle, type, static_cast<std::uint64_t>(rows),
                                            static_cast<std::uint64_t>(cols), rows),
                   "describe a matrix");
  }
  ~Layout() { cublaslt().layout_destroy(handle); }
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;
  cublasLtMatrixLayout_t handle = nullptr;
};

std::unique_ptr<Layout> operand_layout(const GemmOperand& operand, std::int64_t rows,
                                       std::int64_t k) {
  return operand.reduction == ReductionAxis::inner ? std::make_unique<Layout>(CUDA_R_16BF, k, rows)
                                                   : std::make_unique<Layout>(CUDA_R_16BF, rows, k);
}

struct Plan {
  explicit Plan(const GemmProblem& p)
      : problem(p),
        a(operand_layout(p.b, p.n, p.k)),
        b(operand_layout(p.a, p.m, p.k)),
        c(p.output == GemmOutput::bf16 ? CUDA_R_16BF : CUDA_R_32F, p.n, p.m) {
    cublaslt_check(cublaslt().desc_create(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F),
                   "describe " + describe(p));
    const bool b_inner = p.b.reduction == ReductionAxis::inner;
    const bool a_inner = p.a.reduction == ReductionAxis::inner;
    set(desc, CUBLASLT_MATMUL_DESC_TRANSA, b_inner ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(desc, CUBLASLT_MATMUL_DESC_TRANSB, a_inner ? CUBLAS_OP_N : CUBLAS_OP_T);
    // The factor of NVFP4 is computed on the device and must not be waited for. Without a factor
    // cuBLASLt may know on the host that beta is 0.
    set(desc, CUBLASLT_MATMUL_DESC_POINTER_MODE,
        p.alpha != nullptr ? CUBLASLT_POINTER_MODE_DEVICE : CUBLASLT_POINTER_MODE_HOST);
  }
  ~Plan() {
    if (desc != nullptr) cublaslt().desc_destroy(desc);
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  GemmProblem problem;
  std::unique_ptr<Layout> a, b;
  Layout c;
  cublasLtMatmulDesc_t desc = nullptr;
  cublasLtMatmulAlgo_t algorithm{};
};

void choose_algorithm(Plan& plan, cublasLtHandle_t handle, std::size_t workspace_bytes) {
  const CublasLt& lt = cublaslt();
  cublasLtMatmulPreference_t preference = nullptr;
  cublaslt_check(lt.preference_create(&preference), "state a preference for GEMMs");
  const std::unique_ptr<void, cublasStatus_t (*)(void*)> owner(preference, [](void* p) {
    return cublaslt().preference_destroy(static_cast<cublasLtMatmulPreference_t>(p));
  });
  cublaslt_check(lt.preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                   &workspace_bytes, sizeof workspace_bytes),
                 "state a workspace for GEMMs");
  cublasLtMatmulHeuristicResult_t result{};
  int found = 0;
  const cublasStatus_t status =
      lt.heuristic(handle, plan.desc, plan.a->handle, plan.b->handle, plan.c.handle, plan.c.handle,
                   preference, 1, &result, &found);
  cublaslt_check(
      found == 0 && status == CUBLAS_STATUS_SUCCESS ? CUBLAS_STATUS_NOT_SUPPORTED : status,
      "find an algorithm for " + describe(plan.problem));
  plan.algorithm = result.algo;
}

}  // namespace

CublasLtContext::CublasLtContext() {
  zero_.fill_bytes(0);
  // The memset belongs to the default stream, which those of the GEMMs do not wait for.
  cuda_check(cudaDeviceSynchronize(), "prepare cuBLASLt's constants");
  cublaslt_check(cublaslt().create(reinterpret_cast<cublasLtHandle_t*>(&handle_)),
                 "start cuBLASLt");
}

CublasLtContext::~CublasLtContext() {
  if (handle_ != nullptr) cublaslt().destroy(static_cast<cublasLtHandle_t>(handle_));
}

std::function<void()> CublasLtContext::prepare(const GemmProblem& problem, cudaStream_t stream) {
  const auto handle = static_cast<cublasLtHandle_t>(handle_);
  const auto plan = std::make_shared<Plan>(problem);
  choose_algorithm(*plan, handle, kWorkspaceBytes);
  static constexpr float kOne = 1.0f;
  static constexpr float kZero = 0.0f;
  const float* alpha = problem.alpha != nullptr ? problem.alpha : &kOne;
  const float* beta = problem.alpha != nullptr ? zero_.get() : &kZero;
  void* workspace = workspace_.get();
  return [=] {
    const GemmProblem& p = plan->problem;
    cublaslt_check(
        cublaslt().matmul(handle, plan->desc, alpha, p.b.data, plan->a->handle, p.a.data,
                          plan->b->handle, beta, p.c, plan->c.handle, p.c, plan->c.handle,
                          &plan->algorithm, workspace, kWorkspaceBytes, stream),
        "run " + describe(p));
  };
}

}  // namespace mansard

#endif
