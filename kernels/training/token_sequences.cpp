// SPDX-License-Identifier: Apache-2.0
#include "kernels/training/token_sequences.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/hash.h"
#include "support/units.h"

namespace mansard::kernels {
namespace {

constexpr std::int64_t kValidationEvery = 50;

// The element at `index` of a pseudo-random permutation of 0, ..., size - 1 that `key` selects: a
// Feistel network permutes the numbers of an even number of bits, at most 4 * size of them (Luby
// and Rackoff, "How to construct pseudorandom permutations", 1988); its output is permuted again
// until it is less than `size`. Must not change, or checkpoints would continue in another order.
std::uint64_t permuted(std::uint64_t index, std::uint64_t size, std::uint64_t key) {
  constexpr int kRounds = 6;  // 4 suffice for halves of many bits
  const int bits = std::max(2, static_cast<int>(std::bit_width(size - 1)));
  const int half_bits = (bits + 1) / 2;
  const std::uint64_t mask = (std::uint64_t{1} << half_bits) - 1;
  do {
    std::uint64_t left = index >> half_bits, right = index & mask;
    for (int round = 0; round < kRounds; ++round) {
      const std::uint64_t round_key = splitmix64(key + static_cast<std::uint64_t>(round));
      const std::uint64_t mixed = left ^ (mix64(round_key ^ right) & mask);
      left = right;
      right = mixed;
    }
    index = left << half_bits | right;
  } while (index >= size);
  return index;
}

}  // namespace

TokenSequences::TokenSequences(const TokenData& data, std::int64_t length, std::uint64_t seed,
                               Validation validation)
    : data_(data),
      length_(length),
      seed_(seed),
      validation_(validation),
      windows_(length > 0 ? (data.tokens() - 1) / length : 0) {
  if (length <= 0) {
    throw std::invalid_argument("sequence length " + std::to_string(length) + " is not positive");
  }
  if (windows_ == 0) {
    throw std::runtime_error("training data '" + data.path().string() + "' has only " +
                             format_number_of(data.tokens(), "token") + ", and a sequence of " +
                             format_whole(length) + " needs " + format_whole(length + 1) +
                             "; use more data or a shorter sequence");
  }
}

std::int64_t TokenSequences::windows(Split split) const {
  const std::int64_t held_out = validation_ == Validation::none  ? 0
                                : validation_ == Validation::all ? windows_
                                                                 : windows_ / kValidationEvery;
  return split == Split::validation ? held_out : windows_ - held_out;
}

std::int64_t TokenSequences::window(Split split, std::int64_t position) const {
  const std::int64_t count = windows(split);
  if (position < 0 || count == 0 || (split == Split::validation && position >= count)) {
    throw std::out_of_range("window " + std::to_string(position) + " of " + std::to_string(count) +
                            " in '" + data_.path().string() + "'");
  }
  if (split == Split::validation) {
    return validation_ == Validation::all ? position
                                          : position * kValidationEvery + kValidationEvery - 1;
  }
  const auto epoch = static_cast<std::uint64_t>(position / count);
  const auto index = static_cast<std::int64_t>(
      permuted(static_cast<std::uint64_t>(position % count), static_cast<std::uint64_t>(count),
               splitmix64(splitmix64(seed_) ^ epoch)));
  return validation_ == Validation::none ? index : index + index / (kValidationEvery - 1);
}

void TokenSequences::read(Split split, std::int64_t position, std::int32_t* inputs,
                          std::int32_t* targets) const {
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(length_) + 1);
  data_.read(window(split, position) * length_, length_ + 1, tokens.data());
  std::copy(tokens.begin(), tokens.end() - 1, inputs);
  std::copy(tokens.begin() + 1, tokens.end(), targets);
}

}  // namespace mansard::kernels
