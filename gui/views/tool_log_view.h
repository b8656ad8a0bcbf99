// SPDX-License-Identifier: Apache-2.0
// Shows the latest output of a running tool. Updated a few times per second, whatever the amount.
#pragma once

#include <QPlainTextEdit>
#include <QTimer>

namespace mansard::gui {

class ToolLog;
class ToolRun;

class ToolLogView : public QPlainTextEdit {
  Q_OBJECT

 public:
  // `run` must outlive this view.
  ToolLogView(const ToolRun* run, QWidget* parent);

 private:
  void show_new_lines();

  const ToolLog* log_;
  std::size_t shown_ = 0;  // ToolLog::end() at the last update
  QTimer soon_;
};

}  // namespace mansard::gui
