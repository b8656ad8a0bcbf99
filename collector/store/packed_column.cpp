// SPDX-License-Identifier: Apache-2.0
#include "collector/store/packed_column.h"

#include <algorithm>

namespace mansard::store {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);

std::size_t width_of(std::uint64_t largest) {
  if (largest == 0) return 0;
  if (largest <= 0xff) return 1;
  if (largest <= 0xffff) return 2;
  return largest <= 0xffffffff ? 4 : 8;
}

}  // namespace

void PackedColumn::pack_block() {
  const auto [least, most] = std::minmax_element(pending_.begin(), pending_.end());
  const auto from = static_cast<std::uint64_t>(*least);
  const std::size_t width = width_of(static_cast<std::uint64_t>(*most) - from);
  const std::size_t first = bytes_.empty() ? 0 : bytes_.size() - kWord;
  blocks_.push_back({*least, first, width});
  bytes_.resize(first + pending_.size() * width + kWord);
  unsigned char* at = bytes_.data() + first;
  for (const std::int64_t value : pending_) {
    const std::uint64_t difference = static_cast<std::uint64_t>(value) - from;
    std::memcpy(at, &difference, width);
    at += width;
  }
  values_of_last_ = pending_.size();
  pending_.clear();
}

void PackedColumn::finish() {
  if (!pending_.empty()) pack_block();
  pending_ = {};
  blocks_.shrink_to_fit();
  bytes_.shrink_to_fit();
}

}  // namespace mansard::store
