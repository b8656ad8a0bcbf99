// SPDX-License-Identifier: Apache-2.0
#if MANSARD_HAVE_CUBLASLT

#include "kernels/recipes/cublaslt_gemm.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "kernels/device/cuda_objects.h"
#include "kernels/recipes/cublaslt_matmul.h"

namespace mansard::kernels {
namespace {

cudaDataType_t data_type(Precision format) {
  switch (format) {
    case Precision::bf16:
      return CUDA_R_16BF;
    case Precision::fp8_e4m3:
      return CUDA_R_8F_E4M3;
    case Precision::fp8_e5m2:
      return CUDA_R_8F_E5M2;
    case Precision::nvfp4:
      return CUDA_R_4F_E2M1;
    default:
      throw std::logic_error("layers have no GEMM in " + std::string(info(format).label));
  }
}

#if CUBLAS_VERSION >= 120900
constexpr auto kVec128 = CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F;
constexpr auto kBlk128x128 = CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F;
#else
// Unreachable: cublaslt_has_block_scales_of_128() is false.
constexpr auto kVec128 = CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F;
constexpr auto kBlk128x128 = CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F;
#endif

MatmulScale scale_of(const GemmOperand& operand) {
  switch (operand.scaling) {
    case Scaling::block_1x128:
      return {kVec128, operand.scales};
    case Scaling::block_128x128:
      return {kBlk128x128, operand.scales};
    case Scaling::mx_1x32:
      return {CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0, operand.scales};
    case Scaling::nv_1x16:
      return {CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3, operand.scales};
    case Scaling::tensor:
    case Scaling::none:
      break;
  }
  return {CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F, operand.scales};
}

std::string describe(const GemmProblem& p) {
  return "a GEMM in " + std::string(info(tensor_core_precision(p)).label) + " of " +
         std::to_string(p.m) + "x" + std::to_string(p.n) + "x" + std::to_string(p.k);
}

// All that an algorithm depends on; addresses of layers are aligned alike.
std::string signature(const GemmProblem& p) {
  std::string text = describe(p);
  for (const GemmOperand* operand : {&p.a, &p.b}) {
    text += " " + std::string(info(operand->format).label) + "/" +
            std::to_string(static_cast<int>(operand->scaling)) + "/" +
            std::to_string(static_cast<int>(operand->reduction));
  }
  for (const bool flag :
       {p.output == GemmOutput::fp32, p.alpha != nullptr, p.fast_accumulation, p.accumulate}) {
    text += flag ? " 1" : " 0";
  }
  return text;
}

// Problems worth measuring: smaller ones take less than the 10 us or so that measurements of single
// launches can tell apart.
constexpr double kMeasuredFlop = 4e9;
constexpr int kMeasuredAlgorithms = 8;

// Seconds of one call of `run` among several, or infinity if cuBLASLt rejects the algorithm.
template <class Run>
double time_of(const Run& run, cudaStream_t stream) {
  constexpr int kCalls = 4;
  const CudaEvent start(cudaEventDefault), end(cudaEventDefault);
  if (run() != CUBLAS_STATUS_SUCCESS) return std::numeric_limits<double>::infinity();
  cuda_check(cudaEventRecord(start.get(), stream), "measure a GEMM");
  for (int i = 0; i < kCalls; ++i) cublaslt_check(run(), "measure a GEMM");
  cuda_check(cudaEventRecord(end.get(), stream), "measure a GEMM");
  cuda_check(cudaEventSynchronize(end.get()), "measure a GEMM");
  float time_ms = 0;
  cuda_check(cudaEventElapsedTime(&time_ms, start.get(), end.get()), "measure a GEMM");
  return 1e-3 * double{time_ms} / kCalls;
}

// The fastest algorithm, or the first if no other is faster by more than the noise. The rounds take
// turns, so that a change of the clock affects all of them.
template <class Run>
std::size_t fastest(std::size_t algorithms, const Run& run, cudaStream_t stream) {
  constexpr int kRounds = 3;
  constexpr double kNoise = 0.01;
  std::vector<double> times(algorithms, std::numeric_limits<double>::infinity());
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < algorithms; ++i) {
      times[i] = std::min(times[i], time_of([&] { return run(i); }, stream));
    }
  }
  const auto best = std::min_element(times.begin(), times.end());
  return *best < (1 - kNoise) * times.front() ? static_cast<std::size_t>(best - times.begin()) : 0;
}

}  // namespace

