// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "kernels/annotation/work_annotation.h"
#include "kernels/kernel.h"
#include "kernels/vocabulary/collective.h"
#include "support/units.h"

namespace mansard {
namespace {

TEST(Precision, TableIsInEnumOrderWithUniqueKeys) {
  std::set<std::string_view> keys;
  for (std::size_t i = 0; i < kPrecisions.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(kPrecisions[i].id), i);
    EXPECT_TRUE(keys.insert(kPrecisions[i].key).second) << kPrecisions[i].key;
    EXPECT_EQ(parse_precision(kPrecisions[i].key), kPrecisions[i].id);
  }
  EXPECT_FALSE(parse_precision("FP64").has_value()) << "keys are lower case";
}

// 4 bits plus an 8-bit scale per 16 values: 4.5 bits; 8 bits plus one per 32 values: 8.25 bits.
TEST(Precision, BytesIncludeTheShareOfTheBlockScale) {
  EXPECT_DOUBLE_EQ(bytes_per_element(Precision::nvfp4), 4.5 / 8);
  EXPECT_DOUBLE_EQ(bytes_per_element(Precision::mxfp8), 8.25 / 8);
  EXPECT_DOUBLE_EQ(bytes_per_element(Precision::bf16), 2);
}

// The largest value of an IEEE-like format with e exponent and m mantissa bits is (2 - 2^-m) *
// 2^(2^(e-1)-1). E4M3 and E2M1 use their top exponent for numbers; the table states their largest
// values explicitly.
TEST(Precision, LargestValuesFollowFromTheBits) {
  for (const Precision p : {Precision::fp64, Precision::fp32, Precision::tf32, Precision::fp16,
                            Precision::bf16, Precision::fp8_e5m2}) {
    const PrecisionInfo& i = info(p);
    const double expected =
        (2 - std::ldexp(1.0, -i.mantissa_bits)) * std::ldexp(1.0, (1 << (i.exponent_bits - 1)) - 1);
    EXPECT_DOUBLE_EQ(i.max_finite, expected) << i.key;
  }
}

TEST(MemoryLevel, TableIsInEnumOrder) {
  for (std::size_t i = 0; i < kMemoryLevels.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(kMemoryLevels[i].id), i);
    EXPECT_EQ(parse_memory_level(kMemoryLevels[i].key), kMemoryLevels[i].id);
  }
}

TEST(MemoryLevel, CountersChangeWithHopper) {
  EXPECT_EQ(counter_expression(MemoryLevel::l2, 80), "lts__t_bytes.sum");
  EXPECT_EQ(counter_expression(MemoryLevel::l2, 90), "32 * lts__t_sectors_srcunit_tex.sum");
  EXPECT_EQ(counter_expression(MemoryLevel::sm_fill, 80), "");
  EXPECT_EQ(counter_expression(MemoryLevel::tensor_memory, 90), "");
  EXPECT_NE(counter_expression(MemoryLevel::tensor_memory, 100), "");
  EXPECT_EQ(counter_expression(MemoryLevel::dram, 90), "");
}

TEST(MemoryLevel, LinksConnectDevices) {
  std::set<std::string_view> links;
  for (const MemoryLevelInfo& level : kMemoryLevels) {
    if (is_link(level.id)) links.insert(level.key);
  }
  EXPECT_EQ(links, (std::set<std::string_view>{"nvlink", "network", "pcie"}));
}

// nccl-tests' doc/PERFORMANCE.md: 2 (n - 1) / n, (n - 1) / n, and 1.
TEST(Collective, BusBytesAreThoseOfARing) {
  using enum CollectiveOperation;
  EXPECT_DOUBLE_EQ(*bus_bytes(all_reduce, 80, 8), 140);
  EXPECT_DOUBLE_EQ(*bus_bytes(all_gather, 80, 8), 70);
  EXPECT_DOUBLE_EQ(*bus_bytes(reduce_scatter, 80, 8), 70);
  EXPECT_DOUBLE_EQ(*bus_bytes(all_to_all, 80, 8), 70);
  EXPECT_DOUBLE_EQ(*bus_bytes(broadcast, 80, 0), 80);
  EXPECT_FALSE(bus_bytes(all_reduce, 80, 0).has_value());
  EXPECT_EQ(collective_ceiling(reduce_scatter, 4), "nccl_reduce_scatter_4");
}

