// SPDX-License-Identifier: Apache-2.0
// The GEMMs of cuBLAS and cuBLASLt: each entry point opens a range with the GEMM's work around the
// library's own function. D = op(A) op(B) + beta C in column-major order: op(A) is m x k, op(B) is
// k x n, and D is m x n. Complex GEMMs and triangular products are not interposed.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>

#include <cublasLt.h>
#include <cublas_v2.h>

#include "collector/interposers/library_call.h"
#include "collector/interposers/original.h"
#include "kernels/annotation/gemm_work.h"

namespace mansard::collector {
namespace {

using kernels::Gemm;

constexpr const char* kCublas = "libcublas.so";
constexpr const char* kCublasLt = "libcublasLt.so";

struct Element {
  double bytes;
  std::optional<Precision> precision;
};

// FP32 has no precision here: it may be multiplied as TF32, which the kernel's name tells.
std::optional<Element> element(cudaDataType type) {
  switch (type) {
    case CUDA_R_16F:
      return Element{2, Precision::fp16};
    case CUDA_R_16BF:
      return Element{2, Precision::bf16};
    case CUDA_R_32F:
      return Element{4, std::nullopt};
    case CUDA_R_64F:
      return Element{8, Precision::fp64};
    case CUDA_R_8I:
      return Element{1, Precision::int8};
    case CUDA_R_32I:
      return Element{4, std::nullopt};
    case CUDA_R_8F_E4M3:
      return Element{1, Precision::fp8_e4m3};
    case CUDA_R_8F_E5M2:
      return Element{1, Precision::fp8_e5m2};
#if CUBLAS_VERSION >= 120800
    case CUDA_R_4F_E2M1:
      return Element{0.5, std::nullopt};  // the scale mode tells which
#endif
    default:
      return std::nullopt;
  }
}

template <class T>
constexpr cudaDataType kTypeOf = std::is_same_v<T, float>    ? CUDA_R_32F
                                 : std::is_same_v<T, double> ? CUDA_R_64F
                                                             : CUDA_R_16F;

std::optional<Gemm> gemm_of(cudaDataType a, cudaDataType b, cudaDataType d, std::int64_t m,
                            std::int64_t n, std::int64_t k, std::int64_t batch) {
  const std::optional<Element> of_a = element(a);
  const std::optional<Element> of_b = element(b);
  const std::optional<Element> of_d = element(d);
  if (!of_a || !of_b || !of_d) return std::nullopt;
  Gemm gemm;
  gemm.m = m;
  gemm.n = n;
  gemm.k = k;
  gemm.batch = batch;
  gemm.a_bytes = of_a->bytes;
  gemm.b_bytes = of_b->bytes;
  gemm.d_bytes = of_d->bytes;
  gemm.precision = of_a->precision;
  return gemm;
}

std::optional<Gemm> with_compute_type(std::optional<Gemm> gemm, cublasComputeType_t type) {
  if (!gemm) return gemm;
  if (type == CUBLAS_COMPUTE_32F_FAST_TF32) gemm->precision = Precision::tf32;
  if (type == CUBLAS_COMPUTE_32F_FAST_16BF) gemm->precision = Precision::bf16;
  if (type == CUBLAS_COMPUTE_32F_FAST_16F) gemm->precision = Precision::fp16;
  if (type == CUBLAS_COMPUTE_32F_PEDANTIC) {
    if (!gemm->precision) gemm->precision = Precision::fp32;
  }
  return gemm;
}

bool is_zero(const void* scalar, std::size_t bytes) {
  static constexpr unsigned char kZeros[8] = {};
  return std::memcmp(scalar, kZeros, bytes) == 0;
}

// Whether C is read. A scalar in device memory is unknown here: then the lower bound holds.
bool reads_c(cublasHandle_t handle, const void* beta, std::size_t scalar_bytes) {
  static const auto mode_of =
      reinterpret_cast<cublasStatus_t (*)(cublasHandle_t, cublasPointerMode_t*)>(
          find_in_library(kCublas, "cublasGetPointerMode_v2"));
  cublasPointerMode_t mode = CUBLAS_POINTER_MODE_DEVICE;
  if (mode_of == nullptr || beta == nullptr) return false;
  if (mode_of(handle, &mode) != CUBLAS_STATUS_SUCCESS) return false;
  return mode == CUBLAS_POINTER_MODE_HOST && !is_zero(beta, scalar_bytes);
}

std::optional<Gemm> with_c(std::optional<Gemm> gemm, bool is_read) {
  if (gemm && is_read) gemm->c_bytes = gemm->d_bytes;
  return gemm;
}

std::size_t scalar_bytes(cublasComputeType_t type) {
  switch (type) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
      return 2;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
      return 8;
    default:
      return 4;
  }
}

template <class T>
std::optional<Gemm> typed_gemm(cublasHandle_t handle, std::int64_t m, std::int64_t n,
                               std::int64_t k, const T* beta, std::int64_t batch) {
  constexpr cudaDataType kType = kTypeOf<T>;
  return with_c(gemm_of(kType, kType, kType, m, n, k, batch), reads_c(handle, beta, sizeof(T)));
}

std::optional<Gemm> gemm_ex(cublasHandle_t handle, std::optional<Gemm> gemm, const void* beta,
                            cublasComputeType_t compute) {
  return with_c(with_compute_type(gemm, compute), reads_c(handle, beta, scalar_bytes(compute)));
}

// Calls the library's function in a range with the work of `model()`.
template <class Model, class... Arguments>
cublasStatus_t call(EntryPoint& entry, const char* name, const Model& model,
                    Arguments... arguments) {
  auto* original = entry.original<cublasStatus_t(Arguments...)>();
  if (original == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  const LibraryCall range([&] {
    const std::optional<Gemm> gemm = model();
    const auto work = gemm ? kernels::gemm_work(name, *gemm) : std::nullopt;
    return work ? to_text(*work) : std::string();
  });
  return original(arguments...);
}

// ---- Descriptors of cuBLASLt -------------------------------------------------------------------

// The value of an attribute, or `otherwise` if `get` fails. Types and sizes: cublasLt.h.
template <class Value, class Get, class Descriptor, class Attribute>
Value read(Get* get, Descriptor descriptor, Attribute attribute, Value otherwise) {
  Value value{};
  std::size_t written = 0;
  const bool done = get != nullptr && get(descriptor, attribute, &value, sizeof value, &written) ==
                                          CUBLAS_STATUS_SUCCESS;
  return done ? value : otherwise;
}

struct Layout {
  cudaDataType type;
  std::int64_t rows;
  std::int64_t columns;
  std::int32_t batch;
};

Layout layout_of(cublasLtMatrixLayout_t descriptor) {
  static auto* const get = reinterpret_cast<decltype(cublasLtMatrixLayoutGetAttribute)*>(
      find_in_library(kCublasLt, "cublasLtMatrixLayoutGetAttribute"));
  const auto size = [&](cublasLtMatrixLayoutAttribute_t attribute) {
    return static_cast<std::int64_t>(read(get, descriptor, attribute, std::uint64_t{0}));
  };
  return {static_cast<cudaDataType>(
              read(get, descriptor, CUBLASLT_MATRIX_LAYOUT_TYPE, ~std::uint32_t{0})),
          size(CUBLASLT_MATRIX_LAYOUT_ROWS), size(CUBLASLT_MATRIX_LAYOUT_COLS),
          read(get, descriptor, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, std::int32_t{1})};
}

std::optional<Gemm> matmul_of(cublasLtMatmulDesc_t descriptor, cublasLtMatrixLayout_t a,
                              cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t d,
                              const void* beta) {
  static auto* const get = reinterpret_cast<decltype(cublasLtMatmulDescGetAttribute)*>(
      find_in_library(kCublasLt, "cublasLtMatmulDescGetAttribute"));
  const auto number = [&](cublasLtMatmulDescAttributes_t attribute, std::int32_t otherwise) {
    return read(get, descriptor, attribute, otherwise);
  };
  const Layout of_a = layout_of(a);
  const Layout of_b = layout_of(b);
  const Layout of_d = layout_of(d);
  const bool transposed = number(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_N) != CUBLAS_OP_N;
  const auto type = static_cast<cublasComputeType_t>(
      number(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, CUBLAS_COMPUTE_32F));
  std::optional<Gemm> gemm =
      gemm_of(of_a.type, of_b.type, of_d.type, of_d.rows, of_d.columns,
              transposed ? of_a.rows : of_a.columns, std::max(of_d.batch, 1));
  if (!gemm) return std::nullopt;
  gemm = with_compute_type(gemm, type);
#if CUBLAS_VERSION >= 120800
  // Block scales: 16 values share a scale in NVFP4, 32 in the MX formats.
  const auto scale = number(CUBLASLT_MATMUL_DESC_A_SCALE_MODE, -1);
  const bool is_fp4 = of_a.type == CUDA_R_4F_E2M1;
  if (is_fp4 && scale == CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3) {
    gemm->precision = Precision::nvfp4;
  } else if (scale == CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0) {
    gemm->precision = is_fp4 ? Precision::mxfp4 : Precision::mxfp8;
  }
  if (gemm->precision && info(*gemm->precision).scale_block > 0) {
    gemm->a_bytes = gemm->b_bytes = bytes_per_element(*gemm->precision);
  }
#endif
  const bool on_host = number(CUBLASLT_MATMUL_DESC_POINTER_MODE, -1) == CUBLASLT_POINTER_MODE_HOST;
  return with_c(gemm, on_host && beta != nullptr && !is_zero(beta, scalar_bytes(type)));
}

}  // namespace
}  // namespace mansard::collector