bool cublaslt_has_block_scales_of_128() {
  return CUBLAS_VERSION >= 120900 && cublaslt().version() >= 120900;
}

CublasLtContext::CublasLtContext()
    : handle_(std::make_unique<CublasLtHandle>()),
      constants_(std::vector<float>{0, 0, 0, 0, 1, 0, 0, 0}) {
  // The copy runs in the default stream, which the streams of the GEMMs do not wait for.
  cuda_check(cudaDeviceSynchronize(), "prepare cuBLASLt's constants");
}

CublasLtContext::~CublasLtContext() = default;

std::function<void()> CublasLtContext::prepare(const GemmProblem& p, void* workspace,
                                               cudaStream_t stream) {
  const cublasLtHandle_t handle = handle_->get();
  MatmulTypes types;
  types.a = data_type(p.a.format);
  types.b = data_type(p.b.format);
  types.result = p.output == GemmOutput::bf16 ? CUDA_R_16BF : CUDA_R_32F;
  const auto matmul = std::make_shared<CublasLtMatmul>(describe(p), types, p.m, p.n, p.k,
                                                       p.a.reduction, p.b.reduction);
  if (p.a.is_quantized()) {
    matmul->set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, std::int8_t{p.fast_accumulation});
    matmul->set_scales(scale_of(p.a), scale_of(p.b));
  }
  // NVFP4's factor is computed on the device, and the host must not wait for it. Without a factor,
  // cuBLASLt can tell on the host whether C is read.
  matmul->set(CUBLASLT_MATMUL_DESC_POINTER_MODE,
              p.alpha != nullptr ? CUBLASLT_POINTER_MODE_DEVICE : CUBLASLT_POINTER_MODE_HOST);
  const bool measures = measures_ && p.flop() >= kMeasuredFlop;
  const std::vector<cublasLtMatmulAlgo_t> algorithms = matmul->algorithms(
      handle, static_cast<std::size_t>(kWorkspaceBytes), measures ? kMeasuredAlgorithms : 1);
  cublaslt_check(algorithms.empty() ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_SUCCESS,
                 "find an algorithm for " + matmul->name());
  static constexpr float kOne = 1.0f;
  static constexpr float kZero = 0.0f;
  MatmulBuffers buffers;
  buffers.a = p.a.data;
  buffers.b = p.b.data;
  buffers.c = p.c;
  if (p.alpha != nullptr) {
    buffers.alpha = p.alpha;
    buffers.beta = p.accumulate ? one() : zero();
  } else {
    buffers.alpha = &kOne;
    buffers.beta = p.accumulate ? &kOne : &kZero;
  }
  buffers.workspace = workspace;
  buffers.workspace_bytes = static_cast<std::size_t>(kWorkspaceBytes);
  cublasLtMatmulAlgo_t algorithm = algorithms.front();
  if (measures) {
    const auto [known, is_new] = measured_.try_emplace(signature(p), algorithm);
    if (is_new) {
      known->second = algorithms[fastest(
          algorithms.size(),
          [&](std::size_t i) { return matmul->run(handle, algorithms[i], buffers, stream); },
          stream)];
    }
    algorithm = known->second;
  }
  return [=] {
    cublaslt_check(matmul->run(handle, algorithm, buffers, stream), "run " + matmul->name());
  };
}

}  // namespace mansard::kernels

#endif
