// SPDX-License-Identifier: Apache-2.0
// What of a run is looked at. Every view shows the launches that pass, and sets what its user asks
// for: words in a field, a class in a legend, a stretch of time in a timeline.
#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <optional>
#include <vector>

#include "reports/figure/time_scale.h"

namespace mansard::gui {

// A queue of work: of a device, or, in recordings of the host, a thread.
struct StreamKey {
  std::int32_t device_id = -1;  // -1: of the host
  std::int32_t context_id = 0;
  std::int64_t stream_id = 0;  // of the host: the global thread id

  auto operator<=>(const StreamKey&) const = default;
};

// All of it has to hold; what is empty always does.
struct ViewFilter {
  QString words;                          // see KernelFilter
  QString operation_class;                // of analyzer/classify
  std::optional<std::int32_t> device_id;  // in recordings of several ranks: a rank
  std::optional<StreamKey> stream;
  QString range;                           // launched within a range of the program with this name
  std::optional<figure::TimeSpan> window;  // overlaps with it; times as recorded

  bool passes_all() const { return *this == ViewFilter(); }
  bool operator==(const ViewFilter&) const;
};

QString stream_text(const StreamKey& stream);  // "stream 7 of GPU 0", "thread 123"

// One condition of the filter as text for the user: "class gemm", "2.00 ms from 1.50 ms".
// `zero_ns`: time zero (Timeline::zero_ns), from which the text of the window counts.
struct FilterPart {
  enum class Kind { words, operation_class, device, stream, range, window };
  Kind kind;
  QString text;
};
std::vector<FilterPart> parts_of(const ViewFilter& filter, std::int64_t zero_ns);
ViewFilter without(ViewFilter filter, FilterPart::Kind part);

}  // namespace mansard::gui
