// SPDX-License-Identifier: Apache-2.0
// One tab: a document and its linked views in docks, or why there is none.
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

  // In the order of the menu. See run_views.h for the names.
  const std::vector<QDockWidget*>& docks() const { return docks_; }
  QDockWidget* dock(const QString& name) const;  // null: there is none
  RunView* view(const QString& name) const;
  void raise_view(const QString& name);  // shows its dock, in front of those it shares a place with
  // The one that has, or last had, the keyboard.
  RunView* current_view() const { return current_; }

  // What the run is compared with; null: with nothing. Owned by another page.
  void set_baseline(RunDocument* baseline);
  RunDocument* baseline() const { return baseline_; }

  // Where the docks are: for the next page, and the next time. Empty of a machine model alone, of
  // which most are hidden.
  QByteArray arrangement() const;
  bool arrange(const QByteArray& arrangement);  // false: of another version; nothing changes
  void arrange_as_new();
  // Docks have title bars by which they are moved only while they may be: figures need the room.
  void set_movable(bool movable);

  // What the page says while it loads, or when it failed.
  QString message() const;

 Q_SIGNALS:
  void current_view_changed();

 private:
  void show_document();
  void show_docks_of_launches(bool there);
  void size_docks();
  void show_baseline();
  void show_summary();
  void note_focus(QWidget* now);

  std::unique_ptr<RunDocument> document_;
  SelectionModel* selection_;
  QStackedWidget* stack_;
  LoadPage* load_;
  LiveRefresh* live_;
  QCheckBox* follow_;    // there while the run is being recorded
  QToolButton* cancel_;  // there during a first look
  QLabel* summary_;
  NotesBar* notes_;
  FilterBar* filter_;
  QMainWindow* dock_area_;
  std::vector<QDockWidget*> docks_;
  std::map<QString, RunView*> views_;
  std::set<QDockWidget*> hidden_;  // for want of launches
  RunView* current_ = nullptr;
  std::shared_ptr<const OpenRun> run_;  // that is shown
  RunDocument* baseline_ = nullptr;
};

}  // namespace mansard::gui
