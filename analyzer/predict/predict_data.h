// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/csv.h"

namespace mansard::analysis {

// Returns a file of analyzer/predict/data, which are compiled into the program. Throws
// std::runtime_error if there is no such file.
CsvTable predict_data(std::string_view file);

}  // namespace mansard::analysis
