// SPDX-License-Identifier: Apache-2.0
// What numbers an option takes. CLI11's own checks let NaN pass, and name the largest double in all
// its digits.
#pragma once

#include <CLI/CLI.hpp>

namespace mansard::cli {

CLI::Validator above_zero();
CLI::Validator zero_or_more();

}  // namespace mansard::cli
