// SPDX-License-Identifier: Apache-2.0
// Compares every CUDA path with the host reference and the recorded cases, bit for bit.
#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

#include "kernels/device/device_buffer.h"
#include "kernels/kernel.h"
#include "kernels/nvfp4/nvfp4.h"
#include "kernels/nvfp4/reference.h"
#include "tests/kernels/formats/special_inputs.h"
#include "tests/kernels/nvfp4/golden_cases.h"

namespace mansard::kernels::nvfp4 {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }

struct DeviceMatrix {
  explicit DeviceMatrix(Shape s, ScaleLayout layout = ScaleLayout::linear)
      : codes(static_cast<std::size_t>(code_bytes(s))),
        scales(static_cast<std::size_t>(scale_bytes(s, layout))) {
    codes.fill_bytes(0xff);
    scales.fill_bytes(0xff);
  }
  Matrix matrix() const { return {codes.get(), scales.get()}; }
  DeviceBuffer<std::uint8_t> codes, scales;
};

struct HostMatrix {
  explicit HostMatrix(Shape s, ScaleLayout layout = ScaleLayout::linear)
      : codes(static_cast<std::size_t>(code_bytes(s))),
        scales(static_cast<std::size_t>(scale_bytes(s, layout))) {}
  Matrix matrix() { return {codes.data(), scales.data()}; }
  Bytes codes, scales;
};

void expect_equal(const DeviceMatrix& device, const HostMatrix& host, const std::string& what) {
  const Bytes codes = device.codes.to_host();
  const auto at = std::mismatch(codes.begin(), codes.end(), host.codes.begin());
  if (at.first != codes.end()) {
    ADD_FAILURE() << what << ": codes differ, first at byte " << at.first - codes.begin() << " of "
                  << codes.size() << ": " << int{*at.first} << " instead of " << int{*at.second};
  }
  EXPECT_TRUE(device.scales.to_host() == host.scales) << what << ": scales";
}

// x and its maxima on host and device.
struct Problem {
  Problem(const std::vector<Bf16>& values, Shape s) : x(values), shape(s), on_device(values) {
    scratch.fill_bytes(0);
    maxima.fill_bytes(0xff);
    amax(on_device.get(), shape, maxima.get(), scratch.get(), nullptr);
    amax_rht(on_device.get(), shape, maxima.get() + 1, maxima.get() + 2, scratch.get(), nullptr);
    expected = reference::amax(x.data(), shape);
    expected_rht = reference::amax_rht_transposed(x.data(), shape);
    const std::vector<float> a = maxima.to_host();
    EXPECT_EQ(bits(a[0]), bits(expected));
    EXPECT_EQ(bits(a[1]), bits(expected));
    EXPECT_EQ(bits(a[2]), bits(expected_rht));
  }
  const std::vector<Bf16>& x;
  Shape shape;
  DeviceBuffer<Bf16> on_device;
  DeviceBuffer<AmaxScratch> scratch{1};
  DeviceBuffer<float> maxima{3};
  float expected = 0, expected_rht = 0;
};

