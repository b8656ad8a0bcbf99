// SPDX-License-Identifier: Apache-2.0
// Cells and columns of tables as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "analyzer/table.h"

namespace mansard::reports {

// Null for unknown values and for numbers that are not finite.
nlohmann::ordered_json json_of(const analysis::Cell& cell);

nlohmann::ordered_json json_of(const analysis::Column& column);

}  // namespace mansard::reports
