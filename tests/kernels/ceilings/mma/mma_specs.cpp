// SPDX-License-Identifier: Apache-2.0
// Compares the specs of the tensor-core ceilings with the vendor's figures: dense rates of the A100
// and H100 whitepapers and the B200 and RTX 5090 datasheets, within their rounding.
#include <gtest/gtest.h>

#include "kernels/kernel.h"

#if MANSARD_HAVE_CUDA

namespace mansard::kernels {
namespace {

struct Product {
  const char* name;
  int capability;
  int sms;
  double clock_hz;
};
constexpr Product kA100{"A100", 80, 108, 1.41e9};
constexpr Product kH100{"H100 SXM", 90, 132, 1.83e9};
constexpr Product kH100Fp64{"H100 SXM", 90, 132, 1.98e9};
constexpr Product kB200{"B200", 100, 148, 1.86e9};
constexpr Product kRtx5090{"RTX 5090", 120, 170, 2.407e9};

struct SpecRow {
  const char* kernel;
  Product product;
  double per_s;
};

const SpecRow kRows[] = {
    {"mma_bf16", kA100, 312e12},           {"mma_bf16", kH100, 989.4e12},
    {"mma_fp16", kA100, 312e12},           {"mma_fp16_acc16", kA100, 312e12},
    {"mma_tf32", kA100, 156e12},           {"mma_tf32", kH100, 494.7e12},
    {"mma_int8", kA100, 624e12},           {"mma_int8", kH100, 1978.9e12},
    {"mma_fp64_m8n8k4", kA100, 19.5e12},   {"mma_fp64_m16n8k16", kH100Fp64, 66.9e12},
    {"mma_fp8_e4m3", kH100, 1978.9e12},    {"mma_fp8_e5m2", kH100, 1978.9e12},
    {"wgmma_bf16", kH100, 989.4e12},       {"wgmma_fp16", kH100, 989.4e12},
    {"wgmma_fp16_acc16", kH100, 989.4e12}, {"wgmma_tf32", kH100, 494.7e12},
    {"wgmma_fp8_e4m3", kH100, 1978.9e12},  {"wgmma_fp8_e5m2", kH100, 1978.9e12},
    {"wgmma_int8", kH100, 1978.9e12},      {"tcgen05_bf16", kB200, 2250e12},
    {"tcgen05_fp16", kB200, 2250e12},      {"tcgen05_tf32", kB200, 1125e12},
    {"tcgen05_int8", kB200, 4500e12},      {"tcgen05_fp8_e4m3", kB200, 4500e12},
    {"tcgen05_fp8_e5m2", kB200, 4500e12},  {"tcgen05_mxfp8", kB200, 4500e12},
    {"tcgen05_mxfp4", kB200, 9000e12},     {"tcgen05_nvfp4", kB200, 9000e12},
    {"mma_nvfp4", kRtx5090, 1676e12},      {"mma_mxfp4", kRtx5090, 1676e12},
};

DeviceInfo device(int capability) {
  DeviceInfo d;
  d.target = Target::cuda;
  d.compute_capability = capability;
  return d;
}

TEST(MmaSpecs, PeakIsThePublishedRate) {
  for (const SpecRow& row : kRows) {
    SCOPED_TRACE(std::string(row.kernel) + " on " + row.product.name);
    const KernelSpec* spec = kernel_registry().find(row.kernel);
    ASSERT_NE(spec, nullptr);
    const DeviceInfo d = device(row.product.capability);
    EXPECT_EQ(spec->unsupported(d), "");
    const double rate = spec->peak_per_clock(d) * row.product.sms * row.product.clock_hz;
    EXPECT_NEAR(rate, row.per_s, 0.008 * row.per_s);
  }
}

TEST(MmaSpecs, DescribeTheirMeasurement) {
  int count = 0;
  for (const KernelSpec& spec : kernel_registry().all()) {
    const bool tensor = spec.name.starts_with("mma_") || spec.name.starts_with("wgmma_") ||
                        spec.name.starts_with("tcgen05_");
    if (!tensor) continue;
    SCOPED_TRACE(spec.name);
    ++count;
    EXPECT_EQ(spec.role, KernelRole::compute_ceiling);
    ASSERT_TRUE(spec.precision.has_value());
    EXPECT_EQ(spec.unit, *spec.precision == Precision::int8 ? "op/s" : "FLOP/s");
    EXPECT_EQ(spec.roof, !spec.name.ends_with("_acc16"));
    EXPECT_TRUE(spec.uses_data_pattern);
    // Only the fastest instruction of a pipe is measured under seconds of load.
    ASSERT_TRUE(static_cast<bool>(spec.sustained));
    EXPECT_TRUE(spec.sustained(device(80)));
    const bool slower = spec.name.starts_with("mma_") && spec.precision != Precision::fp64;
    EXPECT_EQ(spec.sustained(device(90)), !slower);
    EXPECT_EQ(spec.unsupported(device(75)).substr(0, 25), "needs compute capability ");
  }
  EXPECT_GE(count, 28);
}

}  // namespace
}  // namespace mansard::kernels

#endif
