// SPDX-License-Identifier: Apache-2.0
// A `mansard` process started by the window: its output, progress and outcome. Never blocks on it.
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

// `mansard` next to this program, so that a build tree does not run an installed one; otherwise
// from PATH. Empty if not found.
QString find_mansard();

class ToolRun : public QObject {
  Q_OBJECT

 public:
  enum class State {
    idle,
    running,
    canceling,
    finished,  // ended successfully, or because it was canceled
    failed,
  };

  // `program`: runs this instead of find_mansard().
  explicit ToolRun(QObject* parent = nullptr, QString program = {});
  // Stops a running process, waits at most some seconds, then kills it: a measurement or training
  // must not continue unseen.
  ~ToolRun() override;

  // Requires that nothing runs. Starts without a shell, in its own session.
  void start(const ToolCommand& command);
  // Sends SIGINT like Ctrl-C: finished measurements are kept, and a profile is closed properly. If
  // the process does not end within patience(), it and its children get SIGTERM, and after the same
  // time again SIGKILL. Another call skips to the next of these steps.
  void cancel();

  void set_patience(std::chrono::milliseconds patience) { patience_ = patience; }
  std::chrono::milliseconds patience() const { return patience_; }

  State state() const { return state_; }
  bool is_active() const { return state_ == State::running || state_ == State::canceling; }
  const ToolCommand& command() const { return command_; }
  const ToolLog& log() const { return log_; }
  const ToolProgress& progress() const { return progress_; }
  double elapsed_s() const;  // until now, or until the end
  // How it ended, as text; empty before that.
  QString outcome() const { return outcome_; }
  // The output file, after the end; empty if none. A program that failed may still have been
  // profiled.
  QString result() const { return result_; }
  // Exit code of the tool; for `profile` that of the program. 128 + N if terminated by signal N; -1
  // if it never ran.
  int exit_code() const { return exit_code_; }

 Q_SIGNALS:
  void state_changed();
  void progress_changed();
  void log_grew();
  // For `profile`: this file was created and grows.
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
  QString last_said_;  // last message of mansard itself, not of a profiled program
  bool announced_ = false;
  State state_ = State::idle;
  Stop stop_ = Stop::none;
  QTimer out_of_patience_;
  std::chrono::milliseconds patience_{10'000};
  QElapsedTimer clock_;
  qint64 started_ms_ = 0;  // Unix time
  double elapsed_s_ = 0;
  QString outcome_;
  QString result_;
  int exit_code_ = -1;
};

}  // namespace mansard::gui
