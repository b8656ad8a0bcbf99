// SPDX-License-Identifier: Apache-2.0
// Range checks for options with numbers. CLI11's own checks accept NaN, and print the largest
// double with all its digits.
#pragma once

#include <CLI/CLI.hpp>

namespace mansard::cli {

CLI::Validator above_zero();
CLI::Validator zero_or_more();

}  // namespace mansard::cli
