// SPDX-License-Identifier: Apache-2.0
// One tab: a job of many ranks, or the loading error.
#pragma once

#include <QWidget>
#include <memory>

#include "gui/models/job_document.h"

class QLabel;
class QStackedWidget;
class QTabWidget;

namespace mansard::gui {

class GoodputPanel;
class JobTables;
class LoadPage;
class RanksView;
class View;

class JobPage : public QWidget {
  Q_OBJECT

 public:
  // Owns the document.
  explicit JobPage(std::unique_ptr<JobDocument> document, QWidget* parent = nullptr);
  ~JobPage() override;

  JobDocument* document() { return document_.get(); }
  RanksView* ranks() { return ranks_; }
  JobTables* tables() { return tables_; }
  GoodputPanel* goodput() { return goodput_; }
  View* current_view() const;
  void raise_view(const QString& name);  // "ranks", "tables", "goodput"; others are ignored

  QString summary() const;
  // The text of the page while loading or after a failure.
  QString message() const;

 Q_SIGNALS:
  // Asks for the profile of a rank.
  void profile_asked(const QString& file);
  // The profile is not at hand, and why.
  void profile_missing(const QString& text);

 private:
  void show_document();
  void ask_for_rank(int rank);

  std::unique_ptr<JobDocument> document_;
  QStackedWidget* stack_;
  LoadPage* load_;
  QLabel* title_;
  QLabel* summary_;
  QTabWidget* tabs_;
  RanksView* ranks_;
  JobTables* tables_;
  GoodputPanel* goodput_;
  std::shared_ptr<const OpenJob> job_;  // shown
};

}  // namespace mansard::gui
