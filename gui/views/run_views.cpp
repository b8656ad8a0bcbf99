// SPDX-License-Identifier: Apache-2.0
#include "gui/views/run_views.h"

#include "gui/views/details_view.h"
#include "gui/views/findings_view.h"
#include "gui/views/kernel_table_view.h"
#include "gui/views/kernel_tree_view.h"
#include "gui/views/machine_view.h"
#include "gui/views/roofline_view.h"
#include "gui/views/step_time_view.h"
#include "gui/views/timeline_view.h"

namespace mansard::gui {
namespace {

template <class View>
RunView* make(SelectionModel* selection) {
  return new View(selection);
}

template <PlaneKind kind>
RunView* make_plane(SelectionModel* selection) {
  return new PlaneView(kind, selection, nullptr);
}

}  // namespace

const std::vector<RunViewSpec>& run_views() {
  static const std::vector<RunViewSpec> specs = {
      {"roofline", QT_TR_NOOP("Roofline"), Place::figures, make<RooflineView>, Needs::machine},
      {"time_plane", QT_TR_NOOP("Time plane"), Place::figures, make_plane<PlaneKind::time>,
       Needs::rows},
      {"complexity_plane", QT_TR_NOOP("Complexity plane"), Place::figures,
       make_plane<PlaneKind::complexity>, Needs::rows},
      {"step_time", QT_TR_NOOP("Step time"), Place::figures, make<StepTimeView>, Needs::launches},
      {"findings", QT_TR_NOOP("Analyses"), Place::figures, make<FindingsView>, Needs::launches},
      {"machine", QT_TR_NOOP("Machine"), Place::figures, make<MachineView>, Needs::machine},
      {"details", QT_TR_NOOP("Details"), Place::details, make<DetailsView>, Needs::rows},
      {"timeline", QT_TR_NOOP("Timeline"), Place::launches, make<TimelineView>, Needs::launches},
      {"kernels", QT_TR_NOOP("Kernels"), Place::launches, make<KernelTableView>, Needs::rows},
      {"tree", QT_TR_NOOP("Kernel tree"), Place::launches, make<KernelTreeView>, Needs::launches},
  };
  return specs;
}

}  // namespace mansard::gui
