// SPDX-License-Identifier: Apache-2.0
// Base of the tool dialogs: a form, the resulting `mansard` command line, and its run. Not modal:
// the tool keeps running while the user works in the window, even if the dialog is hidden.
#pragma once

#include <QDialog>
#include <QPointer>
#include <QTimer>
#include <functional>

#include "gui/models/tool_run.h"

class QLabel;
class QLineEdit;
class QMessageBox;
class QProgressBar;
class QPushButton;
class QVBoxLayout;

namespace mansard::gui {

class ToolDialog : public QDialog {
  Q_OBJECT

 public:
  bool is_running() const { return run_.is_active(); }
  const ToolRun& run() const { return run_; }
  void set_patience(std::chrono::milliseconds patience) { run_.set_patience(patience); }

  // Asks whether to stop the running tool; if so, stops it and calls `then` once it has ended.
  // Calls `then` at once if nothing runs. Used before quitting.
  void ask_to_stop(std::function<void()> then);

  void reject() override;  // called by Esc and by closing the window

 Q_SIGNALS:
  // The user clicked "Open result".
  void finished_with(const QString& file);
  // A profile exists that can be opened, and reloaded as it grows.
  void recording_started(const QString& file);

 protected:
  // `program`: run instead of mansard, unless empty.
  ToolDialog(const QString& title, const QString& program, QWidget* parent);

  // Call once, at the end of the constructor.
  void add_form(QWidget* form);
  virtual ToolCommand command() const = 0;
  // problem(): why the tool cannot be started, or empty. hint(): advice if it can.
  virtual QString problem() const = 0;
  virtual QString hint() const { return {}; }
  // Call when the form has changed.
  void show_command();

 private:
  void start_or_stop();
  void show_state();
  void show_progress();
  QMessageBox* make_question(const QString& stop_text);

  ToolRun run_;
  QVBoxLayout* layout_;
  QWidget* form_ = nullptr;
  QLineEdit* command_;
  QLabel* problem_;
  QProgressBar* bar_;
  QLabel* status_;
  QPushButton* start_;
  QPushButton* open_;
  QTimer tick_;
  QPointer<QMessageBox> question_;
  std::function<void()> after_stop_;
};

}  // namespace mansard::gui
