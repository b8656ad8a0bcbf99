// SPDX-License-Identifier: Apache-2.0
#include "gui/models/tool_run.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QFileInfo>
#include <QStandardPaths>
#include <csignal>
#include <unistd.h>

#include <sys/prctl.h>

#include "gui/models/tool_outcome.h"

namespace mansard::gui {
namespace {

// Used while the window closes.
constexpr int kLastPatience_ms = 2'000;
const char* const kProgram = "mansard";

// Runs in the child between fork() and exec(): only async-signal-safe calls.
void be_on_ones_own() {
  // Own process group, so that all processes can be signaled, and no terminal that a program could
  // wait on for input.
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGINT);  // if the window crashes
}

void signal_process(qint64 pid, int number) {
  if (pid > 0) ::kill(static_cast<pid_t>(pid), number);
}

void signal_group(qint64 pid, int number) {
  if (pid > 0) ::kill(-static_cast<pid_t>(pid), number);
}

}  // namespace

QString find_mansard() {
  const QString name = QString::fromLatin1(kProgram);
  const QString beside =
      QStandardPaths::findExecutable(name, {QCoreApplication::applicationDirPath()});
  return beside.isEmpty() ? QStandardPaths::findExecutable(name) : beside;
}

ToolRun::ToolRun(QObject* parent, QString program) : QObject(parent), program_(std::move(program)) {
  out_of_patience_.setSingleShot(true);
  connect(&out_of_patience_, &QTimer::timeout, this, &ToolRun::escalate);
}

ToolRun::~ToolRun() { stop_and_wait(); }

void ToolRun::start(const ToolCommand& command) {
  if (is_active()) return;
  command_ = command;
  output_ = {};
  errors_ = {};
  log_.clear();
  progress_ = {};
  last_said_.clear();
  announced_ = false;
  stop_ = Stop::none;
  outcome_.clear();
  result_.clear();
  exit_code_ = -1;
  elapsed_s_ = 0;
  clock_.start();
  started_ms_ = QDateTime::currentMSecsSinceEpoch();
  Q_EMIT log_grew();
  Q_EMIT progress_changed();

  const QString program = program_.isEmpty() ? find_mansard() : program_;
  if (program.isEmpty()) {
    outcome_ = tr("The program mansard was not found beside mansard-gui or on PATH.");
    return set_state(State::failed);
  }
  QStringList arguments = command.arguments;
  arguments.insert(std::min<qsizetype>(1, arguments.size()), QStringLiteral("--progress=json"));

  process_ = std::make_unique<QProcess>();
  process_->setStandardInputFile(QProcess::nullDevice());
  process_->setChildProcessModifier(be_on_ones_own);
  if (!command.folder.isEmpty()) process_->setWorkingDirectory(command.folder);
  connect(process_.get(), &QProcess::readyReadStandardOutput, this,
          [this] { read(QProcess::StandardOutput); });
  connect(process_.get(), &QProcess::readyReadStandardError, this,
          [this] { read(QProcess::StandardError); });
  connect(process_.get(), &QProcess::finished, this, [this] { end(true); });
  connect(process_.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) end(false);
  });
  set_state(State::running);
  process_->start(program, arguments, QIODevice::ReadOnly);
}

void ToolRun::cancel() {
  if (state_ == State::running) set_state(State::canceling);
  if (state_ == State::canceling) escalate();
}

void ToolRun::escalate() {
  if (!process_) return;
  const qint64 pid = process_->processId();
  switch (stop_) {
    case Stop::none:
      stop_ = Stop::interrupt;
      // Only to the tool, which forwards it: a program that counts signals must not get two.
      signal_process(pid, SIGINT);
      break;
    case Stop::interrupt:
      stop_ = Stop::terminate;
      signal_group(pid, SIGTERM);
      break;
    case Stop::terminate:
    case Stop::kill:
      stop_ = Stop::kill;
      signal_group(pid, SIGKILL);
      return;
  }
  out_of_patience_.start(patience_);
}

double ToolRun::elapsed_s() const {
  return is_active() ? static_cast<double>(clock_.elapsed()) * 1e-3 : elapsed_s_;
}

