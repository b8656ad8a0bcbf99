// SPDX-License-Identifier: Apache-2.0
#if MANSARD_HAVE_CUBLASLT

#include "kernels/ceilings/library/frame/algorithm_text.h"

#include <cstdint>
#include <iterator>
#include <optional>

namespace mansard::kernels::library {
namespace {

struct Name {
  int id;
  const char* text;
};

// The tiles that large GEMMs use, out of hundreds. The library has no text for its enumerators.
constexpr Name kTiles[] = {
    {CUBLASLT_MATMUL_TILE_64x64, "64x64"},     {CUBLASLT_MATMUL_TILE_64x128, "64x128"},
    {CUBLASLT_MATMUL_TILE_128x64, "128x64"},   {CUBLASLT_MATMUL_TILE_64x256, "64x256"},
    {CUBLASLT_MATMUL_TILE_256x64, "256x64"},   {CUBLASLT_MATMUL_TILE_128x128, "128x128"},
    {CUBLASLT_MATMUL_TILE_128x160, "128x160"}, {CUBLASLT_MATMUL_TILE_128x192, "128x192"},
    {CUBLASLT_MATMUL_TILE_192x128, "192x128"}, {CUBLASLT_MATMUL_TILE_128x256, "128x256"},
    {CUBLASLT_MATMUL_TILE_256x128, "256x128"}, {CUBLASLT_MATMUL_TILE_192x256, "192x256"},
    {CUBLASLT_MATMUL_TILE_256x192, "256x192"}, {CUBLASLT_MATMUL_TILE_256x256, "256x256"},
};

constexpr Name kClusters[] = {
    {CUBLASLT_CLUSTER_SHAPE_AUTO, "auto"},   {CUBLASLT_CLUSTER_SHAPE_1x1x1, "1x1x1"},
    {CUBLASLT_CLUSTER_SHAPE_2x1x1, "2x1x1"}, {CUBLASLT_CLUSTER_SHAPE_4x1x1, "4x1x1"},
    {CUBLASLT_CLUSTER_SHAPE_1x2x1, "1x2x1"}, {CUBLASLT_CLUSTER_SHAPE_2x2x1, "2x2x1"},
    {CUBLASLT_CLUSTER_SHAPE_4x2x1, "4x2x1"}, {CUBLASLT_CLUSTER_SHAPE_1x4x1, "1x4x1"},
    {CUBLASLT_CLUSTER_SHAPE_2x4x1, "2x4x1"}, {CUBLASLT_CLUSTER_SHAPE_4x4x1, "4x4x1"},
};

constexpr Name kStages[] = {
    {CUBLASLT_MATMUL_STAGES_16x4, "16x4"},         {CUBLASLT_MATMUL_STAGES_32x3, "32x3"},
    {CUBLASLT_MATMUL_STAGES_32x4, "32x4"},         {CUBLASLT_MATMUL_STAGES_64x3, "64x3"},
    {CUBLASLT_MATMUL_STAGES_64x4, "64x4"},         {CUBLASLT_MATMUL_STAGES_128x3, "128x3"},
    {CUBLASLT_MATMUL_STAGES_128x4, "128x4"},       {CUBLASLT_MATMUL_STAGES_16xAUTO, "16xauto"},
    {CUBLASLT_MATMUL_STAGES_32xAUTO, "32xauto"},   {CUBLASLT_MATMUL_STAGES_64xAUTO, "64xauto"},
    {CUBLASLT_MATMUL_STAGES_128xAUTO, "128xauto"}, {CUBLASLT_MATMUL_STAGES_256xAUTO, "256xauto"},
};

template <std::size_t kCount>
std::string text(const Name (&names)[kCount], int id) {
  for (const Name& name : names) {
    if (name.id == id) return name.text;
  }
  return "id " + std::to_string(id);
}

// `Value`: type with the size of the attribute, which cuBLASLt checks.
template <typename Value>
std::optional<int> attribute(const cublasLtMatmulAlgo_t& algorithm,
                             cublasLtMatmulAlgoConfigAttributes_t which) {
  Value value = 0;
  std::size_t written = 0;
  if (cublaslt().algo_config(&algorithm, which, &value, sizeof value, &written) !=
      CUBLAS_STATUS_SUCCESS) {
    return std::nullopt;
  }
  return static_cast<int>(value);
}

}  // namespace

std::map<std::string, std::string> algorithm_parameters(const cublasLtMatmulAlgo_t& algorithm) {
  std::map<std::string, std::string> result;
  if (const auto id = attribute<std::int32_t>(algorithm, CUBLASLT_ALGO_CONFIG_ID)) {
    result["algorithm"] = std::to_string(*id);
  }
  if (const auto tile = attribute<std::uint32_t>(algorithm, CUBLASLT_ALGO_CONFIG_TILE_ID)) {
    result["tile"] = text(kTiles, *tile);
  }
  if (const auto stages = attribute<std::uint32_t>(algorithm, CUBLASLT_ALGO_CONFIG_STAGES_ID)) {
    result["stages"] = text(kStages, *stages);
  }
  if (const auto cluster =
          attribute<std::uint16_t>(algorithm, CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID)) {
    result["cluster"] = text(kClusters, *cluster);
  }
  if (const auto parts = attribute<std::int32_t>(algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM)) {
    result["split_k"] = std::to_string(*parts);
  }
  return result;
}

std::string cublaslt_version_text(std::size_t version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

}  // namespace mansard::kernels::library

#endif