TEST(Units, SiPrefixes) {
  EXPECT_EQ(format_si(4.05e12, "B/s"), "4.05 TB/s");
  EXPECT_EQ(format_si(806e12, "FLOP/s"), "806 TFLOP/s");
  EXPECT_EQ(format_si(2.5e-6, "s"), "2.50 µs");
  EXPECT_EQ(format_si(0, "s"), "0 s");
  EXPECT_EQ(format_si(999.6, "B"), "1.00 kB");
  EXPECT_EQ(format_si(-1500, "B"), "-1.50 kB");
  EXPECT_EQ(format_si(12, ""), "12.0");
  EXPECT_EQ(format_si(std::numeric_limits<double>::quiet_NaN(), "s"), "n/a");
  EXPECT_EQ(format_si(std::numeric_limits<double>::infinity(), "s"), "n/a");
  EXPECT_EQ(format_capacity(62914560), "60 MiB");
  EXPECT_EQ(format_percent(0.9337), "93.4 %");
}

TEST(WorkAnnotation, SurvivesTheRoundTrip) {
  kernels::WorkAnnotation work;
  work.name = "fprop | odd name";
  work.flop = 1.0995116277761e12;
  work.bytes = {{MemoryLevel::hbm, 402653184}, {MemoryLevel::l2, 1e9}};
  work.precision = Precision::nvfp4;
  work.operation_class = "gemm";
  work.shape = "8192x4096x4096";
  const auto back = kernels::parse_work_annotation(to_text(work));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->name, work.name);
  EXPECT_EQ(back->flop, work.flop);
  EXPECT_EQ(back->bytes, work.bytes);
  EXPECT_EQ(back->precision, work.precision);
  EXPECT_EQ(back->operation_class, "gemm");
  EXPECT_EQ(back->shape, work.shape);
  EXPECT_EQ(back->unknown_keys, 0);
}

TEST(WorkAnnotation, OrdinaryRangeNamesAreNotAnnotations) {
  for (const char* text : {"", "step 3", "a | b", "x | y=z", " | ", "loss | nan=flop"}) {
    EXPECT_FALSE(kernels::parse_work_annotation(text).has_value()) << text;
  }
}

TEST(WorkAnnotation, InvalidValuesAreCountedAndIgnored) {
  const auto work = kernels::parse_work_annotation(
      "g | flop=-1 hbm=1e99 precision=fp3 flops=5 dram=12 l2=abc lonely");
  ASSERT_TRUE(work.has_value());
  EXPECT_EQ(work->flop, 0);
  EXPECT_EQ(work->bytes, (std::map<MemoryLevel, double>{{MemoryLevel::dram, 12}}));
  EXPECT_FALSE(work->precision.has_value());
  EXPECT_EQ(work->unknown_keys, 6);
}

TEST(KernelRegistry, NamesAreUniqueAndEveryKernelIsUsable) {
  std::set<std::string> names;
  for (const kernels::KernelSpec& spec : kernels::kernel_registry().all()) {
    EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
    EXPECT_FALSE(spec.summary.empty()) << spec.name;
    EXPECT_TRUE(static_cast<bool>(spec.prepare)) << spec.name;
    EXPECT_TRUE(static_cast<bool>(spec.unsupported)) << spec.name;
    if (spec.role == kernels::KernelRole::compute_ceiling) {
      EXPECT_TRUE(spec.precision.has_value() || spec.unit == "op/s") << spec.name;
    }
  }
  kernels::KernelRegistry registry;
  kernels::KernelSpec spec;
  spec.name = "x";
  registry.add(spec);
  EXPECT_THROW(registry.add(spec), std::logic_error);
  EXPECT_EQ(registry.find("y"), nullptr);
}

}  // namespace
}  // namespace mansard
