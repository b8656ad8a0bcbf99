// SPDX-License-Identifier: Apache-2.0
#include "gui/views/run_views.h"

#include "gui/views/details_view.h"
#include "gui/views/kernel_table_view.h"
#include "gui/views/roofline_view.h"
#include "gui/views/timeline_view.h"

namespace mansard {
namespace {

template <class View>
RunView* make(SelectionModel* selection) {
  return new View(selection);
}

}  // namespace

const std::vector<RunViewSpec>& run_views() {
  static const std::vector<RunViewSpec> specs = {
      {"roofline", QT_TR_NOOP("Roofline"), Place::figures, make<RooflineView>, false},
      {"details", QT_TR_NOOP("Details"), Place::details, make<DetailsView>, true},
      {"timeline", QT_TR_NOOP("Timeline"), Place::time, make<TimelineView>, true},
      {"kernels", QT_TR_NOOP("Kernels"), Place::kernels, make<KernelTableView>, true},
  };
  return specs;
}

}  // namespace mansard
