// SPDX-License-Identifier: Apache-2.0
// Tensors and FP64 comparisons for the checks of operations.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/formats/random_input.h"
#include "kernels/recipes/backend.h"

namespace mansard::kernels {

using Values = std::vector<double>;

inline double number(Bf16 x) { return double{bf16::to_float(x)}; }
inline double number(float x) { return double{x}; }

// A tensor in the backend's memory.
template <class T>
class Tensor {
 public:
  Tensor(Backend& backend, const std::vector<T>& values)
      : backend_(&backend),
        count_(values.size()),
        memory_(backend.allocate(static_cast<std::int64_t>(sizeof(T) * values.size()))) {
    backend.write(get(), values.data(), static_cast<std::int64_t>(sizeof(T) * count_));
  }
  // Filled with a byte pattern that is a NaN in both formats, so that unwritten results are seen.
  Tensor(Backend& backend, std::int64_t count)
      : Tensor(backend, poison(static_cast<std::size_t>(count))) {}

  std::int64_t count() const { return static_cast<std::int64_t>(count_); }
  T* get() const { return static_cast<T*>(memory_.get()); }
  std::vector<T> raw() const {
    std::vector<T> host(count_);
    backend_->read(host.data(), get(), static_cast<std::int64_t>(sizeof(T) * count_));
    return host;
  }
  Values values() const {
    Values all;
    for (const T x : raw()) all.push_back(number(x));
    return all;
  }

 private:
  static std::vector<T> poison(std::size_t count) {
    std::vector<T> values(count);
    std::fill_n(reinterpret_cast<unsigned char*>(values.data()), sizeof(T) * count, 0xff);
    return values;
  }

  Backend* backend_;
  std::size_t count_;
  std::shared_ptr<void> memory_;
};

// Compares the amax that an operation has raised from 0 with that of a separate pass over the
// matrix, bit for bit.
inline void expect_amax(Backend& backend, const Tensor<float>& raised, const Tensor<Bf16>& x,
                        const char* what) {
  const Tensor<float> expected(backend, 1);
  backend.amax(x.get(), {1, x.count()}, expected.get());
  EXPECT_EQ(std::bit_cast<std::uint32_t>(raised.raw().front()),
            std::bit_cast<std::uint32_t>(expected.raw().front()))
      << "amax of " << what << ": " << raised.raw().front() << ", a separate pass gives "
      << expected.raw().front();
}

inline std::vector<Bf16> random_values(std::int64_t count, std::uint64_t seed, int exponent = 0) {
  std::vector<Bf16> values(static_cast<std::size_t>(count));
  fill_random(values.data(), count, DataPattern::random_normal, seed, exponent);
  return values;
}
inline Values wide(const std::vector<Bf16>& values) {
  Values all;
  for (const Bf16 x : values) all.push_back(number(x));
  return all;
}

inline std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// BF16 rounds to 2^-8; results of several roundings and FP32 sums get 2^-7 of their own size, and
// as much of the tensor's root mean square, because terms cancel.
inline void expect_near(const Values& actual, const Values& expected, const char* what,
                        double tolerance = 0x1p-7) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  double squares = 0;
  for (const double x : expected) squares += x * x;
  const double rms = std::sqrt(squares / static_cast<double>(expected.size()));
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double allowed = tolerance * (std::fabs(expected[i]) + rms);
    ASSERT_LE(std::fabs(actual[i] - expected[i]), allowed)
        << what << ", element " << i << ": " << actual[i] << ", FP64 gives " << expected[i];
  }
}

// Central differences of `loss` by the elements of `x` at `indices`.
inline Values numeric_gradient(const std::function<double(const Values&)>& loss, Values x,
                               const std::vector<std::size_t>& indices) {
  constexpr double kStep = 1e-5;
  Values gradient;
  for (const std::size_t i : indices) {
    const double before = x[i];
    x[i] = before + kStep;
    const double above = loss(x);
    x[i] = before - kStep;
    gradient.push_back((above - loss(x)) / (2 * kStep));
    x[i] = before;
  }
  return gradient;
}

inline std::vector<std::size_t> all_of(std::size_t count) {
  std::vector<std::size_t> indices(count);
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  return indices;
}

inline Values pick(const Values& x, const std::vector<std::size_t>& indices) {
  Values picked;
  for (const std::size_t i : indices) picked.push_back(x[i]);
  return picked;
}

inline double dot(const Values& a, const Values& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace mansard::kernels
