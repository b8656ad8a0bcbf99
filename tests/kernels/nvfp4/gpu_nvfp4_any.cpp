// SPDX-License-Identifier: Apache-2.0
// Compares FP16, FP32 and every Hadamard transform on CUDA with the host reference, bit for bit.
#include <gtest/gtest.h>

#include "kernels/device/device_buffer.h"
#include "kernels/nvfp4/nvfp4.h"
#include "kernels/nvfp4/reference.h"
#include "tests/kernels/nvfp4/typed_inputs.h"

namespace mansard::kernels::nvfp4 {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kGuard = 64;  // bytes after every result that must not be written
constexpr std::uint8_t kUnwritten = 0xee;

// A result on host and device.
template <typename T>
class Output {
 public:
  explicit Output(std::int64_t count)
      : expected_(static_cast<std::size_t>(count)), device_(bytes() + kGuard) {
    device_.fill_bytes(kUnwritten);
  }
  T* host() { return expected_.data(); }
  T* device() { return reinterpret_cast<T*>(device_.get()); }
  void expect_equal(const std::string& what) const {
    const Bytes actual = device_.to_host();
    const auto* const expected = reinterpret_cast<const std::uint8_t*>(expected_.data());
    const auto at = std::mismatch(expected, expected + bytes(), actual.begin());
    if (at.first != expected + bytes()) {
      ADD_FAILURE() << what << ": first differs at byte " << at.first - expected << " of "
                    << bytes() << ": " << int{*at.second} << " instead of " << int{*at.first};
    }
    EXPECT_EQ(Bytes(actual.end() - kGuard, actual.end()), Bytes(kGuard, kUnwritten)) << what;
  }

 private:
  std::size_t bytes() const { return expected_.size() * sizeof(T); }
  std::vector<T> expected_;
  DeviceBuffer<std::uint8_t> device_;
};

struct Quantized {
  Quantized(Shape s, ScaleLayout layout) : codes(code_bytes(s)), scales(scale_bytes(s, layout)) {}
  Matrix host() { return {codes.host(), scales.host()}; }
  Matrix device() { return {codes.device(), scales.device()}; }
  void expect_equal(const std::string& what) const {
    codes.expect_equal(what + ", codes");
    scales.expect_equal(what + ", scales");
  }
  Output<std::uint8_t> codes, scales;
};

// x and its maxima on host and device.
template <typename T>
struct AnyProblem {
  AnyProblem(const std::vector<T>& values, Shape s, const Hadamard& h)
      : x(values), shape(s), hadamard(h), on_device(values) {
    scratch.fill_bytes(0);
    Output<float> alone(1), maxima(2);
    *alone.host() = maxima.host()[0] = amax[0] = reference::amax(x.data(), shape);
    maxima.host()[1] = amax[1] = reference::amax_rht_transposed(x.data(), shape, hadamard);
    nvfp4::amax(input(), shape, alone.device(), scratch.get(), nullptr);
    amax_rht(input(), shape, hadamard, maxima.device(), maxima.device() + 1, scratch.get(),
             nullptr);
    alone.expect_equal("amax");
    maxima.expect_equal("amax of x and of the transform");
    amax_on_device = DeviceBuffer<float>(amax);
  }
  Input input() const { return on_device.get(); }

