// SPDX-License-Identifier: Apache-2.0
// The filter bar of a page: a text field, a button to remove each other part of the filter, the
// number of matches, and undo/redo.
#pragma once

#include <QWidget>

#include "gui/models/selection_model.h"

class QHBoxLayout;
class QLabel;
class QLineEdit;
class QToolButton;

namespace mansard::gui {

class FilterBar : public QWidget {
  Q_OBJECT

 public:
  explicit FilterBar(SelectionModel* selection, QWidget* parent = nullptr);

  void focus_words();
  QString count_text() const;
  QStringList part_texts() const;  // texts of the buttons

 private:
  void show_filter();
  void show_count();
  void show_history();

  SelectionModel* selection_;
  QToolButton* undo_;
  QToolButton* redo_;
  QLineEdit* words_;
  QHBoxLayout* parts_;
  QLabel* count_;
};

}  // namespace mansard::gui
