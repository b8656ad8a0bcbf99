// SPDX-License-Identifier: Apache-2.0
#include "gui/views/wrapped_label.h"

#include <QLabel>

namespace mansard::gui {

QLabel* wrapped_label(QWidget* parent) {
  auto* label = new QLabel(parent);
  label->setWordWrap(true);
  label->setTextFormat(Qt::PlainText);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return label;
}

}  // namespace mansard::gui
