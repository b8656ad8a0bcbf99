// SPDX-License-Identifier: Apache-2.0
// Cells and columns of tables as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "analyzer/table.h"

namespace mansard::reports {

// Null where the value is not known, or not a finite number.
nlohmann::ordered_json json_of(const analysis::Cell& cell);

nlohmann::ordered_json json_of(const analysis::Column& column);

}  // namespace mansard::reports
