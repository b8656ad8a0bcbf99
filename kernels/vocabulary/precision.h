// SPDX-License-Identifier: Apache-2.0
// The number formats of training, with the properties that a roofline needs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mansard {

enum class Precision : std::uint8_t {
  fp64,
  fp32,
  tf32,
  fp16,
  bf16,
  fp8_e4m3,
  fp8_e5m2,
  int8,
  mxfp8,
  mxfp4,
  nvfp4,
};

struct PrecisionInfo {
  Precision id;
  std::string_view key;           // for files, options and JSON
  std::string_view label;         // for tables and figures
  int bits;                       // of one element, excluding its share of the scale
  int exponent_bits;              // 0 for integers
  int mantissa_bits;              // stored bits, excluding the implicit one
  double max_finite;              // largest magnitude of one element before scaling
  int scale_block;                // elements that share a block scale; 0: no block scale
  std::string_view scale_format;  // format of the block scale; empty: none
};

// Sources: IEEE 754 (FP64, FP32, FP16); NVIDIA A100 whitepaper (TF32, BF16);
// "FP8 Formats for Deep Learning", arXiv 2209.05433; OCP Microscaling Formats v1.0 (MX);
// "Pretraining Large Language Models with NVFP4", arXiv 2509.25149.
// TF32 occupies 32 bits in memory, 19 of which the product uses.
inline constexpr std::array kPrecisions = {
    PrecisionInfo{Precision::fp64, "fp64", "FP64", 64, 11, 52, 1.7976931348623157e308, 0, ""},
    PrecisionInfo{Precision::fp32, "fp32", "FP32", 32, 8, 23, 3.4028234663852886e38, 0, ""},
    PrecisionInfo{Precision::tf32, "tf32", "TF32", 32, 8, 10, 3.4011621342146535e38, 0, ""},
    PrecisionInfo{Precision::fp16, "fp16", "FP16", 16, 5, 10, 65504.0, 0, ""},
    PrecisionInfo{Precision::bf16, "bf16", "BF16", 16, 8, 7, 3.3895313892515355e38, 0, ""},
    PrecisionInfo{Precision::fp8_e4m3, "fp8_e4m3", "FP8 E4M3", 8, 4, 3, 448.0, 0, ""},
    PrecisionInfo{Precision::fp8_e5m2, "fp8_e5m2", "FP8 E5M2", 8, 5, 2, 57344.0, 0, ""},
    PrecisionInfo{Precision::int8, "int8", "INT8", 8, 0, 7, 127.0, 0, ""},
    PrecisionInfo{Precision::mxfp8, "mxfp8", "MXFP8", 8, 4, 3, 448.0, 32, "UE8M0"},
    PrecisionInfo{Precision::mxfp4, "mxfp4", "MXFP4", 4, 2, 1, 6.0, 32, "UE8M0"},
    PrecisionInfo{Precision::nvfp4, "nvfp4", "NVFP4", 4, 2, 1, 6.0, 16, "E4M3"},
};

constexpr const PrecisionInfo& info(Precision p) {
  return kPrecisions[static_cast<std::size_t>(p)];
}

// Bytes of one element including its share of the block scale (8 bits per block).
constexpr double bytes_per_element(Precision p) {
  const PrecisionInfo& i = info(p);
  const double scale_bits = i.scale_block > 0 ? 8.0 / i.scale_block : 0.0;
  return (i.bits + scale_bits) / 8.0;
}

constexpr std::optional<Precision> parse_precision(std::string_view key) {
  for (const PrecisionInfo& i : kPrecisions) {
    if (i.key == key) return i.id;
  }
  return std::nullopt;
}

}  // namespace mansard
