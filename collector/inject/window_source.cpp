// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/window_source.h"

namespace mansard::collector {

bool WindowSource::drain(store::ProfileWriter& writer, const std::atomic<int>&) {
  // A single window without limits is the whole run and is not stored.
  if (!window_.options().limited() && window_.epoch() <= 1) return false;
  if (!request_written_) {
    writer.set_session_value("windowRequest", describe(window_.options()));
    request_written_ = true;
  }
  for (store::RecordedWindow window : window_.windows(finished_)) {
    const bool open = window.end_ns < 0;
    if (open && open_written_) break;
    window.start_ns -= session_start_ns_;
    if (!open) window.end_ns -= session_start_ns_;
    window.number = static_cast<std::int64_t>(finished_) + 1;
    writer.set_window(window);
    open_written_ = open;
    if (!open) ++finished_;
  }
  return false;
}

}  // namespace mansard::collector
