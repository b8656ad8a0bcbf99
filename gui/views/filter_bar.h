// SPDX-License-Identifier: Apache-2.0
// What the views of a page are filtered by: a field for words, every other part as a button that
// removes it, what is left, and the way back.
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
  QStringList part_texts() const;  // of the buttons

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
