// SPDX-License-Identifier: Apache-2.0
#include "gui/views/run_views.h"

#include "gui/views/details_view.h"
#include "gui/views/findings_view.h"
#include "gui/views/gap_view.h"
#include "gui/views/kernel_table_view.h"
#include "gui/views/kernel_tree_view.h"
#include "gui/views/machine_view.h"
#include "gui/views/roofline_view.h"
#include "gui/views/timeline_view.h"

namespace mansard {
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
      {"roofline", QT_TR_NOOP("Roofline"), Place::figures, make<RooflineView>, false},
      {"time_plane", QT_TR_NOOP("Time plane"), Place::figures, make_plane<PlaneKind::time>, true},
      {"complexity_plane", QT_TR_NOOP("Complexity plane"), Place::figures,
       make_plane<PlaneKind::complexity>, true},
      {"gap", QT_TR_NOOP("Gap"), Place::figures, make<GapView>, true},
      {"findings", QT_TR_NOOP("Analyses"), Place::figures, make<FindingsView>, true},
      {"machine", QT_TR_NOOP("Machine"), Place::figures, make<MachineView>, false},
      {"details", QT_TR_NOOP("Details"), Place::details, make<DetailsView>, true},
      {"timeline", QT_TR_NOOP("Timeline"), Place::launches, make<TimelineView>, true},
      {"kernels", QT_TR_NOOP("Kernels"), Place::launches, make<KernelTableView>, true},
      {"tree", QT_TR_NOOP("Tree"), Place::launches, make<KernelTreeView>, true},
  };
  return specs;
}

}  // namespace mansard
