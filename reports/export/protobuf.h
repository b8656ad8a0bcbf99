// SPDX-License-Identifier: Apache-2.0
// A writer for the Protocol Buffers wire format (protobuf.dev/programming-guides/encoding).
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace mansard::reports {

class ProtoMessage {
 public:
  void varint(std::uint32_t field, std::uint64_t value) {
    tag(field, 0);
    raw_varint(value);
  }
  // int32 and int64 of protobuf: negative numbers need ten bytes.
  void integer(std::uint32_t field, std::int64_t value) {
    varint(field, static_cast<std::uint64_t>(value));
  }
  void fixed64(std::uint32_t field, std::uint64_t value) {
    tag(field, 1);
    for (int byte = 0; byte < 8; ++byte) bytes_ += static_cast<char>(value >> (8 * byte) & 0xff);
  }
  void real(std::uint32_t field, double value) {
    fixed64(field, std::bit_cast<std::uint64_t>(value));
  }
  void bytes(std::uint32_t field, std::string_view value) {
    tag(field, 2);
    raw_varint(value.size());
    bytes_ += value;
  }
  void message(std::uint32_t field, const ProtoMessage& value) { bytes(field, value.bytes_); }

  std::string_view encoded() const { return bytes_; }
  bool empty() const { return bytes_.empty(); }
  void clear() { bytes_.clear(); }  // keeps its memory

 private:
  void tag(std::uint32_t field, std::uint32_t wire_type) { raw_varint(field << 3 | wire_type); }
  void raw_varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7f) | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace mansard::reports
