// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "collector/store/profile.h"

namespace mansard::store {

std::string describe_windows(const SessionInfo& session) {
  if (session.window_request.empty() && session.windows.empty()) return "";
  const std::string request =
      session.window_request.empty() ? "" : " (" + session.window_request + ")";
  if (session.windows.empty()) return "no recording window" + request;
  std::int64_t total_ns = 0;
  bool open = false;
  for (const RecordedWindow& window : session.windows) {
    if (window.end_ns < 0) {
      open = true;
    } else {
      total_ns += window.end_ns - window.start_ns;
    }
  }
  const std::size_t count = session.windows.size();
  std::string text =
      std::to_string(count) + (count == 1 ? " recording window" : " recording windows") + request;
  if (count > 1 || !open) {
    char total[48];
    std::snprintf(total, sizeof total, ", %.3g s in total", static_cast<double>(total_ns) * 1e-9);
    text += total;
    if (open) text += " plus one to the end of the program";
  } else {
    text += ", to the end of the program";
  }
  return text;
}

}  // namespace mansard::store