// ---- Entry points ------------------------------------------------------------------------------

// Defines NAME. PARAMETERS and ARGUMENTS are in parentheses; MODEL is the std::optional<Gemm> of
// the call. The cast selects one of the functions that cublas_v2.h overloads in C++.
#define MANSARD_ENTRY(LIBRARY, NAME, PARAMETERS, ARGUMENTS, MODEL)     \
  namespace mansard::collector {                                       \
  extern EntryPoint entry_##NAME;                                      \
  }                                                                    \
  MANSARD_EXPORT cublasStatus_t NAME PARAMETERS {                      \
    using namespace mansard::collector;                                \
    const auto model = [&] { return MODEL; };                          \
    return call(entry_##NAME, #NAME, model, MANSARD_UNPACK ARGUMENTS); \
  }                                                                    \
  mansard::collector::EntryPoint mansard::collector::entry_##NAME(     \
      LIBRARY, #NAME, reinterpret_cast<void*>(static_cast<cublasStatus_t(*) PARAMETERS>(&NAME)));

// T is the elements' type, INT the type of the sizes.
#define MANSARD_GEMM(NAME, T, INT)                                                                 \
  MANSARD_ENTRY(                                                                                   \
      kCublas, NAME,                                                                               \
      (cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, INT m, INT n, INT k, \
       const T* alpha, const T* a, INT lda, const T* b, INT ldb, const T* beta, T* c, INT ldc),    \
      (handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc),                          \
      typed_gemm<T>(handle, m, n, k, beta, 1))

#define MANSARD_STRIDED_GEMM(NAME, T, INT)                                                         \
  MANSARD_ENTRY(                                                                                   \
      kCublas, NAME,                                                                               \
      (cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, INT m, INT n, INT k, \
       const T* alpha, const T* a, INT lda, long long stride_a, const T* b, INT ldb,               \
       long long stride_b, const T* beta, T* c, INT ldc, long long stride_c, INT batch),           \
      (handle, op_a, op_b, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc,       \
       stride_c, batch),                                                                           \
      typed_gemm<T>(handle, m, n, k, beta, batch))

#define MANSARD_BATCHED_GEMM(NAME, T, INT)                                                     \
  MANSARD_ENTRY(kCublas, NAME,                                                                 \
                (cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, INT m, \
                 INT n, INT k, const T* alpha, const T* const* a, INT lda, const T* const* b,  \
                 INT ldb, const T* beta, T* const* c, INT ldc, INT batch),                     \
                (handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, batch),     \
                typed_gemm<T>(handle, m, n, k, beta, batch))

#define MANSARD_TYPED_GEMMS(DEFINE, SUFFIX, VERSION)          \
  DEFINE(cublasS##SUFFIX##VERSION, float, int)                \
  DEFINE(cublasD##SUFFIX##VERSION, double, int)               \
  DEFINE(cublasH##SUFFIX, __half, int)                        \
  DEFINE(cublasS##SUFFIX##VERSION##_64, float, std::int64_t)  \
  DEFINE(cublasD##SUFFIX##VERSION##_64, double, std::int64_t) \
  DEFINE(cublasH##SUFFIX##_64, __half, std::int64_t)

MANSARD_TYPED_GEMMS(MANSARD_GEMM, gemm, _v2)
MANSARD_TYPED_GEMMS(MANSARD_STRIDED_GEMM, gemmStridedBatched, )
MANSARD_TYPED_GEMMS(MANSARD_BATCHED_GEMM, gemmBatched, )

// The types are arguments of these.
#define MANSARD_GEMM_EX(NAME, INT)                                                                 \
  MANSARD_ENTRY(                                                                                   \
      kCublas, NAME,                                                                               \
      (cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, INT m, INT n, INT k, \
       const void* alpha, const void* a, cudaDataType type_a, INT lda, const void* b,              \
       cudaDataType type_b, INT ldb, const void* beta, void* c, cudaDataType type_c, INT ldc,      \
       cublasComputeType_t compute, cublasGemmAlgo_t algorithm),                                   \
      (handle, op_a, op_b, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc,   \
       compute, algorithm),                                                                        \
      gemm_ex(handle, gemm_of(type_a, type_b, type_c, m, n, k, 1), beta, compute))
MANSARD_GEMM_EX(cublasGemmEx, int)
MANSARD_GEMM_EX(cublasGemmEx_64, std::int64_t)

#define MANSARD_STRIDED_GEMM_EX(NAME, INT)                                                         \
  MANSARD_ENTRY(                                                                                   \
      kCublas, NAME,                                                                               \
      (cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, INT m, INT n, INT k, \
       const void* alpha, const void* a, cudaDataType type_a, INT lda, long long stride_a,         \
       const void* b, cudaDataType type_b, INT ldb, long long stride_b, const void* beta, void* c, \
       cudaDataType type_c, INT ldc, long long stride_c, INT batch, cublasComputeType_t compute,   \
       cublasGemmAlgo_t algorithm),                                                                \
      (handle, op_a, op_b, m, n, k, alpha, a, type_a, lda, stride_a, b, type_b, ldb, stride_b,     \
       beta, c, type_c, ldc, stride_c, batch, compute, algorithm),                                 \
      gemm_ex(handle, gemm_of(type_a, type_b, type_c, m, n, k, batch), beta, compute))
MANSARD_STRIDED_GEMM_EX(cublasGemmStridedBatchedEx, int)
MANSARD_STRIDED_GEMM_EX(cublasGemmStridedBatchedEx_64, std::int64_t)

#define MANSARD_BATCHED_GEMM_EX(NAME, INT)                                                      \
  MANSARD_ENTRY(kCublas, NAME,                                                                  \
                (cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, INT m,  \
                 INT n, INT k, const void* alpha, const void* const* a, cudaDataType type_a,    \
                 INT lda, const void* const* b, cudaDataType type_b, INT ldb, const void* beta, \
                 void* const* c, cudaDataType type_c, INT ldc, INT batch,                       \
                 cublasComputeType_t compute, cublasGemmAlgo_t algorithm),                      \
                (handle, op_a, op_b, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c,   \
                 type_c, ldc, batch, compute, algorithm),                                       \
                gemm_ex(handle, gemm_of(type_a, type_b, type_c, m, n, k, batch), beta, compute))
MANSARD_BATCHED_GEMM_EX(cublasGemmBatchedEx, int)
MANSARD_BATCHED_GEMM_EX(cublasGemmBatchedEx_64, std::int64_t)

MANSARD_ENTRY(kCublasLt, cublasLtMatmul,
              (cublasLtHandle_t handle, cublasLtMatmulDesc_t descriptor, const void* alpha,
               const void* a, cublasLtMatrixLayout_t layout_a, const void* b,
               cublasLtMatrixLayout_t layout_b, const void* beta, const void* c,
               cublasLtMatrixLayout_t layout_c, void* d, cublasLtMatrixLayout_t layout_d,
               const cublasLtMatmulAlgo_t* algorithm, void* workspace, std::size_t workspace_bytes,
               cudaStream_t stream),
              (handle, descriptor, alpha, a, layout_a, b, layout_b, beta, c, layout_c, d, layout_d,
               algorithm, workspace, workspace_bytes, stream),
              matmul_of(descriptor, layout_a, layout_b, layout_d, beta))
