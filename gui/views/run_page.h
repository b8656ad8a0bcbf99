// SPDX-License-Identifier: Apache-2.0
// One tab: a document and its linked views, or why there is none.
#pragma once

#include <QWidget>

#include "gui/models/run_document.h"
#include "gui/models/selection_model.h"

class QComboBox;
class QLabel;
class QStackedWidget;

namespace mansard {

class KernelTableView;
class NotesBar;
class RooflineView;

class RunPage : public QWidget {
  Q_OBJECT

 public:
  // Owns the document.
  explicit RunPage(std::unique_ptr<RunDocument> document, QWidget* parent = nullptr);
  ~RunPage() override;

  RunDocument* document() { return document_.get(); }
  SelectionModel* selection() { return selection_; }
  RooflineView* roofline() { return roofline_; }
  KernelTableView* table() { return table_; }
  NotesBar* notes() { return notes_; }
  const KernelRow* selected_row() const;
  // What the page says while it loads, or when it failed.
  QString message() const;

 private:
  QWidget* make_header();
  void show_document();
  void show_levels();

  std::unique_ptr<RunDocument> document_;
  SelectionModel* selection_;
  QStackedWidget* stack_;
  QLabel* message_;
  QLabel* summary_;
  QLabel* level_label_;
  QComboBox* level_;
  NotesBar* notes_;
  RooflineView* roofline_;
  KernelTableView* table_;
};

}  // namespace mansard
