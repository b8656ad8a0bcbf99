// SPDX-License-Identifier: Apache-2.0
// Every CUDA path against the host's reference and the recorded cases, bit for bit.
#include <cstring>

#include <gtest/gtest.h>

#include "kernels/device/device_buffer.h"
#include "kernels/kernel.h"
#include "kernels/nvfp4/nvfp4.h"
#include "kernels/nvfp4/reference.h"
#include "tests/kernels/golden_cases.h"
#include "tests/kernels/special_inputs.h"

namespace mansard::nvfp4 {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }

struct DeviceMatrix {
  explicit DeviceMatrix(Shape s)
      : codes(static_cast<std::size_t>(code_bytes(s))),
        scales(static_cast<std::size_t>(scale_bytes(s))) {
    codes.fill_bytes(0xff);
    scales.fill_bytes(0xff);
  }
  Matrix matrix() const { return {codes.get(), scales.get()}; }
  DeviceBuffer<std::uint8_t> codes, scales;
};

struct HostMatrix {
  explicit HostMatrix(Shape s)
      : codes(static_cast<std::size_t>(code_bytes(s))),
        scales(static_cast<std::size_t>(scale_bytes(s))) {}
  Matrix matrix() { return {codes.data(), scales.data()}; }
  Bytes codes, scales;
};

void expect_equal(const DeviceMatrix& device, const HostMatrix& host, const char* what) {
  EXPECT_EQ(device.codes.to_host(), host.codes) << what;
  EXPECT_EQ(device.scales.to_host(), host.scales) << what;
}

void compare_all(const std::vector<Bf16>& x, Shape shape) {
  const DeviceBuffer<Bf16> dx(x);
  DeviceBuffer<float> amaxes(3);
  amaxes.fill_bytes(0xff);
  amax(dx.get(), shape, amaxes.get(), nullptr);
  amax_rht(dx.get(), shape, amaxes.get() + 1, amaxes.get() + 2, nullptr);
  const std::vector<float> a = amaxes.to_host();
  const float expected = reference::amax(x.data(), shape);
  const float expected_rht = reference::amax_rht_transposed(x.data(), shape);
  EXPECT_EQ(bits(a[0]), bits(expected));
  EXPECT_EQ(bits(a[1]), bits(expected));
  EXPECT_EQ(bits(a[2]), bits(expected_rht));

  DeviceMatrix q(shape), q_t(shape);
  HostMatrix h(shape), h_t(shape);
  quantize_1x16(dx.get(), shape, amaxes.get(), q.matrix(), nullptr);
  reference::quantize_1x16(x.data(), shape, expected, h.matrix());
  expect_equal(q, h, "1x16");

  DeviceBuffer<Bf16> expanded(x.size());
  dequantize(q.matrix(), shape, expanded.get(), nullptr);
  std::vector<Bf16> host_expanded(x.size());
  reference::dequantize(h.matrix(), shape, host_expanded.data());
  EXPECT_TRUE(expanded.to_host() == host_expanded) << "dequantise";

  quantize_16x16(dx.get(), shape, amaxes.get(), q.matrix(), q_t.matrix(), nullptr);
  reference::quantize_16x16(x.data(), shape, expected, h.matrix(), h_t.matrix());
  expect_equal(q, h, "16x16");
  expect_equal(q_t, h_t, "16x16, transposed");

  quantize_transposed(dx.get(), shape, amaxes.get(), Transform::none, q_t.matrix(), nullptr);
  reference::quantize_transposed(x.data(), shape, expected, Transform::none, h_t.matrix());
  expect_equal(q_t, h_t, "transposed");
  quantize_transposed(dx.get(), shape, amaxes.get() + 2, Transform::rht, q_t.matrix(), nullptr);
  reference::quantize_transposed(x.data(), shape, expected_rht, Transform::rht, h_t.matrix());
  expect_equal(q_t, h_t, "transposed with RHT");

  DeviceBuffer<Bf16> transformed(x.size());
  rht_transposed(dx.get(), shape, transformed.get(), nullptr);
  std::vector<Bf16> host_transformed(x.size());
  reference::rht_transposed(x.data(), shape, host_transformed.data());
  EXPECT_TRUE(transformed.to_host() == host_transformed) << "RHT";
}

class CudaGolden : public testing::TestWithParam<GoldenCase> {};

TEST_P(CudaGolden, EveryPathIsBitwiseEqual) {
  const GoldenCase& c = GetParam();
  const DeviceBuffer<Bf16> x(c.input);
  DeviceBuffer<float> amaxes(2);
  DeviceMatrix row(c.shape), col(c.shape);
  if (c.mode == "1d_rht") {
    amax_rht(x.get(), c.shape, amaxes.get(), amaxes.get() + 1, nullptr);
  } else {
    amax(x.get(), c.shape, amaxes.get(), nullptr);
    amax(x.get(), c.shape, amaxes.get() + 1, nullptr);
  }
  if (c.mode == "2d") {
    quantize_16x16(x.get(), c.shape, amaxes.get(), row.matrix(), col.matrix(), nullptr);
  } else {
    const Transform transform = c.mode == "1d_rht" ? Transform::rht : Transform::none;
    quantize_1x16(x.get(), c.shape, amaxes.get(), row.matrix(), nullptr);
    quantize_transposed(x.get(), c.shape, amaxes.get() + 1, transform, col.matrix(), nullptr);
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

// Smaller than a tile, cut tiles in each direction, and several whole ones.
const Shape kShapes[] = {{16, 16},  {16, 80},    {48, 16},   {112, 48},
                         {128, 64}, {144, 1040}, {272, 208}, {1024, 512}};

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
  for (const Shape shape : {Shape{64, 96}, Shape{144, 80}}) {
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

TEST(CudaNvfp4, RefusesShapesThatAreNoMultiplesOf16) {
  EXPECT_THROW(amax(nullptr, {16, 24}, nullptr, nullptr), std::invalid_argument);
  EXPECT_THROW(quantize_1x16(nullptr, {24, 16}, nullptr, {}, nullptr), std::invalid_argument);
}

// The plug-ins as `mansard run` and `mansard list` see them.
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
    PrepareOptions odd;
    odd.shape = {100, 100};
    EXPECT_THROW(spec.prepare(device, odd), std::invalid_argument) << spec.name;
  }
  EXPECT_EQ(operations, 8);
}

}  // namespace
}  // namespace mansard::nvfp4
