// SPDX-License-Identifier: Apache-2.0
// Compares every CUDA path of FP8 with the host reference, bit for bit, with guards after each
// result.
#include <gtest/gtest.h>

#include "kernels/device/device_buffer.h"
#include "kernels/fp8/fp8.h"
#include "kernels/fp8/reference.h"
#include "kernels/kernel.h"
#include "tests/kernels/fp8/fp8_inputs.h"

namespace mansard::kernels::fp8 {
namespace {

constexpr Format kFormats[] = {Format::e4m3, Format::e5m2};
constexpr ScaleRounding kRoundings[] = {ScaleRounding::power_of_two, ScaleRounding::none};
constexpr ScaleLayout kLayouts[] = {ScaleLayout::linear, ScaleLayout::tiled};
constexpr std::size_t kGuard = 512;
constexpr std::uint8_t kPoison = 0x5b;

std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }

// A result of `bytes` bytes on the device, poisoned and followed by poison.
class Guarded {
 public:
  explicit Guarded(std::size_t bytes) : bytes_(bytes), buffer_(bytes + kGuard) {
    buffer_.fill_bytes(kPoison);
  }
  std::uint8_t* get() const { return buffer_.get(); }
  float* floats() const { return reinterpret_cast<float*>(buffer_.get()); }
  Bf16* bf16s() const { return reinterpret_cast<Bf16*>(buffer_.get()); }

  void expect_equal(const void* expected, const char* what) const {
    const std::vector<std::uint8_t> actual = buffer_.to_host();
    const auto* e = static_cast<const std::uint8_t*>(expected);
    const auto [a, b] = std::mismatch(e, e + bytes_, actual.begin());
    EXPECT_EQ(a, e + bytes_) << what << " differs at byte " << a - e << ": " << int{*b};
    const std::vector<std::uint8_t> guard(kGuard, kPoison);
    EXPECT_TRUE(std::equal(guard.begin(), guard.end(), actual.end() - kGuard))
        << what << ": written behind its end";
  }

 private:
  std::size_t bytes_;
  DeviceBuffer<std::uint8_t> buffer_;
};

struct DeviceResults {
  explicit DeviceResults(const Results& host)
      : codes(host.codes.size()),
        codes_t(host.codes_t.size()),
        scales(host.scales.size()),
        scales_t(host.scales_t.size()) {}

  Blocks blocks() const { return {codes.get(), scales.floats()}; }
  Blocks blocks_t() const { return {codes_t.get(), scales_t.floats()}; }
  MxBlocks mx() const { return {codes.get(), scales.get()}; }
  MxBlocks mx_t() const { return {codes_t.get(), scales_t.get()}; }
  void expect_equal(const Results& host) const {
    codes.expect_equal(host.codes.data(), "codes");
    codes_t.expect_equal(host.codes_t.data(), "codes of the transpose");
    scales.expect_equal(host.scales.data(), "scales");
    scales_t.expect_equal(host.scales_t.data(), "scales of the transpose");
  }

