// SPDX-License-Identifier: Apache-2.0
// The filter of a run. Every view shows the launches that pass it and sets the parts its user
// chooses: words in a field, a class in a legend, a time window in the timeline.
#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "reports/figure/time_scale.h"

namespace mansard::gui {

// A stream of a device, or a thread in host profiles.
struct StreamKey {
  std::int32_t device_id = -1;  // -1: host
  std::int32_t context_id = 0;
  std::int64_t stream_id = 0;  // host: global thread id

  auto operator<=>(const StreamKey&) const = default;
};

// All parts must match; empty parts match everything.
struct ViewFilter {
  QString words;                          // see KernelFilter
  QString operation_class;                // as in analyzer/classify
  std::optional<std::int32_t> device_id;  // a rank, in profiles of several ranks
  std::optional<StreamKey> stream;
  // Launched inside an NVTX range with this name or, if it contains "#", with such a number there
  // ("layers.#"), see matches_range().
  QString range;
  std::optional<figure::TimeSpan> window;  // overlaps this window; times as recorded

  bool passes_all() const { return *this == ViewFilter(); }
  bool operator==(const ViewFilter&) const;
};

// Whether the filter's range has this name. False without a range in the filter.
bool matches_range(const ViewFilter& filter, std::string_view name);

QString stream_text(const StreamKey& stream);  // "stream 7 of GPU 0", "thread 123"

// One part of the filter as text for the user: "class gemm", "2.00 ms from 1.50 ms". `zero_ns`:
// time zero (Timeline::zero_ns) for the window's text.
struct FilterPart {
  enum class Kind { words, operation_class, device, stream, range, window };
  Kind kind;
  QString text;
};
std::vector<FilterPart> parts_of(const ViewFilter& filter, std::int64_t zero_ns);
ViewFilter without(ViewFilter filter, FilterPart::Kind part);

}  // namespace mansard::gui
