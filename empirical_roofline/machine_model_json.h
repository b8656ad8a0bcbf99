// SPDX-License-Identifier: Apache-2.0
// JSON conversion of the parts of a machine model, shared by the model file and the journal of an
// unfinished run. Field names include units; docs/machine-model.md describes each. Reading throws
// std::runtime_error (or the JSON library's exception) that names the field.
#pragma once

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "empirical_roofline/machine_model.h"

namespace mansard::roofline {

using Json = nlohmann::ordered_json;

template <typename Enum, std::size_t N>
Enum parse_enum(const std::string& text, const char* field, const std::array<Enum, N>& all) {
  for (const Enum e : all) {
    if (to_string(e) == text) return e;
  }
  throw std::runtime_error(std::string("'") + field + "' has the unknown value '" + text + "'");
}

Json to_json_value(const kernels::DeviceInfo& device);
kernels::DeviceInfo device_from_json(const Json& j);

// Stored by column, so that thousands of samples do not repeat the field names; columns without
// values are left out.
Json to_json_value(const std::vector<Sample>& samples);
std::vector<Sample> samples_from_json(const Json& j);

Json to_json_value(const Ceiling& ceiling);
Ceiling ceiling_from_json(const Json& j);

// Serializes with indentation, but arrays of numbers on one line.
std::string to_text(const Json& j);

}  // namespace mansard::roofline
