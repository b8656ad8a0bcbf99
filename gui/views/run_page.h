// SPDX-License-Identifier: Apache-2.0
// One tab: a document and its linked views in docks, or the loading error.
#pragma once

#include <QByteArray>
#include <QWidget>
#include <map>
#include <set>
#include <vector>

#include "gui/models/run_document.h"
#include "gui/models/selection_model.h"

class QCheckBox;
class QDockWidget;
class QLabel;
class QMainWindow;
class QStackedWidget;
class QToolButton;

namespace mansard::gui {

class FilterBar;
class LiveRefresh;
class LoadPage;
class NotesBar;
class RooflineView;
class RunView;

class RunPage : public QWidget {
  Q_OBJECT

 public:
  // Owns the document.
  explicit RunPage(std::unique_ptr<RunDocument> document, QWidget* parent = nullptr);
  ~RunPage() override;

  RunDocument* document() { return document_.get(); }
  SelectionModel* selection() { return selection_; }
  FilterBar* filter() { return filter_; }
  NotesBar* notes() { return notes_; }
  RooflineView* roofline() const;

  // In menu order. See run_views.h for the names.
  const std::vector<QDockWidget*>& docks() const { return docks_; }
  QDockWidget* dock(const QString& name) const;  // null if not found
  RunView* view(const QString& name) const;
  void raise_view(const QString& name);  // shows its dock in front of the other tabs
  // The view that has, or last had, the keyboard focus.
  RunView* current_view() const { return current_; }

  // The baseline of the comparison; null: none. Owned by another page.
  void set_baseline(RunDocument* baseline);
  RunDocument* baseline() const { return baseline_; }

  // The dock layout, for the next page and the next start. Empty for a machine model or a training
  // record, which hide most docks.
  QByteArray arrangement() const;
  bool arrange(const QByteArray& arrangement);  // false: other version, ignored
  void arrange_as_new();
  // Shows title bars to move the docks by only if `movable`, to leave room for the figures.
  void set_movable(bool movable);

  // The text of the page while loading or after a failure.
  QString message() const;

 Q_SIGNALS:
  void current_view_changed();

 private:
  void show_document();
  // Shows the description of a view as the tooltip of its tab: Qt sets that to the title.
  bool eventFilter(QObject* watched, QEvent* event) override;
  void show_docks_of(const analysis::RunAnalysis& run);
  void size_docks();
  bool in_front(const QString& name) const;  // whether no other tab covers this view
  void choose_front();
  void show_baseline();
  void show_summary();
  void note_focus(QWidget* now);

  std::unique_ptr<RunDocument> document_;
  SelectionModel* selection_;
  QStackedWidget* stack_;
  LoadPage* load_;
  LiveRefresh* live_;
  QCheckBox* follow_;    // visible while the profile is being recorded
  QToolButton* cancel_;  // visible during a first look
  QLabel* summary_;
  QLabel* first_;  // what to change first
  NotesBar* notes_;
  FilterBar* filter_;
  QMainWindow* dock_area_;
  std::vector<QDockWidget*> docks_;
  std::map<QString, RunView*> views_;
  std::set<QDockWidget*> hidden_;  // hidden because the run has nothing to show there
  bool shows_look_ = false;        // the roofline is in front only until the launches are loaded
  RunView* current_ = nullptr;
  std::shared_ptr<const OpenRun> run_;  // the shown run
  RunDocument* baseline_ = nullptr;
};

}  // namespace mansard::gui
