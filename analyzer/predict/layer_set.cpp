// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/layer_set.h"

#include <charconv>
#include <optional>
#include <stdexcept>
#include <string>

namespace mansard::analysis {
namespace {

std::optional<std::size_t> number_of(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::vector<bool> parse_layer_set(std::string_view text, std::size_t layers) {
  std::vector<bool> set(layers, text == "all");
  if (text == "all" || text == "none" || text.empty()) return set;
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find_first_of(",;");
    const std::string_view part = rest.substr(0, comma);
    const auto fail = [&](const std::string& why) {
      throw std::runtime_error("layers '" + std::string(text) + "': '" + std::string(part) + "' " +
                               why + "; examples: first:1,last:4 or 0,3-5 or none or all");
    };
    const auto checked = [&](std::string_view digits, std::size_t most) {
      const std::optional<std::size_t> value = number_of(digits);
      if (!value) fail("is not valid");
      if (*value > most) fail("exceeds the model's " + std::to_string(layers) + " layers");
      return *value;
    };
    std::size_t begin = 0;
    std::size_t end = layers;
    if (part.starts_with("first:")) {
      end = checked(part.substr(6), layers);
    } else if (part.starts_with("last:")) {
      begin = layers - checked(part.substr(5), layers);
    } else {
      const std::size_t dash = part.find('-');
      begin = checked(part.substr(0, dash), layers - 1);
      end =
          1 + (dash == std::string_view::npos ? begin : checked(part.substr(dash + 1), layers - 1));
      if (end <= begin) fail("ends before it starts");
    }
    for (std::size_t i = begin; i < end; ++i) set[i] = true;
    if (comma == std::string_view::npos) return set;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace mansard::analysis
