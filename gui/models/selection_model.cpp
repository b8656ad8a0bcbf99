// SPDX-License-Identifier: Apache-2.0
#include "gui/models/selection_model.h"

namespace mansard {

void SelectionModel::select(Row row) {
  if (row == selected_) return;
  selected_ = row;
  Q_EMIT selected_changed();
}

void SelectionModel::hover(Row row) {
  if (row == hovered_) return;
  hovered_ = row;
  Q_EMIT hovered_changed();
}

void SelectionModel::set_filter(const QString& filter) {
  if (filter == filter_) return;
  filter_ = filter;
  Q_EMIT filter_changed();
}

}  // namespace mansard
