// SPDX-License-Identifier: Apache-2.0
// Reads the Protocol Buffers wire format without a schema.
#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace mansard::test {

struct ProtoValue {
  int wire_type = 0;
  std::uint64_t number = 0;  // wire types 0 and 1
  std::string_view bytes;    // wire type 2
  double real() const { return std::bit_cast<double>(number); }
};

using ProtoFields = std::map<std::uint32_t, std::vector<ProtoValue>>;

// Throws std::runtime_error for invalid messages.
inline ProtoFields read_message(std::string_view bytes) {
  ProtoFields fields;
  const auto take = [&](std::size_t count) {
    if (count > bytes.size()) throw std::runtime_error("the message ends in a field");
    const std::string_view taken = bytes.substr(0, count);
    bytes.remove_prefix(count);
    return taken;
  };
  const auto varint = [&] {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      if (shift > 63) throw std::runtime_error("a varint of more than ten bytes");
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (!bytes.empty()) {
    const std::uint64_t tag = varint();
    ProtoValue value;
    value.wire_type = static_cast<int>(tag & 7);
    if (value.wire_type == 0) {
      value.number = varint();
    } else if (value.wire_type == 1) {
      const std::string_view eight = take(8);
      for (std::size_t i = 0; i < 8; ++i) {
        value.number |= static_cast<std::uint64_t>(static_cast<unsigned char>(eight[i])) << 8 * i;
      }
    } else if (value.wire_type == 2) {
      value.bytes = take(varint());
    } else {
      throw std::runtime_error("wire type " + std::to_string(value.wire_type));
    }
    fields[static_cast<std::uint32_t>(tag >> 3)].push_back(value);
  }
  return fields;
}

}  // namespace mansard::test
