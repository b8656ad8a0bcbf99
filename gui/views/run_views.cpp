// SPDX-License-Identifier: Apache-2.0
#include "gui/views/run_views.h"

#include "gui/views/details_view.h"
#include "gui/views/findings_view.h"
#include "gui/views/flame_view.h"
#include "gui/views/goodput_view.h"
#include "gui/views/kernel_table_view.h"
#include "gui/views/kernel_tree_view.h"
#include "gui/views/machine_view.h"
#include "gui/views/numerics_view.h"
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
      // First: it answers where the time goes, with or without FLOPs and bytes.
      {"step_time", QT_TR_NOOP("Step time"),
       QT_TR_NOOP("Time of a typical step by cause, from kernel SOL time to measured time"),
       Place::figures, make<StepTimeView>, Needs::kernels},
      {"roofline", QT_TR_NOOP("Roofline"),
       QT_TR_NOOP("Rate of each kernel against its arithmetic intensity, below the ceilings of the "
                  "machine"),
       Place::figures, make<RooflineView>, Needs::machine},
      {"time_plane", QT_TR_NOOP("Time plane"),
       QT_TR_NOOP("Compute time against data-movement time of each kernel, with its measured time"),
       Place::figures, make_plane<PlaneKind::time>, Needs::rows},
      {"complexity_plane", QT_TR_NOOP("Complexity plane"),
       QT_TR_NOOP("FLOPs against bytes of one launch of each kernel, independent of its speed"),
       Place::figures, make_plane<PlaneKind::complexity>, Needs::rows},
      {"findings", QT_TR_NOOP("Analyses"),
       QT_TR_NOOP("Results of all analyses as tables, with advice"), Place::figures,
       make<FindingsView>, Needs::launches},
      {"machine", QT_TR_NOOP("Machine"),
       QT_TR_NOOP("Ceilings of the machine model, with the samples that were measured"),
       Place::figures, make<MachineView>, Needs::machine},
      {"details", QT_TR_NOOP("Details"),
       QT_TR_NOOP("Values of the selected kernel, launch or range"), Place::details,
       make<DetailsView>, Needs::rows},
      {"timeline", QT_TR_NOOP("Timeline"),
       QT_TR_NOOP("Steps, ranges, kernels, memcpys and API calls over time"), Place::launches,
       make<TimelineView>, Needs::launches},
      {"kernels", QT_TR_NOOP("Kernels"),
       QT_TR_NOOP("Kernel signatures with time, FLOPs, bytes and SOL time"), Place::launches,
       make<KernelTableView>, Needs::rows},
      {"tree", QT_TR_NOOP("Kernel tree"),
       QT_TR_NOOP("Launches grouped by NVTX range, class or kernel"), Place::launches,
       make<KernelTreeView>, Needs::launches},
      // Last: not all profiles have these, and the keys of the other views stay.
      {"numerics", QT_TR_NOOP("Training"),
       QT_TR_NOOP("Loss and quantization errors over the training steps"), Place::figures,
       make<NumericsView>, Needs::training},
      {"flame_graph", QT_TR_NOOP("Flame graph"),
       QT_TR_NOOP("Device time of a typical step by path of nested NVTX ranges"), Place::figures,
       make<FlameView>, Needs::ranges},
      {"goodput", QT_TR_NOOP("Goodput"),
       QT_TR_NOOP("Share of the wall time of a long run in which it trains, with failures and "
                  "checkpoints"),
       Place::figures, make<GoodputView>, Needs::kernels},
  };
  return specs;
}

}  // namespace mansard::gui