// Runs every quantization path with one rounding and layout.
void compare_quantizers(const Problem& p, const RandomState* state, ScaleLayout layout) {
  const std::string how = std::string(state != nullptr ? "stochastic" : "nearest") +
                          (layout == ScaleLayout::tiled ? ", tiled scales" : "");
  SCOPED_TRACE(how);
  DeviceBuffer<RandomState> device_state(std::vector{state != nullptr ? *state : RandomState{}});
  const Options options = {state != nullptr ? device_state.get() : nullptr, layout};
  const reference::Options host_options = {state, layout};
  const Bf16* const x = p.on_device.get();
  const float* const amax_x = p.maxima.get();
  const float* const amax_t = p.maxima.get() + 2;

  HostMatrix h(p.shape, layout), h_t(p.shape.transposed(), layout);
  reference::quantize_1x16(p.x.data(), p.shape, p.expected, h.matrix(), host_options);
  {
    DeviceMatrix q(p.shape, layout);
    quantize_1x16(x, p.shape, amax_x, q.matrix(), options, nullptr);
    expect_equal(q, h, "1x16");
  }
  for (const Transform transform : {Transform::none, Transform::rht}) {
    const bool rht = transform == Transform::rht;
    const float* const amax_columns = rht ? amax_t : amax_x;
    reference::quantize_transposed(p.x.data(), p.shape, rht ? p.expected_rht : p.expected,
                                   transform, h_t.matrix(), host_options);
    DeviceMatrix q(p.shape, layout), q_t(p.shape.transposed(), layout);
    quantize_transposed(x, p.shape, amax_columns, transform, q_t.matrix(), options, nullptr);
    expect_equal(q_t, h_t, rht ? "transposed with RHT" : "transposed");
    DeviceMatrix both_t(p.shape.transposed(), layout);
    quantize_both(x, p.shape, amax_x, amax_columns, transform, q.matrix(), both_t.matrix(), options,
                  nullptr);
    expect_equal(q, h, "both: rows");
    expect_equal(both_t, h_t, rht ? "both: columns with RHT" : "both: columns");
  }
  DeviceMatrix q(p.shape, layout), q_t(p.shape.transposed(), layout);
  quantize_16x16(x, p.shape, amax_x, q.matrix(), q_t.matrix(), options, nullptr);
  reference::quantize_16x16(p.x.data(), p.shape, p.expected, h.matrix(), h_t.matrix(),
                            host_options);
  expect_equal(q, h, "16x16");
  expect_equal(q_t, h_t, "16x16, transposed");

  DeviceBuffer<Bf16> expanded(p.x.size());
  dequantize(q.matrix(), p.shape, layout, expanded.get(), nullptr);
  std::vector<Bf16> host_expanded(p.x.size());
  reference::dequantize(h.matrix(), p.shape, host_expanded.data(), layout);
  EXPECT_TRUE(expanded.to_host() == host_expanded) << "dequantize";
}

void compare_all(const std::vector<Bf16>& x, Shape shape) {
  const Problem problem(x, shape);
  const RandomState state = {0x123456789abcdefu, 42};
  for (const ScaleLayout layout : {ScaleLayout::linear, ScaleLayout::tiled}) {
    compare_quantizers(problem, nullptr, layout);
    compare_quantizers(problem, &state, layout);
  }

  DeviceBuffer<Bf16> transformed(x.size());
  transformed.fill_bytes(0xff);
  rht_transposed(problem.on_device.get(), shape, transformed.get(), nullptr);
  std::vector<Bf16> host_transformed(x.size());
  reference::rht_transposed(x.data(), shape, host_transformed.data());
  EXPECT_TRUE(transformed.to_host() == host_transformed) << "RHT";
}

class CudaGolden : public testing::TestWithParam<GoldenCase> {};

TEST_P(CudaGolden, EveryPathIsBitwiseEqual) {
  const GoldenCase& c = GetParam();
  const DeviceBuffer<Bf16> x(c.input);
  DeviceBuffer<float> amaxes(2);
  DeviceBuffer<AmaxScratch> scratch(1);
  scratch.fill_bytes(0);
  DeviceMatrix row(c.shape), col(c.shape.transposed());
  if (c.mode == "1d_rht") {
    amax_rht(x.get(), c.shape, amaxes.get(), amaxes.get() + 1, scratch.get(), nullptr);
  } else {
    amax(x.get(), c.shape, amaxes.get(), scratch.get(), nullptr);
    amax(x.get(), c.shape, amaxes.get() + 1, scratch.get(), nullptr);
  }
  const Transform transform = c.mode == "1d_rht" ? Transform::rht : Transform::none;
  if (c.mode == "2d") {
    quantize_16x16(x.get(), c.shape, amaxes.get(), row.matrix(), col.matrix(), {}, nullptr);
  } else {
    quantize_1x16(x.get(), c.shape, amaxes.get(), row.matrix(), {}, nullptr);
    quantize_transposed(x.get(), c.shape, amaxes.get() + 1, transform, col.matrix(), {}, nullptr);
    DeviceMatrix both(c.shape), both_t(c.shape.transposed());
    quantize_both(x.get(), c.shape, amaxes.get(), amaxes.get() + 1, transform, both.matrix(),
                  both_t.matrix(), {}, nullptr);
    EXPECT_EQ(both.codes.to_host(), c.row_codes);
    EXPECT_EQ(both.scales.to_host(), c.row_scales);
    EXPECT_EQ(both_t.codes.to_host(), c.col_codes);
    EXPECT_EQ(both_t.scales.to_host(), c.col_scales);
  }
  const std::vector<float> a = amaxes.to_host();
  EXPECT_EQ(bits(a[0]), bits(c.row_amax));
  EXPECT_EQ(bits(a[1]), bits(c.col_amax));
  EXPECT_EQ(row.codes.to_host(), c.row_codes);
  EXPECT_EQ(row.scales.to_host(), c.row_scales);
  EXPECT_EQ(col.codes.to_host(), c.col_codes);
  EXPECT_EQ(col.scales.to_host(), c.col_scales);
}

