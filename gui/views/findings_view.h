// SPDX-License-Identifier: Apache-2.0
// All analyses of the run: a list, and the summary, charts and tables of the selected one.
#pragma once

#include <memory>
#include <vector>

#include "gui/models/background_part.h"
#include "gui/views/run_view.h"

class QLabel;
class QListWidget;
class QSplitter;
class QStackedWidget;
class QTabWidget;

namespace mansard::gui {

class TablePage;

class FindingsView : public RunView {
  Q_OBJECT

 public:
  explicit FindingsView(SelectionModel* selection, QWidget* parent = nullptr);

  void set_run(std::shared_ptr<const OpenRun> run) override;
  void show_everything() override;
  std::vector<analysis::Table> tables() const override;  // of the selected analysis

  QListWidget* list() { return list_; }
  QTabWidget* tabs() { return tabs_; }
  // Selects an analysis by its name in the registry.
  void choose(std::string_view name);
  // The text shown instead of a finding; empty if there is one.
  QString message() const;
  // The summary of the selected analysis, as shown above its tables.
  QString summary() const;

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  std::size_t chosen() const;
  const analysis::Finding* finding(std::size_t analysis) const;
  void compute();
  void show_chosen();
  void show_finding(const analysis::Finding& finding);
  void link_rows(TablePage* page);

  std::shared_ptr<const OpenRun> run_;
  std::vector<BackgroundPart*> found_;  // one per analysis; kept until another run is set
  QSplitter* splitter_;
  QListWidget* list_;
  QStackedWidget* stack_;
  QLabel* message_;
  QLabel* title_;
  QLabel* summary_;
  QTabWidget* tabs_;
  const analysis::Finding* shown_ = nullptr;  // shown in the tabs
};

}  // namespace mansard::gui
