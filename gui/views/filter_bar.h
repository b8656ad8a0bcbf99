// SPDX-License-Identifier: Apache-2.0
// The filter bar of a page: a text field, a button to remove each other part of the filter, the
// number of matches, pinning the visible time span, and undo/redo.
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
  QString match_text() const;      // "3 of 45"; empty without a filter
  QToolButton* pin() { return pin_; }

 Q_SIGNALS:
  // Enter (1) or Shift+Enter (-1) in the text field: to the next or previous match.
  void step_asked(int step);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void show_filter();
  void show_count();
  void show_history();
  void show_match();
  void show_pin();

  SelectionModel* selection_;
  QToolButton* undo_;
  QToolButton* redo_;
  QLineEdit* words_;
  QLabel* match_;
  QToolButton* pin_;
  QHBoxLayout* parts_;
  QLabel* count_;
};

}  // namespace mansard::gui
