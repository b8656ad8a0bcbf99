// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analyzer/explain/ledger.h"

namespace mansard::reports {

// The ledger of one or two runs as one figure: a table with a waterfall bar in each row. A line
// opens, without a script, to its definition and its `details` largest kernels and causes. Lines
// below 2 % of the step time are gathered in one row, which opens to them; the sum stays exact.
// Shows the columns with these keys; the first one is the row header.
std::string html_ledger(analysis::Ledger ledger, std::size_t details,
                        const std::vector<std::string>& keys);

}  // namespace mansard::reports
