// SPDX-License-Identifier: Apache-2.0
#if MANSARD_HAVE_CUBLASLT

#include "kernels/ceilings/library/frame/gemm_runner.h"

#include <random>
#include <stdexcept>

#include "kernels/recipes/fill_random.h"
#include "kernels/vocabulary/precision.h"

namespace mansard::kernels::library {
namespace {

constexpr GemmLayout kTn = {"TN", ReductionAxis::inner, ReductionAxis::inner};
constexpr GemmLayout kNn = {"NN", ReductionAxis::inner, ReductionAxis::outer};

// Seeds derived from the single seed of a fill.
enum SeedOf : std::uint64_t { kSeedA, kSeedB, kSeedScalesA, kSeedScalesB, kSeeds };
std::uint64_t derive(std::uint64_t seed, SeedOf what) { return kSeeds * seed + what; }

cudaDataType_t data_type(ElementFormat format) {
  switch (format) {
    case ElementFormat::fp64:
      return CUDA_R_64F;
    case ElementFormat::fp32:
    case ElementFormat::tf32:
      return CUDA_R_32F;
    case ElementFormat::fp16:
      return CUDA_R_16F;
    case ElementFormat::bf16:
      return CUDA_R_16BF;
    case ElementFormat::fp8_e4m3:
      return CUDA_R_8F_E4M3;
    case ElementFormat::int8:
      return CUDA_R_8I;
    case ElementFormat::int32:
      return CUDA_R_32I;
    case ElementFormat::fp4_e2m1:
      return CUDA_R_4F_E2M1;
    case ElementFormat::scale_e8m0:
    case ElementFormat::scale_e4m3:
      break;
  }
  throw std::logic_error("block scales cannot be an operand of a GEMM");
}

MatmulTypes types_of(const LibraryGemm& gemm) {
  const cudaDataType_t operand = data_type(gemm.operand);
  MatmulTypes types{operand, operand, data_type(gemm.result), CUBLAS_COMPUTE_32F, CUDA_R_32F};
  if (gemm.operand == ElementFormat::fp64) {
    types.compute = CUBLAS_COMPUTE_64F;
    types.scalar = CUDA_R_64F;
  } else if (gemm.operand == ElementFormat::int8) {
    types.compute = CUBLAS_COMPUTE_32I;
    types.scalar = CUDA_R_32I;
  } else if (gemm.precision == Precision::tf32) {
    types.compute = CUBLAS_COMPUTE_32F_FAST_TF32;
  }
  return types;
}

template <typename Scalar>
void set_scalars(MatmulBuffers& buffers) {
  static constexpr Scalar kOne = 1;
  static constexpr Scalar kZero = 0;
  buffers.alpha = &kOne;
  buffers.beta = &kZero;
}

std::size_t size(std::int64_t bytes) { return static_cast<std::size_t>(bytes); }

DeviceBuffer<unsigned char> optional_buffer(std::int64_t bytes) {
  return bytes > 0 ? DeviceBuffer<unsigned char>(size(bytes)) : DeviceBuffer<unsigned char>();
}

}  // namespace

GemmRunner::GemmRunner(const LibraryGemm& gemm, const GemmBytes& bytes)
    : gemm_(gemm),
      a_(size(bytes.a)),
      b_(size(bytes.b)),
      c_(size(bytes.c)),
      scales_a_(optional_buffer(bytes.scales_a)),
      scales_b_(optional_buffer(bytes.scales_b)),
      workspace_(size(kWorkspaceBytes)),
      one_(std::vector<float>{1.0f}) {}

std::shared_ptr<const CublasLtMatmul> GemmRunner::describe(const GemmShape& shape,
                                                           const GemmLayout& layout) const {
  const std::string name = "a GEMM of " + std::string(info(gemm_.precision).label) + " of " +
                           to_string(shape) + " (" + layout.name + ")";
  const auto matmul = std::make_shared<CublasLtMatmul>(name, types_of(gemm_), shape.m, shape.n,
                                                       shape.k, layout.a, layout.b);
  if (gemm_.fast_accumulation) matmul->set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, std::int8_t{1});
  if (gemm_.tensor_scale) {
    const MatmulScale one = {CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F, one_.get()};
    matmul->set_scales(one, one);
  }
  if (gemm_.scale_block > 0) {
    const auto mode = gemm_.scale == ElementFormat::scale_e8m0
                          ? CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0
                          : CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3;
    matmul->set_scales({mode, scales_a_.get()}, {mode, scales_b_.get()});
  }
  return matmul;
}

