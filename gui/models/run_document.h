// SPDX-License-Identifier: Apache-2.0
// One opened file: loads and prepares it in the background, then holds what views draw or says what
// went wrong.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <memory>

#include "gui/models/load_run.h"
#include "gui/models/open_run.h"

namespace mansard {

class RunDocument : public QObject {
  Q_OBJECT

 public:
  enum class State { empty, loading, ready, failed };

  explicit RunDocument(QObject* parent = nullptr, RunLoader loader = load_run);
  // Does not wait for a load that is still running; its result is dropped.
  ~RunDocument() override;

  // Starts loading. A load still running is superseded: only the last one is reported. What was
  // shown before stays valid until `changed`.
  void open(const QString& file, const QStringList& machines);
  void reload() { open(file_, machines_); }

  State state() const { return state_; }
  QString file() const { return file_; }
  QStringList machines() const { return machines_; }
  QString title() const;  // the file's name without folder
  // Null unless ready.
  std::shared_ptr<const OpenRun> open_run() const { return run_; }
  // Its analysis, which keeps all of it.
  std::shared_ptr<const RunAnalysis> run() const {
    return run_ ? std::shared_ptr<const RunAnalysis>(run_, &run_->analysis) : nullptr;
  }
  // Empty unless failed.
  QString error() const { return error_; }

 Q_SIGNALS:
  void changed();

 private:
  struct Mailbox;
  struct Outcome {
    std::shared_ptr<const OpenRun> run;
    QString error;
  };
  void finish(quint64 load, Outcome outcome);

  RunLoader loader_;
  std::shared_ptr<Mailbox> mailbox_;
  QString file_;
  QStringList machines_;
  State state_ = State::empty;
  std::shared_ptr<const OpenRun> run_;
  QString error_;
  quint64 load_ = 0;
};

}  // namespace mansard
