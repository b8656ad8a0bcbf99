// SPDX-License-Identifier: Apache-2.0
// All tables of a job's findings, as `mansard analyze --all` prints them.
#pragma once

#include <memory>

#include "gui/models/open_job.h"
#include "gui/views/view.h"

class QTabWidget;

namespace mansard::gui {

class JobTables : public View {
  Q_OBJECT

 public:
  explicit JobTables(QWidget* parent = nullptr);

  void set_job(std::shared_ptr<const OpenJob> job);  // null: none
  void show_everything() override;
  std::vector<analysis::Table> tables() const override;  // the one in front

  QTabWidget* tabs() { return tabs_; }

 Q_SIGNALS:
  void rank_clicked(int rank);  // in a row that names one

 private:
  QTabWidget* tabs_;
};

}  // namespace mansard::gui
