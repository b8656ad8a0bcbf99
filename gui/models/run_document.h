// SPDX-License-Identifier: Apache-2.0
// One opened file. Loads and prepares it in the background, then provides the data that views draw,
// or the error.
#pragma once

#include <QString>
#include <QStringList>
#include <atomic>
#include <memory>

#include "gui/models/document.h"
#include "gui/models/load_run.h"
#include "gui/models/open_run.h"

namespace mansard::gui {

class RunDocument : public Document {
  Q_OBJECT

 public:
  explicit RunDocument(QObject* parent = nullptr, RunLoader loader = load_run);
  // Cancels a running load without waiting for it.
  ~RunDocument() override;

  // Starts loading and cancels a running load: only the latest one is reported. Drops the current
  // run if it is from another file; for the same file with other machines, this is a reload.
  void open(const QString& file, const QStringList& machines);
  // Loads the file again. The current run stays until the new one is ready, so a live profile
  // refreshes without flicker. It also stays if the reload fails: see error().
  void reload() override;
  void cancel() override;

  State state() const override { return state_; }
  bool reloading() const { return state_ == State::ready && is_loading(); }
  QString file() const { return file_; }
  QStringList machines() const { return machines_; }
  QString title() const override;  // the file's name without folder
  // Null unless ready. Unreferenced runs are destroyed in another thread.
  std::shared_ptr<const OpenRun> open_run() const { return run_; }
  // During the first load of a large run: the data available before its launches are prepared (see
  // open_run.h); otherwise null.
  std::shared_ptr<const OpenRun> preview() const { return preview_; }
  // The analysis; the pointer keeps the whole run alive.
  std::shared_ptr<const analysis::RunAnalysis> run() const {
    return run_ ? std::shared_ptr<const analysis::RunAnalysis>(run_, &run_->analysis) : nullptr;
  }
  QString error() const override { return error_; }
  LoadProgress progress() const override { return progress_; }

 private:
  struct Mailbox;
  struct Outcome {
    std::shared_ptr<const OpenRun> run;
    QString error;
  };
  bool is_loading() const { return canceled_ != nullptr; }
  void start();
  void drop_load();
  void advance(quint64 load, LoadProgress progress);
  void show_first(quint64 load, std::shared_ptr<const OpenRun> look);
  void finish(quint64 load, Outcome outcome);

  RunLoader loader_;
  std::shared_ptr<Mailbox> mailbox_;
  QString file_;
  QStringList machines_;
  State state_ = State::empty;
  std::shared_ptr<const OpenRun> run_;
  std::shared_ptr<const OpenRun> preview_;
  QString error_;
  LoadProgress progress_;
  std::shared_ptr<std::atomic<bool>> canceled_;  // polled by the running load; null if none runs
  quint64 load_ = 0;
};

}  // namespace mansard::gui
