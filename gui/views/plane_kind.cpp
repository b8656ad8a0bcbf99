// SPDX-License-Identifier: Apache-2.0
#include "gui/views/plane_kind.h"

#include <QCoreApplication>
#include <algorithm>

#include "gui/models/row_facts.h"

namespace mansard::gui {
namespace {

QString text(const char* source) {
  return QCoreApplication::translate("mansard::gui::PlaneKind", source);
}

}  // namespace

figure::PlaneFigure layout_plane(PlaneKind kind, const roofline::DeviceModel* machine,
                                 const analysis::RunAnalysis* run) {
  // Without a machine there are no lines; points are drawn if they need no ceiling.
  roofline::DeviceModel unknown;
  if (run != nullptr && !run->rows.empty()) unknown.device.target = run->rows.front().target;
  const analysis::RunAnalysis nothing;
  const roofline::DeviceModel& device = machine == nullptr ? unknown : *machine;
  switch (kind) {
    case PlaneKind::roofline:
      break;
    case PlaneKind::time:
      return figure::layout_time_plane(device, run == nullptr ? nothing : *run);
    case PlaneKind::complexity:
      return figure::layout_complexity_plane(device, run == nullptr ? nothing : *run);
  }
  return figure::layout_roofline(device, run);
}

QString title_of(PlaneKind kind) {
  switch (kind) {
    case PlaneKind::roofline:
      break;
    case PlaneKind::time:
      return text(QT_TRANSLATE_NOOP("mansard::gui::PlaneKind", "Time plane"));
    case PlaneKind::complexity:
      return text(QT_TRANSLATE_NOOP("mansard::gui::PlaneKind", "Complexity plane"));
  }
  return text(QT_TRANSLATE_NOOP("mansard::gui::PlaneKind", "Roofline"));
}

const char* analysis_of(PlaneKind kind) {
  return kind == PlaneKind::roofline ? "roofline" : "time_based";
}

QString empty_sentence(const figure::PlaneFigure& figure, PlaneKind kind,
                       const analysis::RunAnalysis* run, const ShownLaunches& shown) {
  if (run == nullptr) return {};
  if (run->rows.empty()) {
    if (kind == PlaneKind::roofline && !figure.lines.empty()) return {};  // machine model only
    return text(QT_TRANSLATE_NOOP("mansard::gui::PlaneKind", "This profile has no kernels."));
  }
  if (figure.points.empty()) {
    if (!run->machine && kind == PlaneKind::time) {
      return text(QT_TRANSLATE_NOOP("mansard::gui::PlaneKind",
                                    "No machine model matches the device, so the SOL time is "
                                    "unknown. Choose a machine model (Ctrl+M)."));
    }
    return text(QT_TRANSLATE_NOOP("mansard::gui::PlaneKind",
                                  "The FLOPs and bytes of all kernels are unknown. Profile with "
                                  "counters, or annotate the FLOPs and bytes."));
  }
  const bool any = std::ranges::any_of(
      figure.points, [&](const figure::PlanePoint& p) { return shown.shows(p.row); });
  if (!any) {
    return text(
        QT_TRANSLATE_NOOP("mansard::gui::PlaneKind", "No kernel shown here matches the filter."));
  }
  return {};
}

}  // namespace mansard::gui
