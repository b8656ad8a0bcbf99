// SPDX-License-Identifier: Apache-2.0
// The roofline plane.
#pragma once

#include "gui/views/plane_view.h"

namespace mansard::gui {

class RooflineView : public PlaneView {
  Q_OBJECT

 public:
  explicit RooflineView(SelectionModel* selection, QWidget* parent = nullptr)
      : PlaneView(PlaneKind::roofline, selection, parent) {}
};

}  // namespace mansard::gui
