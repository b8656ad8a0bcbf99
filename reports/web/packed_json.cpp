// SPDX-License-Identifier: Apache-2.0
#include "reports/web/packed_json.h"

#include <cstdint>
#include <new>
#include <zlib.h>

namespace mansard::reports {
namespace {

std::string deflated(std::string_view text) {
  uLongf size = compressBound(text.size());
  std::string out(size, '\0');
  // Fails only for lack of memory: the buffer is large enough.
  if (compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                reinterpret_cast<const Bytef*>(text.data()), text.size(),
                Z_BEST_COMPRESSION) != Z_OK) {
    throw std::bad_alloc();
  }
  out.resize(size);
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view group = bytes.substr(i, 3);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = bits << 8 | (k < group.size() ? static_cast<std::uint8_t>(group[k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += k <= group.size() ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
    }
  }
  return out;
}

}  // namespace

std::string packed_json(std::string_view json) {
  return "{\"deflate\": \"" + base64(deflated(json)) + "\"}";
}

}  // namespace mansard::reports