std::vector<Contender> GemmRunner::contenders(const GemmShape& shape) const {
  std::vector<GemmLayout> layouts = {kTn};
  if (gemm_.both_layouts) layouts.push_back(kNn);
  std::vector<Contender> all;
  for (const GemmLayout& layout : layouts) {
    const auto matmul = describe(shape, layout);
    for (const cublasLtMatmulAlgo_t& algorithm :
         matmul->algorithms(handle_.get(), workspace_.bytes(), kAlgorithms)) {
      all.push_back({shape, layout, matmul, algorithm, static_cast<int>(all.size()), 0});
    }
  }
  return all;
}

cublasStatus_t GemmRunner::run(const Contender& contender, cudaStream_t stream) const {
  MatmulBuffers buffers;
  buffers.a = a_.get();
  buffers.b = b_.get();
  buffers.c = c_.get();
  buffers.workspace = workspace_.get();
  buffers.workspace_bytes = workspace_.bytes();
  if (gemm_.operand == ElementFormat::fp64) {
    set_scalars<double>(buffers);
  } else if (gemm_.operand == ElementFormat::int8) {
    set_scalars<std::int32_t>(buffers);
  } else {
    set_scalars<float>(buffers);
  }
  return contender.matmul->run(handle_.get(), contender.algorithm, buffers, stream);
}

void GemmRunner::fill(ElementFormat operand, DataPattern pattern, std::uint64_t seed) {
  const auto fill_buffer = [&](const DeviceBuffer<unsigned char>& buffer, ElementFormat format,
                               SeedOf what) {
    const auto count = static_cast<std::int64_t>(buffer.bytes()) * 8 / bits_per_element(format);
    if (count == 0) return;
    fill_random_on_device(format, buffer.get(), count, pattern, derive(seed, what), nullptr);
  };
  fill_buffer(a_, operand, kSeedA);
  fill_buffer(b_, operand, kSeedB);
  fill_buffer(scales_a_, gemm_.scale, kSeedScalesA);
  fill_buffer(scales_b_, gemm_.scale, kSeedScalesB);
  cuda_check(cudaDeviceSynchronize(), "fill the operands of " + gemm_.name);
}

std::pair<RandomOperand, RandomOperand> GemmRunner::operands(const Contender& contender,
                                                             std::uint64_t seed) const {
  RandomOperand a;
  a.format = gemm_.checked();
  a.reduction = contender.layout.a;
  a.rows = contender.shape.m;
  a.k = contender.shape.k;
  a.seed = derive(seed, kSeedA);
  a.scale_block = gemm_.scale_block;
  a.scale = gemm_.scale;
  a.scale_seed = derive(seed, kSeedScalesA);
  RandomOperand b = a;
  b.reduction = contender.layout.b;
  b.rows = contender.shape.n;
  b.seed = derive(seed, kSeedB);
  b.scale_seed = derive(seed, kSeedScalesB);
  return {a, b};
}

std::string GemmRunner::check(const Contender& contender) {
  const std::uint64_t seed = std::random_device{}();
  const auto [a, b] = operands(contender, seed);
  fill(gemm_.checked(), a.pattern, seed);
  c_.fill_bytes(0xff);
  cublaslt_check(run(contender, nullptr), "run " + contender.matmul->name());
  cuda_check(cudaDeviceSynchronize(), "run " + contender.matmul->name());
  GemmCheck check(gemm_, a, b, seed + 1);
  const std::size_t row_bytes = size(contender.shape.n * bits_per_element(gemm_.result) / 8);
  std::vector<unsigned char> row(row_bytes);
  for (const std::int64_t index : check.rows()) {
    cuda_check(cudaMemcpy(row.data(), c_.get() + size(index) * row_bytes, row_bytes,
                          cudaMemcpyDeviceToHost),
               "read the result of " + contender.matmul->name());
    check.add_row(index, row);
  }
  return check.judge();
}

}  // namespace mansard::kernels::library

#endif
