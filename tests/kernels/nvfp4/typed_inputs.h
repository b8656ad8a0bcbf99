// SPDX-License-Identifier: Apache-2.0
// Matrices of any element type at the limits of the arithmetic, for comparing CUDA with the
// reference.
#pragma once

#include <bit>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/formats/random_input.h"
#include "kernels/formats/shape.h"

namespace mansard::kernels {

// Bits of an element type: all ones except the sign give NaN; values up to `infinity` are ordered.
template <typename T>
struct TypeBits {
  using Word = std::uint16_t;
  static constexpr Word kInfinity = std::is_same_v<T, Half> ? 0x7c00 : 0x7f80;
  static constexpr Word kSign = 0x8000;
};
template <>
struct TypeBits<float> {
  using Word = std::uint32_t;
  static constexpr Word kInfinity = 0x7f800000;
  static constexpr Word kSign = 0x80000000;
};

template <typename T>
std::vector<T> random_matrix(Shape shape, std::uint64_t seed, int exponent = 0) {
  std::vector<T> x(static_cast<std::size_t>(shape.elements()));
  fill_random(x.data(), shape.elements(), DataPattern::random_normal, seed, exponent);
  return x;
}

template <typename T>
struct TypedInput {
  std::string name;
  std::vector<T> x;
};

template <typename T>
std::vector<TypedInput<T>> typed_inputs(Shape shape) {
  using Bits = TypeBits<T>;
  using Word = typename Bits::Word;
  constexpr Word kMaximum = Bits::kInfinity - 1;
  const auto count = static_cast<std::size_t>(shape.elements());
  const std::vector<T> normal = random_matrix<T>(shape, 7);
  const auto made = [&](const std::function<Word(std::size_t, Word)>& bits) {
    std::vector<T> x = normal;
    for (std::size_t i = 0; i < count; ++i) {
      x[i] = std::bit_cast<T>(bits(i, std::bit_cast<Word>(x[i])));
    }
    return x;
  };
  const auto with = [&](std::size_t at, Word word) {
    return made([=](std::size_t i, Word w) { return i == at ? word : w; });
  };
  // Every kind of bit pattern, in an order that mixes magnitudes.
  const auto mixed = [](std::size_t i) { return static_cast<Word>(i * 2654435761u); };
  constexpr Word kLowestExponentBit = Bits::kInfinity & ~(Bits::kInfinity << 1);
  constexpr Word kFraction = kLowestExponentBit - 1;
  const auto word = [](auto w) { return static_cast<Word>(w); };
  return {
      {"zeros", made([](std::size_t, Word) { return Word{0}; })},
      {"negative_zeros", made([](std::size_t, Word) { return Bits::kSign; })},
      {"zero_blocks", made([=](std::size_t i, Word w) {
         return i / 16 % 3 == 0 ? word(i % 2 * Bits::kSign) : w;
       })},
      {"one_nan", with(17 % count, word(Bits::kInfinity | 5))},
      {"negative_nan", with(count - 1, word(Bits::kSign | Bits::kInfinity | kFraction))},
      {"one_infinity", with(33 % count, Bits::kInfinity)},
      {"one_maximum", with(5 % count, kMaximum)},
      {"all_maximum", made([=](std::size_t, Word) { return kMaximum; })},
      {"maxima_of_both_signs",
       made([=](std::size_t i, Word) { return word(kMaximum | mixed(i) % 2 * Bits::kSign); })},
      {"all_minimum", made([](std::size_t, Word) { return Word{1}; })},
      {"subnormal",
       made([=](std::size_t i, Word) { return word(mixed(i) & (Bits::kSign | kFraction)); })},
      {"tiny", random_matrix<T>(shape, 8, std::is_same_v<T, Half> ? -20 : -120)},
      {"huge", random_matrix<T>(shape, 8, std::is_same_v<T, Half> ? 12 : 124)},
      {"finite_bits",
       made([=](std::size_t i, Word) { return word(mixed(i) & ~kLowestExponentBit); })},
      {"all_bits", made([=](std::size_t i, Word) { return mixed(i); })},
  };
}

}  // namespace mansard::kernels