void ToolRun::read(QProcess::ProcessChannel channel) {
  if (!process_) return;
  const bool errors = channel == QProcess::StandardError;
  const QByteArray bytes =
      errors ? process_->readAllStandardError() : process_->readAllStandardOutput();
  if (bytes.isEmpty()) return;
  for (const QByteArray& line : (errors ? errors_ : output_).feed(bytes)) take_line(line, errors);
  Q_EMIT log_grew();
}

void ToolRun::take_line(const QByteArray& line, bool from_errors) {
  QByteArrayView text = line;
  if (from_errors) {
    if (const auto found = find_progress(line)) {
      take_progress(found->progress);
      text = text.first(found->begin);
      if (text.isEmpty()) return;
    }
  }
  const QString shown = printable(text);
  const QString says = QStringLiteral("mansard: ");
  if (from_errors && shown.startsWith(says)) last_said_ = shown.mid(says.size());
  log_.add(shown);
}

void ToolRun::take_progress(const ToolProgress& progress) {
  // The last line contains only the result: keep the other values.
  if (progress.result.isEmpty()) {
    progress_ = progress;
  } else {
    progress_.result = progress.result;
  }
  if (!announced_ && command_.tool == ToolCommand::Tool::profile && !progress_.files.isEmpty() &&
      QFileInfo(progress_.files.front()).isFile()) {
    announced_ = true;
    Q_EMIT recording_started(progress_.files.front());
  }
  Q_EMIT progress_changed();
}

// If the profiler was killed, it reports no result: use the file written so far.
void ToolRun::find_result() {
  const QStringList candidates = QStringList{progress_.result} + progress_.files;
  for (const QString& file : candidates) {
    if (!result_.isEmpty() || file.isEmpty() || !QFileInfo(file).isFile()) continue;
    result_ = file;
  }
  if (!result_.isEmpty() || command_.tool != ToolCommand::Tool::profile) return;
  const QFileInfo asked_for(command_.output);
  if (asked_for.isFile() && asked_for.lastModified().toMSecsSinceEpoch() >= started_ms_) {
    result_ = command_.output;
  }
}

void ToolRun::end(bool started) {
  out_of_patience_.stop();
  if (started) {
    read(QProcess::StandardOutput);
    read(QProcess::StandardError);
    for (LineSplitter* stream : {&output_, &errors_}) {
      const QByteArray rest = stream->take_rest();
      if (!rest.isEmpty()) take_line(rest, stream == &errors_);
    }
    Q_EMIT log_grew();
  }
  elapsed_s_ = static_cast<double>(clock_.elapsed()) * 1e-3;
  const QString start_error = started ? QString() : process_->errorString();
  const bool crashed = started && process_->exitStatus() == QProcess::CrashExit;
  if (started) exit_code_ = process_->exitCode() + (crashed ? kSignalExitCode : 0);
  // Not deleted here: called from one of its signals.
  process_.release()->deleteLater();

  if (!started) {
    outcome_ = tr("Cannot start mansard: %1").arg(start_error);
    return set_state(State::failed);
  }
  find_result();
  const ToolEnd end{.tool = command_.tool,
                    .exit_code = exit_code_,
                    .crashed = crashed,
                    .canceled = state_ == State::canceling,
                    .result = result_,
                    .partial = command_.tool == ToolCommand::Tool::characterize
                                   ? interrupted_measurement(command_.output)
                                   : QString(),
                    .last_said = last_said_};
  outcome_ = describe(end);
  set_state(is_success(end) ? State::finished : State::failed);
}

void ToolRun::set_state(State state) {
  state_ = state;
  Q_EMIT state_changed();
}

void ToolRun::stop_and_wait() {
  if (!process_) return;
  process_->disconnect(this);
  const qint64 pid = process_->processId();
  signal_process(pid, SIGINT);
  if (process_->waitForFinished(kLastPatience_ms)) return;
  signal_group(pid, SIGTERM);
  if (process_->waitForFinished(kLastPatience_ms)) return;
  signal_group(pid, SIGKILL);
  process_->waitForFinished(kLastPatience_ms);
}

}  // namespace mansard::gui
