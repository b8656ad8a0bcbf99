// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/nvtx_names.h"

namespace mansard {

const NvtxDomain* NvtxNames::domain(std::string_view name) {
  const std::lock_guard lock(mutex_);
  auto at = domains_.find(name);
  if (at == domains_.end()) {
    const auto id = static_cast<std::int64_t>(domains_.size()) + 1;
    at = domains_.emplace(name, NvtxDomain{id, std::string(name)}).first;
  }
  return &at->second;
}

const NvtxString* NvtxNames::string(std::string_view text) {
  const std::lock_guard lock(mutex_);
  auto at = strings_.find(text);
  if (at == strings_.end()) at = strings_.emplace(text, NvtxString{std::string(text)}).first;
  return &at->second;
}

std::string to_utf8(const wchar_t* text) {
  std::string out;
  if (text == nullptr) return out;
  for (; *text != L'\0'; ++text) {
    auto c = static_cast<std::uint32_t>(*text);
    const bool surrogate = c >= 0xd800 && c < 0xe000;
    if (c > 0x10ffff || surrogate) c = 0xfffd;  // the replacement character
    const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((c >> shift) & 0x3f)); };
    if (c < 0x80) {
      out += static_cast<char>(c);
    } else if (c < 0x800) {
      out += static_cast<char>(0xc0 | (c >> 6));
      tail(0);
    } else if (c < 0x10000) {
      out += static_cast<char>(0xe0 | (c >> 12));
      tail(6);
      tail(0);
    } else {
      out += static_cast<char>(0xf0 | (c >> 18));
      tail(12);
      tail(6);
      tail(0);
    }
  }
  return out;
}

}  // namespace mansard
