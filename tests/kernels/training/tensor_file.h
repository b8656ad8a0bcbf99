// SPDX-License-Identifier: Apache-2.0
// Files and the tensors of safetensors files, read without the code under test.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace mansard::kernels {

inline std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
inline void write_content(const std::filesystem::path& file, const std::string& content) {
  std::ofstream(file, std::ios::binary) << content;
}

// By name.
inline std::map<std::string, std::string> tensors_of(const std::filesystem::path& file) {
  const std::string content = content_of(file);
  std::uint64_t header_bytes = 0;
  std::memcpy(&header_bytes, content.data(), 8);
  std::map<std::string, std::string> tensors;
  const auto header = nlohmann::json::parse(content.substr(8, header_bytes));
  for (const auto& [name, tensor] : header.items()) {
    if (name == "__metadata__") continue;
    const auto first = tensor["data_offsets"][0].get<std::size_t>();
    const auto end = tensor["data_offsets"][1].get<std::size_t>();
    tensors[name] = content.substr(8 + header_bytes + first, end - first);
  }
  return tensors;
}

inline std::vector<std::int32_t> rows_of(const std::filesystem::path& file) {
  const std::string bytes = tensors_of(file).at("rows");
  std::vector<std::int32_t> rows(bytes.size() / 4);
  std::memcpy(rows.data(), bytes.data(), bytes.size());
  return rows;
}

}  // namespace mansard::kernels