  Guarded codes, codes_t, scales, scales_t;
};

// `reference_call(out)` and `device_call(out)` fill a vector and device memory with BF16.
template <typename ReferenceCall, typename DeviceCall>
void expect_equal_bf16(std::size_t count, const char* what, const ReferenceCall& reference_call,
                       const DeviceCall& device_call) {
  std::vector<Bf16> expected(count);
  reference_call(expected.data());
  const Guarded actual(2 * count);
  device_call(actual.bf16s());
  actual.expect_equal(expected.data(), what);
}

void compare_casts(const std::vector<Bf16>& x, Shape shape, const Bf16* dx) {
  const float amax = reference::amax(x.data(), shape);
  const Guarded device_amax(4);
  fp8::amax(dx, shape, device_amax.floats(), nullptr);
  device_amax.expect_equal(&amax, "amax");
  for (const Format format : kFormats) {
    SCOPED_TRACE(format == Format::e4m3 ? "cast to E4M3" : "cast to E5M2");
    const TensorScale scale = reference::tensor_scale(format, amax);
    std::vector<std::uint8_t> codes(x.size()), codes_t(x.size());
    reference::cast_transpose(format, x.data(), shape, scale.scale, codes.data(), codes_t.data(),
                              nullptr);
    // Current scaling: the cast computes the scale.
    const Guarded out(x.size()), out_t(x.size()), row_wise(x.size());
    DeviceBuffer<TensorScale> made(2);
    cast_transpose(format, dx, shape, {made.get(), device_amax.floats()}, out.get(), out_t.get(),
                   nullptr, nullptr);
    cast(format, dx, shape, {made.get() + 1, device_amax.floats()}, row_wise.get(), nullptr,
         nullptr);
    out.expect_equal(codes.data(), "codes");
    out_t.expect_equal(codes_t.data(), "codes of the transpose");
    row_wise.expect_equal(codes.data(), "codes alone");
    for (const TensorScale& s : made.to_host()) {
      EXPECT_EQ(bits(s.scale), bits(scale.scale));
      EXPECT_EQ(bits(s.inverse), bits(scale.inverse));
    }
    // Delayed scaling: the scale is given; the amax is raised and never lowered.
    const DeviceBuffer<TensorScale> given(std::vector<TensorScale>{{0.75f, 1.0f / 0.75f}});
    for (const float before : {0.0f, 3.0f}) {
      float raised = before;
      reference::cast_transpose(format, x.data(), shape, 0.75f, codes.data(), codes_t.data(),
                                &raised);
      const DeviceBuffer<float> both(std::vector<float>{before, before});
      cast_transpose(format, dx, shape, {given.get()}, out.get(), out_t.get(), both.get(), nullptr);
      cast(format, dx, shape, {given.get()}, row_wise.get(), both.get() + 1, nullptr);
      out.expect_equal(codes.data(), "codes, delayed");
      out_t.expect_equal(codes_t.data(), "codes of the transpose, delayed");
      row_wise.expect_equal(codes.data(), "codes alone, delayed");
      for (const float a : both.to_host()) EXPECT_EQ(bits(a), bits(raised));
    }
    expect_equal_bf16(
        x.size(), "decode", [&](Bf16* to) { reference::decode(format, codes.data(), shape, to); },
        [&](Bf16* to) { decode(format, out.get(), shape, to, nullptr); });
  }
}

void compare_blocks(const std::vector<Bf16>& x, Shape shape, const Bf16* dx) {
  const Shape turned = shape.transposed();
  for (const Format format : kFormats) {
    for (const ScaleRounding rounding : kRoundings) {
      SCOPED_TRACE("format " + std::to_string(static_cast<int>(format)) + ", rounding " +
                   std::to_string(static_cast<int>(rounding)));
      Results vectors = Results::of_1x128(shape);
      const DeviceResults device_vectors(vectors);
      reference::quantize_1x128(format, rounding, x.data(), shape, vectors.blocks(),
                                vectors.blocks_t());
      quantize_1x128(format, rounding, dx, shape, device_vectors.blocks(),
                     device_vectors.blocks_t(), nullptr);
      device_vectors.expect_equal(vectors);
      expect_equal_bf16(
          x.size(), "dequantize 1x128",
          [&](Bf16* to) { reference::dequantize_1x128(format, vectors.blocks_t(), turned, to); },
          [&](Bf16* to) {
            dequantize_1x128(format, device_vectors.blocks_t(), turned, to, nullptr);
          });

      Results squares = Results::of_128x128(shape);
      const DeviceResults device_squares(squares);
      reference::quantize_128x128(format, rounding, x.data(), shape, squares.blocks(),
                                  squares.blocks_t());
      quantize_128x128(format, rounding, dx, shape, device_squares.blocks(),
                       device_squares.blocks_t(), nullptr);
      device_squares.expect_equal(squares);
      expect_equal_bf16(
          x.size(), "dequantize 128x128",
          [&](Bf16* to) { reference::dequantize_128x128(format, squares.blocks(), shape, to); },
          [&](Bf16* to) {
            dequantize_128x128(format, device_squares.blocks(), shape, to, nullptr);
          });
    }
  }
}

void compare_mxfp8(const std::vector<Bf16>& x, Shape shape, const Bf16* dx) {
  for (const Format format : kFormats) {
    for (const ScaleLayout layout : kLayouts) {
      SCOPED_TRACE("MXFP8, format " + std::to_string(static_cast<int>(format)) + ", layout " +
                   std::to_string(static_cast<int>(layout)));
      Results host = Results::of_mxfp8(layout, shape);
      const DeviceResults device(host);
      reference::quantize_mxfp8(format, layout, x.data(), shape, host.mx(), host.mx_t());
      quantize_mxfp8(format, layout, dx, shape, device.mx(), device.mx_t(), nullptr);
      device.expect_equal(host);
      expect_equal_bf16(
          x.size(), "dequantize MXFP8",
          [&](Bf16* to) { reference::dequantize_mxfp8(format, layout, host.mx(), shape, to); },
          [&](Bf16* to) { dequantize_mxfp8(format, layout, device.mx(), shape, to, nullptr); });
    }
  }
}

class CudaFp8 : public testing::TestWithParam<Shape> {};

TEST_P(CudaFp8, EqualsTheReferenceOnEveryInput) {
  const Shape shape = GetParam();
  for (const SpecialInput& input : fp8_inputs(shape)) {
    SCOPED_TRACE(input.name);
    const DeviceBuffer<Bf16> dx(input.x);
    compare_casts(input.x, shape, dx.get());
    compare_blocks(input.x, shape, dx.get());
    compare_mxfp8(input.x, shape, dx.get());
    if (HasFailure()) return;  // messages for one input are enough
  }
}

INSTANTIATE_TEST_SUITE_P(Ragged, CudaFp8, testing::ValuesIn(ragged_shapes()),
                         [](const auto& test) { return text(test.param); });
// Several whole tiles, and the fast path with a partial tile at each edge.
INSTANTIATE_TEST_SUITE_P(Whole, CudaFp8,
                         testing::Values(Shape{256, 512}, Shape{512, 256}, Shape{144, 264}),
                         [](const auto& test) { return text(test.param); });

TEST(CudaFp8Scale, EqualsTheReference) {
  const float infinity = std::bit_cast<float>(0x7f800000u);
  for (const float amax :
       {0.0f, 1.0f, 3.0f, 448.0f, 1e-42f, 0x1p-130f, 3e38f, infinity, std::bit_cast<float>(~0u)}) {
    for (const Format format : kFormats) {
      const DeviceBuffer<float> device_amax(std::vector<float>{amax});
      const DeviceBuffer<TensorScale> scale(1);
      scale_from_amax(format, device_amax.get(), scale.get(), nullptr);
      const TensorScale actual = scale.to_host()[0];
      const TensorScale expected = reference::tensor_scale(format, amax);
      EXPECT_EQ(bits(actual.scale), bits(expected.scale)) << amax;
      EXPECT_EQ(bits(actual.inverse), bits(expected.inverse)) << amax;
    }
  }
}

// Lengths below, at and above the number of threads that shift the history.
TEST(CudaFp8Scale, DelayedScalingEqualsTheReference) {
  for (const int length : {1, 2, 16, 256, 257, 1024, 1500}) {
    for (const AmaxChoice choice : {AmaxChoice::largest, AmaxChoice::newest}) {
      std::vector<float> history(static_cast<std::size_t>(length));
      for (int i = 0; i < length; ++i) {
        history[static_cast<std::size_t>(i)] = static_cast<float>(i * 37 % 101);
      }
      const DeviceBuffer<float> device_history(history);
      for (const float next : {50.5f, 0.25f, std::bit_cast<float>(0x7fc00000u), 1.0f}) {
        float amax = next;
        const DeviceBuffer<float> device_amax(std::vector<float>{next});
        const DeviceBuffer<TensorScale> scale(1);
        TensorScale expected = {};
        reference::update_delayed_scale(Format::e4m3, choice, &amax, history.data(), length,
                                        &expected);
        update_delayed_scale(Format::e4m3, choice, device_amax.get(), device_history.get(), length,
                             scale.get(), nullptr);
        const std::vector<float> rolled = device_history.to_host();
        EXPECT_EQ(std::memcmp(rolled.data(), history.data(), 4 * history.size()), 0) << length;
        EXPECT_EQ(bits(device_amax.to_host()[0]), bits(amax));
        EXPECT_EQ(bits(scale.to_host()[0].scale), bits(expected.scale)) << length;
        EXPECT_EQ(bits(scale.to_host()[0].inverse), bits(expected.inverse)) << length;
      }
    }
  }
}

TEST(CudaFp8Shapes, EmptyShapesAreRejected) {
  EXPECT_THROW(amax(nullptr, {0, 24}, nullptr, nullptr), std::invalid_argument);
  EXPECT_THROW(quantize_mxfp8(Format::e4m3, ScaleLayout::linear, nullptr, {16, 0}, {}, {}, nullptr),
               std::invalid_argument);
}

// The plug-ins as `mansard run` and `mansard list` use them.
TEST(CudaFp8Operations, VerifyThemselves) {
  const DeviceInfo device = cuda_devices().front();
  for (const char* name : {"fp8_cast_transpose_e4m3", "fp8_cast_e4m3", "fp8_cast_transpose_e5m2",
                           "fp8_block_1x128", "fp8_block_128x128", "mxfp8_quantize"}) {
    const KernelSpec* spec = kernel_registry().find(name);
    ASSERT_NE(spec, nullptr) << name;
    for (const DataPattern pattern : {DataPattern::zeros, DataPattern::random_uniform}) {
      PrepareOptions options;
      options.pattern = pattern;
      options.shape = {272, 208};
      EXPECT_EQ(spec->prepare(device, options)->verify(), "") << name;
    }
  }
}

}  // namespace
}  // namespace mansard::kernels::fp8
