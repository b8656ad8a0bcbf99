// SPDX-License-Identifier: Apache-2.0
// What a running tool has said last. Follows some times a second, however much there is.
#pragma once

#include <QPlainTextEdit>
#include <QTimer>

namespace mansard::gui {

class ToolLog;
class ToolRun;

class ToolLogView : public QPlainTextEdit {
  Q_OBJECT

 public:
  // `run` must outlive the view.
  ToolLogView(const ToolRun* run, QWidget* parent);

 private:
  void show_new_lines();

  const ToolLog* log_;
  std::size_t shown_ = 0;  // ToolLog::end() when it was shown last
  QTimer soon_;
};

}  // namespace mansard::gui
