// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analyzer/explain/ledger.h"

namespace mansard::reports {

// A ledger as a table whose lines open to the kernels and causes behind them, the largest `details`
// of each, without a script. Shows the columns of these keys, the first one as the line's name.
std::string html_ledger(const analysis::Ledger& ledger, std::size_t details,
                        const std::vector<std::string>& keys);

}  // namespace mansard::reports
