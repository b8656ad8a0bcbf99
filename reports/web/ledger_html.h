// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/table.h"

namespace mansard::reports {

// A ledger as a table whose lines open to what is behind them, without a script. `lines` and
// `kernels` are the first two tables of ledger_finding() (analyzer/explain/ledger.h); of `lines`
// the columns of these keys are shown, the first one as the line's name.
std::string html_ledger(const analysis::Table& lines, const analysis::Table& kernels,
                        const std::vector<std::string_view>& columns);

}  // namespace mansard::reports
