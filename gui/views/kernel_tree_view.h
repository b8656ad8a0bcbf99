// SPDX-License-Identifier: Apache-2.0
// The kernel tree: from the classes of a run down to its single launches.
#pragma once

#include "gui/models/kernel_tree_model.h"
#include "gui/views/run_view.h"

class QLabel;
class QStackedWidget;
class QTreeView;

namespace mansard {

class KernelTreeView : public RunView {
  Q_OBJECT

 public:
  explicit KernelTreeView(SelectionModel* selection, QWidget* parent = nullptr);

  void set_run(std::shared_ptr<const OpenRun> run) override;
  void show_everything() override;
  // Signature by signature, in the order of the tree; launches are the timeline's.
  std::vector<Table> tables() const override;

  KernelTreeModel* model() { return model_; }
  QTreeView* tree() { return tree_; }
  // What is said instead of a tree; empty where there is one.
  QString message() const;

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  void choose(const QModelIndex& index);
  void follow_selection();
  void follow_filter();
  void show_message();
  void fetch_at_the_end();
  void fit_columns();
  void fit_name_column();

  std::shared_ptr<const OpenRun> run_;
  KernelTreeModel* model_;
  QStackedWidget* stack_;
  QLabel* message_;
  QTreeView* tree_;
  bool following_ = false;  // the selection, so that what moves here was not the user
};

}  // namespace mansard
