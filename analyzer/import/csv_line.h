// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mansard {

// The fields of one line of comma-separated values; "" within quotes is a quote.
std::vector<std::string> split_csv_line(std::string_view line);

}  // namespace mansard
