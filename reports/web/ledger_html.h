// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analyzer/explain/ledger.h"

namespace mansard::reports {

// A ledger as a table whose lines expand, without a script, to the `details` largest kernels and
// causes of each. Shows the columns with these keys; the first one is the row header.
std::string html_ledger(const analysis::Ledger& ledger, std::size_t details,
                        const std::vector<std::string>& keys);

}  // namespace mansard::reports
