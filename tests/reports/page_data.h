// SPDX-License-Identifier: Apache-2.0
// The data of a page, decompressed as the page's script does it (reports/web/packed_json.h).
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <zlib.h>

#include <nlohmann/json.hpp>

namespace mansard::test {

inline std::string base64_decoded(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text.substr(0, text.find('='))) {
    bits = bits << 6 | static_cast<unsigned>(kDigits.find(c));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count);
  }
  return bytes;
}

inline nlohmann::json unpacked(const nlohmann::json& packed) {
  const std::string bytes = base64_decoded(packed["deflate"].get_ref<const std::string&>());
  std::string text(64, '\0');
  uLongf size = 0;
  int code = Z_BUF_ERROR;
  while (code == Z_BUF_ERROR) {
    text.resize(4 * text.size());
    size = text.size();
    code = uncompress(reinterpret_cast<Bytef*>(text.data()), &size,
                      reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  }
  if (code != Z_OK) throw std::runtime_error("damaged data in the page");
  text.resize(size);
  return nlohmann::json::parse(text);
}

// The sections of a page by id.
inline nlohmann::json page_sections(const std::string& page) {
  const std::string start = "<script type=\"application/json\" id=\"report-data\">";
  const std::size_t from = page.find(start) + start.size();
  nlohmann::json sections =
      nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from))["sections"];
  for (nlohmann::json& section : sections) {
    if (section.contains("deflate")) section = unpacked(section);
  }
  return sections;
}

}  // namespace mansard::test