  const std::vector<T>& x;
  Shape shape;
  Hadamard hadamard;
  DeviceBuffer<T> on_device;
  DeviceBuffer<AmaxScratch> scratch{1};
  std::vector<float> amax{0.0f, 0.0f};
  DeviceBuffer<float> amax_on_device;
};

template <typename T>
void compare_quantizers(const AnyProblem<T>& p, const RandomState* state, ScaleLayout layout) {
  SCOPED_TRACE(state != nullptr ? "stochastic" : "nearest");
  const DeviceBuffer<RandomState> random(std::vector{state != nullptr ? *state : RandomState{}});
  const Options options = {state != nullptr ? random.get() : nullptr, layout};
  const reference::Options host_options = {state, layout};
  const float* const amax = p.amax_on_device.get();
  const Shape t = p.shape.transposed();

  Quantized rows(p.shape, layout), both(p.shape, layout);
  reference::quantize_1x16(p.x.data(), p.shape, p.amax[0], rows.host(), host_options);
  reference::quantize_1x16(p.x.data(), p.shape, p.amax[0], both.host(), host_options);
  quantize_1x16(p.input(), p.shape, amax, rows.device(), options, nullptr);
  rows.expect_equal("1x16");

  for (const Hadamard& h : {Hadamard(Transform::none), p.hadamard}) {
    const int which = h.size == 1 ? 0 : 1;
    Quantized columns(t, layout), both_t(t, layout);
    reference::quantize_transposed(p.x.data(), p.shape, p.amax[which], h, columns.host(),
                                   host_options);
    reference::quantize_transposed(p.x.data(), p.shape, p.amax[which], h, both_t.host(),
                                   host_options);
    quantize_transposed(p.input(), p.shape, amax + which, h, columns.device(), options, nullptr);
    columns.expect_equal("transposed, transform of " + std::to_string(h.size));
    quantize_both(p.input(), p.shape, amax, amax + which, h, both.device(), both_t.device(),
                  options, nullptr);
    both.expect_equal("both: rows");
    both_t.expect_equal("both: columns, transform of " + std::to_string(h.size));
  }

  Quantized square(p.shape, layout), square_t(t, layout);
  reference::quantize_16x16(p.x.data(), p.shape, p.amax[0], square.host(), square_t.host(),
                            host_options);
  quantize_16x16(p.input(), p.shape, amax, square.device(), square_t.device(), options, nullptr);
  square.expect_equal("16x16");
  square_t.expect_equal("16x16, transposed");
}

template <typename T>
void compare_all(const std::vector<T>& x, Shape shape, const Hadamard& hadamard) {
  SCOPED_TRACE(std::to_string(shape.rows) + "x" + std::to_string(shape.cols) + ", transform of " +
               std::to_string(hadamard.size));
  const AnyProblem<T> problem(x, shape, hadamard);
  const RandomState state = {0x123456789abcdefu, 42};
  for (const ScaleLayout layout : {ScaleLayout::linear, ScaleLayout::tiled}) {
    compare_quantizers(problem, nullptr, layout);
    compare_quantizers(problem, &state, layout);
  }
  Output<Bf16> transformed(shape.elements());
  reference::rht_transposed(x.data(), shape, transformed.host(), hadamard);
  rht_transposed(problem.input(), shape, hadamard, transformed.device(), nullptr);
  transformed.expect_equal("transform alone");
}

template <typename T>
class CudaNvfp4Of : public testing::Test {};
using ElementTypes = testing::Types<Bf16, Half, float>;
TYPED_TEST_SUITE(CudaNvfp4Of, ElementTypes);

// Smaller than a tile, partial tiles in each direction, whole tiles, and rows not 16-byte aligned.
const Shape kAnyShapes[] = {{1, 1},     {1, 129},   {15, 17},  {17, 15},   {127, 128},
                            {129, 127}, {16, 16},   {48, 68},  {112, 72},  {128, 64},
                            {128, 256}, {129, 264}, {257, 20}, {272, 208}, {1000, 776}};

TYPED_TEST(CudaNvfp4Of, EqualsTheReferenceOnRandomData) {
  for (const Shape shape : kAnyShapes) {
    for (const int size : {4, 8, 16, 32, 64, 128}) {
      compare_all(random_matrix<TypeParam>(shape, 11), shape, Hadamard::random(size, 3));
    }
    compare_all(random_matrix<TypeParam>(shape, 12), shape, Transform::rht);
  }
}

TYPED_TEST(CudaNvfp4Of, EqualsTheReferenceOnSpecialValues) {
  for (const Shape shape : {Shape{129, 81}, Shape{128, 64}}) {
    for (const TypedInput<TypeParam>& input : typed_inputs<TypeParam>(shape)) {
      SCOPED_TRACE(input.name);
      for (const int size : {4, 32, 128}) {
        compare_all(input.x, shape, Hadamard::random(size, 5));
      }
      compare_all(input.x, shape, Transform::rht);
    }
  }
}

TEST(CudaNvfp4Any, RejectsEmptyShapesAndUnknownTransforms) {
  const Input none(static_cast<const float*>(nullptr));
  EXPECT_THROW(amax(none, {16, 0}, nullptr, nullptr, nullptr), std::invalid_argument);
  EXPECT_THROW(quantize_1x16(none, {0, 16}, nullptr, {}, {}, nullptr), std::invalid_argument);
  Hadamard twelve;
  twelve.size = 12;
  EXPECT_THROW(quantize_transposed(none, {16, 16}, nullptr, twelve, {}, {}, nullptr),
               std::invalid_argument);
  EXPECT_THROW(rht_transposed(none, {16, 16}, Transform::none, nullptr, nullptr),
               std::invalid_argument);
}

}  // namespace
}  // namespace mansard::kernels::nvfp4
