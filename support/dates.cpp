// SPDX-License-Identifier: Apache-2.0
#include "support/dates.h"

#include <ctime>

namespace mansard {

std::string format_utc(std::int64_t utc_ns) {
  const std::time_t seconds = static_cast<std::time_t>(utc_ns / 1'000'000'000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
  return text;
}

}  // namespace mansard
