// SPDX-License-Identifier: Apache-2.0
// One `mansard` that runs beside the window: what it says, how far it is, how it ended. Never waits
// for it.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QProcess>
#include <QTimer>
#include <chrono>
#include <memory>

#include "gui/models/tool_command.h"
#include "gui/models/tool_log.h"
#include "gui/models/tool_progress.h"

namespace mansard::gui {

// `mansard` beside this program, so that a build tree does not run an installed one; else on PATH.
// Empty: neither.
QString find_mansard();

class ToolRun : public QObject {
  Q_OBJECT

 public:
  enum class State {
    idle,
    running,
    canceling,
    finished,  // as asked for: by itself with success, or because it was canceled
    failed,
  };

  // `program`: what to run instead of what find_mansard() finds.
  explicit ToolRun(QObject* parent = nullptr, QString program = {});
  // What still runs is told to stop, is waited for, for some seconds at most, and then killed: a
  // measurement or a training that nobody sees any more must not go on.
  ~ToolRun() override;

  // Nothing else may be running. Without a shell, and in a session of its own.
  void start(const ToolCommand& command);
  // Like Ctrl-C: measurements that are finished are kept, a recording is closed in order. What does
  // not end within patience() gets SIGTERM, together with all its children, and after as much time
  // SIGKILL. Called again it does not wait for the next of these steps.
  void cancel();

  void set_patience(std::chrono::milliseconds patience) { patience_ = patience; }
  std::chrono::milliseconds patience() const { return patience_; }

  State state() const { return state_; }
  bool is_active() const { return state_ == State::running || state_ == State::canceling; }
  const ToolCommand& command() const { return command_; }
  const ToolLog& log() const { return log_; }
  const ToolProgress& progress() const { return progress_; }
  double elapsed_s() const;  // so far, or in all
  // How it ended, in words; empty before.
  QString outcome() const { return outcome_; }
  // What was made, once it has ended; empty: nothing. A program that failed may have been recorded.
  QString result() const { return result_; }
  // Of the tool, which for `profile` is the program's; 128 + N where signal N ended it; -1: it
  // never ran.
  int exit_code() const { return exit_code_; }

 Q_SIGNALS:
  void state_changed();
  void progress_changed();
  void log_grew();
  // Of `profile`: this file has come to be and grows.
  void recording_started(const QString& file);

 private:
  enum class Stop { none, interrupt, terminate, kill };

  void read(QProcess::ProcessChannel channel);
  void take_line(const QByteArray& line, bool from_errors);
  void take_progress(const ToolProgress& progress);
  void escalate();
  void end(bool started);
  void find_result();
  void set_state(State state);
  void stop_and_wait();

  QString program_;
  ToolCommand command_;
  std::unique_ptr<QProcess> process_;
  LineSplitter output_;
  LineSplitter errors_;
  ToolLog log_;
  ToolProgress progress_;
  QString last_said_;  // by mansard itself, not by a profiled program
  bool announced_ = false;
  State state_ = State::idle;
  Stop stop_ = Stop::none;
  QTimer out_of_patience_;
  std::chrono::milliseconds patience_{10'000};
  QElapsedTimer clock_;
  qint64 started_ms_ = 0;  // since the epoch
  double elapsed_s_ = 0;
  QString outcome_;
  QString result_;
  int exit_code_ = -1;
};

}  // namespace mansard::gui