INSTANTIATE_TEST_SUITE_P(TransformerEngine, CudaGolden, testing::ValuesIn(golden_cases()),
                         [](const auto& test) { return test.param.name; });

// Smaller than a tile, partial tiles in each direction, several whole tiles, and rows that are not
// 16-byte aligned.
const Shape kShapes[] = {{1, 1},      {1, 129},   {15, 17},   {17, 15},    {127, 128}, {129, 127},
                         {16, 16},    {16, 80},   {48, 16},   {112, 48},   {128, 256}, {129, 264},
                         {144, 1040}, {272, 208}, {256, 257}, {1024, 512}, {1000, 776}};

TEST(CudaNvfp4, EqualsTheReferenceOnRandomData) {
  for (const Shape shape : kShapes) {
    SCOPED_TRACE(std::to_string(shape.rows) + "x" + std::to_string(shape.cols));
    for (const int exponent : {0, -20, 40}) {
      std::vector<Bf16> x(static_cast<std::size_t>(shape.elements()));
      fill_random(x.data(), shape.elements(), DataPattern::random_normal, 11, exponent);
      compare_all(x, shape);
    }
  }
}

TEST(CudaNvfp4, EqualsTheReferenceOnSpecialValues) {
  for (const Shape shape : {Shape{64, 96}, Shape{129, 81}, Shape{128, 256}}) {
    for (const SpecialInput& special : special_inputs(shape)) {
      SCOPED_TRACE(special.name);
      compare_all(special.x, shape);
    }
  }
}

TEST(CudaNvfp4, GemmAlphaEqualsTheReference) {
  const std::vector<float> amaxes = {3.25f, 1.7e-4f, 0.0f};
  const DeviceBuffer<float> device(amaxes);
  DeviceBuffer<float> alpha(1);
  for (std::size_t i = 0; i < amaxes.size(); ++i) {
    gemm_alpha(device.get(), device.get() + i, alpha.get(), nullptr);
    EXPECT_EQ(bits(alpha.to_host()[0]), bits(reference::gemm_alpha(amaxes[0], amaxes[i])));
  }
}

TEST(CudaNvfp4, RejectsEmptyShapes) {
  EXPECT_THROW(amax(nullptr, {16, 0}, nullptr, nullptr, nullptr), std::invalid_argument);
  EXPECT_THROW(quantize_1x16(nullptr, {0, 16}, nullptr, {}, {}, nullptr), std::invalid_argument);
}

// The plug-ins as `mansard run` and `mansard list` use them.
TEST(CudaNvfp4, RegisteredOperationsVerifyThemselves) {
  const DeviceInfo device = cuda_devices().front();
  int operations = 0;
  for (const KernelSpec& spec : kernel_registry().all()) {
    if (spec.name.rfind("nvfp4_", 0) != 0) continue;
    ++operations;
    for (const DataPattern pattern : {DataPattern::zeros, DataPattern::random_uniform}) {
      PrepareOptions options;
      options.pattern = pattern;
      options.shape = {272, 208};
      EXPECT_EQ(spec.prepare(device, options)->verify(), "") << spec.name;
    }
    PrepareOptions flat;
    flat.shape = {100};
    EXPECT_THROW(spec.prepare(device, flat), std::invalid_argument) << spec.name;
  }
  EXPECT_EQ(operations, 20);
}

}  // namespace
}  // namespace mansard::kernels::nvfp4
