// SPDX-License-Identifier: Apache-2.0
// Converts a member of a record to an integer and back.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>
#include <variant>

#include "collector/store/host_tables.h"

namespace mansard::store {

// For a variant, the index of the alternative is not packed.
template <class Value>
std::int64_t packed_value(const Value& value) {
  if constexpr (std::is_same_v<Value, NvtxPayload>) {
    return std::visit([](const auto& alternative) { return packed_value(alternative); }, value);
  } else if constexpr (std::is_same_v<Value, NvtxJson>) {
    return value.id;
  } else if constexpr (std::is_same_v<Value, double>) {
    return std::bit_cast<std::int64_t>(value);
  } else if constexpr (std::is_same_v<Value, float>) {
    return std::bit_cast<std::int32_t>(value);
  } else if constexpr (std::is_same_v<Value, std::monostate>) {
    return 0;
  } else {
    return static_cast<std::int64_t>(value);
  }
}

template <class Value>
void unpack_value(Value& value, std::int64_t bits) {
  if constexpr (std::is_same_v<Value, NvtxPayload>) {
    std::visit([bits](auto& alternative) { unpack_value(alternative, bits); }, value);
  } else if constexpr (std::is_same_v<Value, NvtxJson>) {
    value.id = bits;
  } else if constexpr (std::is_same_v<Value, double>) {
    value = std::bit_cast<double>(bits);
  } else if constexpr (std::is_same_v<Value, float>) {
    value = std::bit_cast<float>(static_cast<std::int32_t>(bits));
  } else if constexpr (!std::is_same_v<Value, std::monostate>) {
    value = static_cast<Value>(bits);
  }
}

}  // namespace mansard::store
