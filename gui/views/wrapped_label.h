// SPDX-License-Identifier: Apache-2.0
// A label for sentences: wraps words, shows plain text, and its text can be selected.
#pragma once

class QLabel;
class QWidget;

namespace mansard::gui {

// Belongs to `parent`, or to the layout that it is added to.
QLabel* wrapped_label(QWidget* parent = nullptr);

}  // namespace mansard::gui
