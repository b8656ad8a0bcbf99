// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/nvfp4/golden_cases.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace mansard::kernels {
namespace {

using nlohmann::json;

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read the golden vectors: " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <typename T>
std::vector<T> section(const json& entry, const char* key, const std::string& data) {
  const auto offset = entry.at(key).at(0).get<std::size_t>();
  const auto bytes = entry.at(key).at(1).get<std::size_t>();
  if (offset + bytes > data.size() || bytes % sizeof(T) != 0) {
    throw std::runtime_error("golden vectors: section " + std::string(key) + " of " +
                             entry.at("name").get<std::string>() + " is not in the file");
  }
  std::vector<T> values(bytes / sizeof(T));
  std::memcpy(values.data(), data.data() + offset, bytes);
  return values;
}

std::vector<GoldenCase> load() {
  const std::string stem = MANSARD_GOLDEN_FOLDER "/nvfp4/dev";
  const json index = json::parse(read_file(stem + ".json"));
  const std::string data = read_file(stem + ".bin");
  std::vector<GoldenCase> cases;
  for (const json& entry : index.at("cases")) {
    GoldenCase c;
    c.name = entry.at("name");
    c.mode = entry.at("mode");
    c.shape = {entry.at("rows"), entry.at("cols")};
    c.input = section<Bf16>(entry, "input_bf16", data);
    c.row_codes = section<std::uint8_t>(entry, "row_codes", data);
    c.row_scales = section<std::uint8_t>(entry, "row_scales_e4m3", data);
    c.row_amax = section<float>(entry, "row_amax_f32", data).at(0);
    c.col_codes = section<std::uint8_t>(entry, "col_codes", data);
    c.col_scales = section<std::uint8_t>(entry, "col_scales_e4m3", data);
    c.col_amax = section<float>(entry, "col_amax_f32", data).at(0);
    cases.push_back(std::move(c));
  }
  return cases;
}

}  // namespace

const std::vector<GoldenCase>& golden_cases() {
  static const std::vector<GoldenCase> cases = load();
  return cases;
}

}  // namespace mansard::kernels
