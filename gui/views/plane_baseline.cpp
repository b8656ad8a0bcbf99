// SPDX-License-Identifier: Apache-2.0
#include "gui/views/plane_baseline.h"

namespace mansard::gui {
namespace {

// Matching takes some microseconds per row.
constexpr std::size_t kMaxVisibleRows = 300;

bool same_machine(const analysis::RunAnalysis& a, const analysis::RunAnalysis& b) {
  return a.machine && b.machine && a.machine->device.name == b.machine->device.name;
}

}  // namespace

std::shared_ptr<const PlaneBaseline> plane_baseline(
    PlaneKind kind, const std::shared_ptr<const OpenRun>& run,
    const std::shared_ptr<const OpenRun>& baseline) {
  auto out = std::make_shared<PlaneBaseline>();
  const analysis::RunAnalysis& analysis = baseline->analysis;
  out->run = baseline;
  out->name = QString::fromStdString(analysis.title);
  const roofline::DeviceModel* machine = analysis.machine ? &*analysis.machine : nullptr;
  out->figure = layout_plane(kind, machine, &analysis);
  out->points = figure::PointsOfRows(out->figure, analysis.rows.size());
  out->matches = match_rows(run->analysis, analysis);
  if (machine != nullptr && !same_machine(run->analysis, analysis)) {
    out->ceilings = other_ceilings(kind, *machine, short_device_name(machine->device.name),
                                   analysis.rows.empty() ? &run->analysis : &analysis);
  }
  return out;
}

bool takes_long(const OpenRun& run, const OpenRun& baseline) {
  return run.analysis.rows.size() + baseline.analysis.rows.size() > kMaxVisibleRows;
}

}  // namespace mansard::gui
