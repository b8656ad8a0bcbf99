// SPDX-License-Identifier: Apache-2.0
#include "gui/views/plane_kind.h"

#include <QCoreApplication>
#include <algorithm>

#include "gui/models/row_facts.h"

namespace mansard {
namespace {

QString text(const char* source) {
  return QCoreApplication::translate("mansard::PlaneKind", source);
}

}  // namespace

PlaneFigure layout_plane(PlaneKind kind, const DeviceModel* machine, const RunAnalysis* run) {
  // Without a machine there are no lines, but rows have a place where that needs no ceiling.
  DeviceModel unknown;
  if (run != nullptr && !run->rows.empty()) unknown.device.target = run->rows.front().target;
  const RunAnalysis nothing;
  const DeviceModel& device = machine == nullptr ? unknown : *machine;
  switch (kind) {
    case PlaneKind::roofline:
      break;
    case PlaneKind::time:
      return layout_time_plane(device, run == nullptr ? nothing : *run);
    case PlaneKind::complexity:
      return layout_complexity_plane(device, run == nullptr ? nothing : *run);
  }
  return layout_roofline(device, run);
}

QString title_of(PlaneKind kind) {
  switch (kind) {
    case PlaneKind::roofline:
      break;
    case PlaneKind::time:
      return text(QT_TRANSLATE_NOOP("mansard::PlaneKind", "Time plane"));
    case PlaneKind::complexity:
      return text(QT_TRANSLATE_NOOP("mansard::PlaneKind", "Complexity plane"));
  }
  return text(QT_TRANSLATE_NOOP("mansard::PlaneKind", "Roofline"));
}

const char* analysis_of(PlaneKind kind) {
  return kind == PlaneKind::roofline ? "roofline" : "time_based";
}

QString empty_sentence(const PlaneFigure& figure, PlaneKind kind, const RunAnalysis* run,
                       const ShownLaunches& shown) {
  if (run == nullptr) return {};
  if (run->rows.empty()) {
    if (kind == PlaneKind::roofline && !figure.lines.empty()) return {};  // the machine alone
    return text(QT_TRANSLATE_NOOP("mansard::PlaneKind", "No kernel was recorded."));
  }
  if (figure.points.empty()) {
    if (!run->machine && kind == PlaneKind::time) {
      return text(QT_TRANSLATE_NOOP("mansard::PlaneKind",
                                    "The device is not known, and so is the time its work would "
                                    "take. Use a machine model of it (Ctrl+M)."));
    }
    return text(QT_TRANSLATE_NOOP("mansard::PlaneKind",
                                  "No kernel has known FLOPs and bytes, so none has a place here. "
                                  "Record with counters or annotate the work."));
  }
  const bool any =
      std::ranges::any_of(figure.points, [&](const PlanePoint& p) { return shown.shows(p.row); });
  if (!any) {
    return text(
        QT_TRANSLATE_NOOP("mansard::PlaneKind", "No kernel with a place here passes the filter."));
  }
  return {};
}

}  // namespace mansard
