// SPDX-License-Identifier: Apache-2.0
// A compressed array of integers: each block stores its minimum and the differences to it, with as
// few bytes as needed. Successive times take four bytes, increasing counters one or two, constant
// values none.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

namespace mansard::store {

class PackedColumn {
 public:
  static constexpr std::size_t kBlock = 128;

  void push_back(std::int64_t value) {
    pending_.push_back(value);
    if (pending_.size() == kBlock) pack_block();
  }
  // To be called once, after adding the last value and before reading.
  void finish();

  std::size_t size() const {
    return blocks_.empty() ? 0 : (blocks_.size() - 1) * kBlock + values_of_last_;
  }

  [[gnu::always_inline]] std::int64_t operator[](std::size_t i) const {
    const Block& block = blocks_[i / kBlock];
    std::uint64_t word;  // the difference; the upper bytes belong to the next values
    std::memcpy(&word, bytes_.data() + block.first_byte + i % kBlock * block.width, sizeof word);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(block.least) +
                                     (word & kMasks[block.width]));
  }

  std::size_t held_bytes() const {
    return bytes_.capacity() + blocks_.capacity() * sizeof(Block) +
           pending_.capacity() * sizeof(std::int64_t);
  }

 private:
  static_assert(std::endian::native == std::endian::little);
  struct Block {
    std::int64_t least;
    std::uint64_t first_byte : 60;
    std::uint64_t width : 4;  // bytes of a difference: 0, 1, 2, 4 or 8
  };
  static constexpr std::array<std::uint64_t, 9> kMasks = {
      0, 0xff, 0xffff, 0, 0xffffffff, 0, 0, 0, 0xffffffffffffffff};

  void pack_block();

  std::vector<Block> blocks_;
  // Padded with one word, so that a whole word can be read at each difference.
  std::vector<unsigned char> bytes_;
  std::vector<std::int64_t> pending_;
  std::size_t values_of_last_ = 0;  // block
};

}  // namespace mansard::store
