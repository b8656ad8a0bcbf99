// SPDX-License-Identifier: Apache-2.0
#include "cli/number_checks.h"

#include <cmath>
#include <string>

namespace mansard::cli {
namespace {

CLI::Validator number_check(bool (*allows)(double), const std::string& wanted, const char* name) {
  return CLI::Validator(
      [allows, wanted](const std::string& text) {
        double value = 0;
        const bool number = CLI::detail::lexical_cast(text, value) && std::isfinite(value);
        return number && allows(value) ? std::string() : "must be " + wanted + ", not " + text;
      },
      name);
}

}  // namespace

CLI::Validator above_zero() {
  return number_check([](double x) { return x > 0; }, "a number above 0", "POSITIVE");
}

CLI::Validator zero_or_more() {
  return number_check([](double x) { return x >= 0; }, "0 or more", "NONNEGATIVE");
}

}  // namespace mansard::cli
