// SPDX-License-Identifier: Apache-2.0
#include "gui/models/view_filter.h"

#include <QObject>

#include "analyzer/steps/step_ranges.h"
#include "support/units.h"

namespace mansard::gui {
bool matches_range(const ViewFilter& filter, std::string_view name) {
  const std::string wanted = filter.range.toStdString();
  if (wanted.empty()) return false;
  return name == wanted ||
         (wanted.find('#') != std::string::npos && analysis::without_numbers(name) == wanted);
}

QString stream_text(const StreamKey& stream) {
  return stream.device_id < 0
             ? QObject::tr("thread %1").arg(stream.stream_id & 0xFFFFFF)
             : QObject::tr("stream %1 of GPU %2").arg(stream.stream_id).arg(stream.device_id);
}

bool ViewFilter::operator==(const ViewFilter&) const = default;

std::vector<FilterPart> parts_of(const ViewFilter& filter, std::int64_t zero_ns) {
  using Kind = FilterPart::Kind;
  std::vector<FilterPart> parts;
  if (!filter.words.isEmpty())
    parts.push_back({Kind::words, QObject::tr("\"%1\"").arg(filter.words)});
  if (!filter.operation_class.isEmpty()) {
    parts.push_back({Kind::operation_class, QObject::tr("class %1").arg(filter.operation_class)});
  }
  if (filter.device_id)
    parts.push_back({Kind::device, QObject::tr("GPU %1").arg(*filter.device_id)});
  if (filter.stream) parts.push_back({Kind::stream, stream_text(*filter.stream)});
  if (!filter.range.isEmpty())
    parts.push_back({Kind::range, QObject::tr("range %1").arg(filter.range)});
  if (filter.window) {
    const auto text = [](double time_ns) {
      return QString::fromStdString(format_si(time_ns * 1e-9, "s"));
    };
    const figure::TimeSpan& window = *filter.window;
    parts.push_back(
        {Kind::window, QObject::tr("%1 from %2")
                           .arg(text(figure::difference_ns(window.end_ns, window.start_ns)),
                                text(figure::difference_ns(window.start_ns, zero_ns)))});
  }
  return parts;
}

ViewFilter without(ViewFilter filter, FilterPart::Kind part) {
  using Kind = FilterPart::Kind;
  switch (part) {
    case Kind::words:
      filter.words.clear();
      break;
    case Kind::operation_class:
      filter.operation_class.clear();
      break;
    case Kind::device:
      filter.device_id.reset();
      break;
    case Kind::stream:
      filter.stream.reset();
      break;
    case Kind::range:
      filter.range.clear();
      break;
    case Kind::window:
      filter.window.reset();
      break;
  }
  return filter;
}

}  // namespace mansard::gui
