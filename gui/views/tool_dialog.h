// SPDX-License-Identifier: Apache-2.0
// A form for a command of `mansard`, the command line it makes, and the run of it. Not modal: what
// runs goes on while one works in the window, also while the dialog is hidden.
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

  // Asks whether to stop what runs; if so, stops it and calls `then` once it has ended. At once
  // when nothing runs. For whoever wants to quit.
  void ask_to_stop(std::function<void()> then);

  void reject() override;  // Esc, and closing the window

 Q_SIGNALS:
  // The user wants to see what was made.
  void finished_with(const QString& file);
  // A recording that can be opened, and read again as it grows.
  void recording_started(const QString& file);

 protected:
  // `program`: what to run instead of mansard; empty: mansard.
  ToolDialog(const QString& title, const QString& program, QWidget* parent);

  // To be called once, at the end of the constructor.
  void add_form(QWidget* form);
  virtual ToolCommand command() const = 0;
  // Why it cannot be started, or empty; and what is worth a word although it can.
  virtual QString problem() const = 0;
  virtual QString hint() const { return {}; }
  // To be called when the form has changed.
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
