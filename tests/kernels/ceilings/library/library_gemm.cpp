// SPDX-License-Identifier: Apache-2.0
// The parts of the library ceilings that need no GPU: shapes, memory, refusals, and the check of a
// result, which is computed on the host here.
#include <algorithm>
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "kernels/ceilings/library/frame/gemm_check.h"
#include "kernels/ceilings/library/frame/gemm_shapes.h"
#include "kernels/formats/shape.h"

namespace mansard::kernels::library {
namespace {

constexpr std::int64_t kGib = std::int64_t{1} << 30;

LibraryGemm bf16_gemm() {
  LibraryGemm gemm;
  gemm.name = "test_bf16";
  return gemm;
}

LibraryGemm fp64_gemm() {
  LibraryGemm gemm;
  gemm.name = "test_fp64";
  gemm.operand = ElementFormat::fp64;
  gemm.result = ElementFormat::fp64;
  gemm.fraction_bits = kFp64FractionBits;
  return gemm;
}

LibraryGemm nvfp4_gemm() {
  LibraryGemm gemm;
  gemm.name = "test_nvfp4";
  gemm.operand = ElementFormat::fp4_e2m1;
  gemm.scale_block = 16;
  gemm.scale = ElementFormat::scale_e4m3;
  gemm.instruction_k = 64;
  return gemm;
}

std::string message_of(const LibraryGemm& gemm, const std::vector<std::int64_t>& shape,
                       std::int64_t free_bytes) {
  try {
    plan_sweep(gemm, 132, shape, free_bytes);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(WholeWaves, FillEverySmTheSameNumberOfTimes) {
  for (const int units : {78, 84, 108, 114, 128, 132, 148, 170}) {
    const auto shape = whole_waves(units, 8192, 4096);
    ASSERT_TRUE(shape) << units;
    EXPECT_EQ(shape->m % 256, 0) << units;
    EXPECT_EQ(shape->n % 256, 0) << units;
    EXPECT_EQ((shape->m / 128) * (shape->n / 256) % units, 0) << units;
    EXPECT_EQ((shape->m / 256) * (shape->n / 128) % units, 0) << units;
  }
  EXPECT_EQ(whole_waves(132, 8192, 4096), (GemmShape{8192, 8448, 4096}));
  // 71 is prime, and no tile count near 8192 / 128 is a multiple of it.
  EXPECT_FALSE(whole_waves(142, 8192, 4096));
}

TEST(SweepShapes, GoFromSmallToLargeWithoutRepetition) {
  for (const int units : {128, 132, 142}) {
    const std::vector<GemmShape> shapes = sweep_shapes(units);
    EXPECT_GE(shapes.size(), 9u);
    std::set<std::string> names;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      EXPECT_TRUE(names.insert(to_string(shapes[i])).second) << to_string(shapes[i]);
      EXPECT_GE(shapes[i].flop(), shapes[i > 0 ? i - 1 : 0].flop());
      // Every format can run every shape, including block-scaled formats.
      EXPECT_EQ(shapes[i].m % 128 + shapes[i].n % 128 + shapes[i].k % 128, 0);
    }
    EXPECT_TRUE(names.count("8192x28672x4096"));
  }
}

TEST(SweepPlan, ReservesMemoryForEveryShape) {
  const LibraryGemm gemm = fp64_gemm();
  for (const std::int64_t free_bytes : {kGib / 2, 2 * kGib, 15 * kGib, 140 * kGib}) {
    const SweepPlan plan = plan_sweep(gemm, 132, {}, free_bytes);
    EXPECT_LE(plan.buffers.total() + kWorkspaceBytes, free_bytes);
    EXPECT_LE(plan.buffers.total(), 6 * kGib);
    for (const GemmShape& shape : plan.shapes) {
      EXPECT_LE(8 * shape.m * shape.k, plan.buffers.a);
      EXPECT_LE(8 * shape.n * shape.k, plan.buffers.b);
      EXPECT_LE(8 * shape.m * shape.n, plan.buffers.c);
    }
    EXPECT_FALSE(plan.contender);
  }
}

TEST(SweepPlan, ShrinksIfMemoryIsShort) {
  const std::size_t all = sweep_shapes(132).size();
  EXPECT_EQ(plan_sweep(fp64_gemm(), 132, {}, 15 * kGib).shapes.size(), all);
  const SweepPlan small = plan_sweep(fp64_gemm(), 132, {}, kGib);
  EXPECT_LT(small.shapes.size(), all);
  EXPECT_EQ(to_string(small.shapes.front()), "2048x2048x2048");
  const std::string refusal = message_of(fp64_gemm(), {}, kGib / 8);
  EXPECT_NE(refusal.find("test_fp64"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("96 MiB"), std::string::npos) << refusal;  // 3 * 8 * 2048 * 2048
  EXPECT_NE(refusal.find("128 MiB free"), std::string::npos) << refusal;
}

TEST(SweepPlan, TakesAShapeAndAnAlgorithmFromTheUser) {
  const SweepPlan shape = plan_sweep(bf16_gemm(), 132, {256, 512, 64}, kGib);
  EXPECT_EQ(shape.shapes, (std::vector<GemmShape>{{256, 512, 64}}));
  EXPECT_FALSE(shape.contender);
  EXPECT_EQ(shape.buffers.a, 2 * 256 * 64);
  EXPECT_EQ(shape.buffers.b, 2 * 512 * 64);
  EXPECT_EQ(shape.buffers.c, 2 * 256 * 512);
  EXPECT_EQ(plan_sweep(bf16_gemm(), 132, {256, 512, 64, 3}, kGib).contender, 3);
}

TEST(SweepPlan, NamesTheRuleThatAShapeViolates) {
  EXPECT_NE(message_of(bf16_gemm(), {256, 256}, kGib).find("three sizes"), std::string::npos);
  EXPECT_NE(message_of(bf16_gemm(), {256, 250, 64}, kGib).find("multiple of 16"),
            std::string::npos);
  EXPECT_NE(message_of(bf16_gemm(), {256, 0, 64}, kGib).find("256x0x64"), std::string::npos);
  EXPECT_NE(message_of(bf16_gemm(), {std::int64_t{1} << 40, 16, 16}, kGib).find("up to 1048576"),
            std::string::npos);
  EXPECT_NE(message_of(bf16_gemm(), {256, 256, 64, 16}, kGib).find("0 to 15"), std::string::npos);
  EXPECT_NE(message_of(nvfp4_gemm(), {256, 256, 64}, kGib).find("multiple of 128"),
            std::string::npos);
  EXPECT_NE(message_of(bf16_gemm(), {65536, 65536, 1024}, kGib).find("device memory"),
            std::string::npos);
}

TEST(GemmBytes, CountPackedElementsAndWholeScaleTiles) {
  const GemmBytes bytes = gemm_bytes(nvfp4_gemm(), {256, 128, 384});
  EXPECT_EQ(bytes.a, 256 * 384 / 2);
  EXPECT_EQ(bytes.b, 128 * 384 / 2);
  EXPECT_EQ(bytes.c, 2 * 256 * 128);
  EXPECT_EQ(bytes.scales_a, 256 * 384 / 16);
  EXPECT_EQ(bytes.scales_b, 128 * 384 / 16);
}

// Offsets computed by hand from the layout in cuBLAS's documentation.
TEST(BlockScales, MatchTheTensorCoreLayout) {
  EXPECT_EQ(scale_index(ScaleLayout::tiled, 8, 0, 0), 0);
  EXPECT_EQ(scale_index(ScaleLayout::tiled, 8, 0, 3), 3);
  EXPECT_EQ(scale_index(ScaleLayout::tiled, 8, 1, 0), 16);
  EXPECT_EQ(scale_index(ScaleLayout::tiled, 8, 32, 0), 4);
  EXPECT_EQ(scale_index(ScaleLayout::tiled, 8, 127, 3), 31 * 16 + 3 * 4 + 3);
  EXPECT_EQ(scale_index(ScaleLayout::tiled, 8, 0, 4), 512);
  EXPECT_EQ(scale_index(ScaleLayout::tiled, 8, 128, 0), 1024);
  EXPECT_EQ(block_scale_bytes(ScaleLayout::tiled, 130, 5), 256 * 8);
}

TEST(BlockScales, TakeEveryByteOnce) {
  std::set<std::int64_t> offsets;
  for (int row = 0; row < 256; ++row) {
    for (int column = 0; column < 12; ++column) {
      EXPECT_TRUE(offsets.insert(scale_index(ScaleLayout::tiled, 12, row, column)).second);
    }
  }
  EXPECT_EQ(static_cast<std::int64_t>(offsets.size()),
            block_scale_bytes(ScaleLayout::tiled, 256, 12));
  EXPECT_EQ(*offsets.rbegin(), block_scale_bytes(ScaleLayout::tiled, 256, 12) - 1);
}

TEST(SpreadIndices, IncludeTheCornersAndOnePerStrip) {
  const std::vector<std::int64_t> indices = spread_indices(8192, 64, 7);
  ASSERT_EQ(indices.size(), 64u);
  EXPECT_EQ(indices.front(), 0);
  EXPECT_EQ(indices.back(), 8191);
  for (std::size_t s = 0; s < 64; ++s) EXPECT_EQ(indices[s] / 128, static_cast<std::int64_t>(s));
  EXPECT_NE(indices, spread_indices(8192, 64, 8));
  EXPECT_EQ(spread_indices(3, 64, 7), (std::vector<std::int64_t>{0, 1, 2}));
}

// A GEMM result with possible faults.
struct Product {
  LibraryGemm gemm;
  RandomOperand a, b;
  std::vector<double> c;

  Product(const LibraryGemm& g, ReductionAxis reduction_b, std::int64_t m, std::int64_t n,
          std::int64_t k)
      : gemm(g) {
    a.format = g.checked();
    a.rows = m;
    a.k = k;
    a.seed = 11;
    a.scale_block = g.scale_block;
    a.scale = g.scale;
    a.scale_seed = 13;
    b = a;
    b.reduction = reduction_b;
    b.rows = n;
    b.seed = 12;
    b.scale_seed = 14;
    multiply(a, b, 0, k);
  }

  void multiply(const RandomOperand& left, const RandomOperand& right, std::int64_t from,
                std::int64_t to) {
    c.assign(static_cast<std::size_t>(a.rows * b.rows), 0.0);
    std::vector<std::vector<double>> rows_b;
    for (std::int64_t j = 0; j < b.rows; ++j) rows_b.push_back(right.row(j));
    for (std::int64_t i = 0; i < a.rows; ++i) {
      const std::vector<double> row = left.row(i);
      for (std::int64_t j = 0; j < b.rows; ++j) {
        double& sum = c[static_cast<std::size_t>(i * b.rows + j)];
        const std::vector<double>& row_b = rows_b[static_cast<std::size_t>(j)];
        for (auto x = static_cast<std::size_t>(from); x < static_cast<std::size_t>(to); ++x) {
          sum += row[x] * row_b[x];
        }
      }
    }
  }

  std::string judge() const {
    GemmCheck check(gemm, a, b, 5);
    for (const std::int64_t i : check.rows()) {
      std::vector<unsigned char> bytes;
      for (std::int64_t j = 0; j < b.rows; ++j) {
        append(bytes, c[static_cast<std::size_t>(i * b.rows + j)]);
      }
      check.add_row(i, bytes);
    }
    return check.judge();
  }

  void append(std::vector<unsigned char>& bytes, double value) const {
    const auto put = [&](auto stored) {
      const auto* raw = reinterpret_cast<const unsigned char*>(&stored);
      bytes.insert(bytes.end(), raw, raw + sizeof stored);
    };
    if (gemm.result == ElementFormat::bf16) put(bf16::from_float(static_cast<float>(value)));
    if (gemm.result == ElementFormat::int32) put(static_cast<std::int32_t>(value));
    if (gemm.result == ElementFormat::fp64) put(value);
  }
};

TEST(GemmCheck, AcceptsACorrectProduct) {
  EXPECT_EQ(Product(bf16_gemm(), ReductionAxis::inner, 128, 160, 256).judge(), "");
  EXPECT_EQ(Product(nvfp4_gemm(), ReductionAxis::inner, 128, 256, 384).judge(), "");
  EXPECT_EQ(Product(fp64_gemm(), ReductionAxis::outer, 96, 64, 128).judge(), "");
}

TEST(GemmCheck, AllowsNoErrorInIntegers) {
  LibraryGemm gemm = bf16_gemm();
  gemm.operand = ElementFormat::int8;
  gemm.result = ElementFormat::int32;
  gemm.instruction_k = 32;
  gemm.fraction_bits = kExactFractionBits;
  Product product(gemm, ReductionAxis::inner, 64, 64, 512);
  EXPECT_EQ(product.judge(), "");
  product.c.back() += 1;  // a corner, so it is among the samples
  EXPECT_NE(product.judge(), "");
}

TEST(GemmCheck, DetectsMissingProductsAndTiles) {
  Product product(bf16_gemm(), ReductionAxis::inner, 256, 256, 512);
  product.multiply(product.a, product.b, 0, 512 - 16);
  EXPECT_NE(product.judge(), "") << "one instruction's worth of products";

  product.multiply(product.a, product.b, 0, 512);
  ASSERT_EQ(product.judge(), "");
  for (int i = 64; i < 128; ++i) {
    for (int j = 128; j < 192; ++j) {
      product.c[static_cast<std::size_t>(i * 256 + j)] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  EXPECT_NE(product.judge(), "") << "a tile still holds the poison";
}

TEST(GemmCheck, DetectsOperandsReadInTheWrongOrder) {
  Product product(fp64_gemm(), ReductionAxis::outer, 64, 64, 64);
  RandomOperand transposed = product.b;
  transposed.reduction = ReductionAxis::inner;
  product.multiply(product.a, transposed, 0, 64);
  EXPECT_NE(product.judge(), "");
}

TEST(GemmCheck, DetectsMissingOrSwappedScales) {
  Product product(nvfp4_gemm(), ReductionAxis::inner, 128, 128, 256);
  RandomOperand unscaled = product.a;
  unscaled.scale_block = 0;
  product.multiply(unscaled, product.b, 0, 256);
  EXPECT_NE(product.judge(), "");
  RandomOperand swapped = product.a;
  swapped.scale_seed = product.b.scale_seed;
  product.multiply(swapped, product.b, 0, 256);
  EXPECT_NE(product.judge(), "");
}

}  // namespace
}  // namespace mansard::kernels::library
