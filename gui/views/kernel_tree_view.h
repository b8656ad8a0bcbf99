// SPDX-License-Identifier: Apache-2.0
// The kernel tree: from operation classes down to single launches.
#pragma once

#include <QSet>
#include <functional>

#include "gui/models/kernel_tree_model.h"
#include "gui/views/run_view.h"

class QLabel;
class QStackedWidget;
class QTreeView;

namespace mansard::gui {

class KernelTreeView : public RunView {
  Q_OBJECT

 public:
  explicit KernelTreeView(SelectionModel* selection, QWidget* parent = nullptr);

  void set_run(std::shared_ptr<const OpenRun> run) override;
  void show_everything() override;
  // The signatures in the order of the tree; launches are exported by the timeline.
  std::vector<analysis::Table> tables() const override;

  KernelTreeModel* model() { return model_; }
  QTreeView* tree() { return tree_; }
  // The text shown instead of a tree; empty if there is one.
  QString message() const;

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void choose(const QModelIndex& index);
  void follow_selection();
  void follow_filter();
  void each_branch(const std::function<void(const QModelIndex&, const QString&)>& visit) const;
  QSet<QString> open_branches() const;
  void open_again(const QSet<QString>& open);
  void show_message();
  void show_more_at_the_end();
  void order_by_saving();
  void fit_columns();
  void fit_name_column();

  std::shared_ptr<const OpenRun> run_;
  KernelTreeModel* model_;
  QStackedWidget* stack_;
  QLabel* message_;
  QTreeView* tree_;
  bool following_ = false;  // following the selection: moves here are not the user's
  bool stale_ = false;      // the selection changed while hidden
};

}  // namespace mansard::gui
