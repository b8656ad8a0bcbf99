// SPDX-License-Identifier: Apache-2.0
// One opened file: loads and prepares it in the background, then holds what views draw or says what
// went wrong.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <atomic>
#include <memory>

#include "gui/models/load_run.h"
#include "gui/models/open_run.h"

namespace mansard::gui {

// How far a load is.
struct LoadProgress {
  QString stage;        // "Reading the recording"
  double fraction = 0;  // of all stages
};

class RunDocument : public QObject {
  Q_OBJECT

 public:
  enum class State { empty, loading, ready, failed, canceled };

  explicit RunDocument(QObject* parent = nullptr, RunLoader loader = load_run);
  // Cancels a load that is still running, and does not wait for it.
  ~RunDocument() override;

  // Starts loading. A load still running is canceled: only the last one is reported. The run of
  // another file is let go of; of the same file, with other machines, this is a reload.
  void open(const QString& file, const QStringList& machines);
  // Of a run that is shown, which stays so until the new one is there: a live recording is
  // refreshed without flicker. It also stays when the reload fails: see error().
  void reload();
  // Of the running load, if any. What was shown before it remains; nothing shown: canceled.
  void cancel();

  State state() const { return state_; }
  bool reloading() const { return state_ == State::ready && is_loading(); }
  QString file() const { return file_; }
  QStringList machines() const { return machines_; }
  QString title() const;  // the file's name without folder
  // Null unless ready. What nobody holds any more is destroyed in another thread.
  std::shared_ptr<const OpenRun> open_run() const { return run_; }
  // While a large run is loaded for the first time: what there is of it before its launches are
  // prepared (see open_run.h); otherwise null.
  std::shared_ptr<const OpenRun> first_look() const { return first_look_; }
  // Its analysis, which keeps all of it.
  std::shared_ptr<const analysis::RunAnalysis> run() const {
    return run_ ? std::shared_ptr<const analysis::RunAnalysis>(run_, &run_->analysis) : nullptr;
  }
  // Why the last load failed; empty if it did not. State::failed, or, where a reload failed,
  // State::ready with the run from before.
  QString error() const { return error_; }
  // Of the load that is running.
  LoadProgress progress() const { return progress_; }

 Q_SIGNALS:
  void changed();           // the state, the run, its first look, or whether it is reloaded
  void progress_changed();  // 20 times a second at most

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
  std::shared_ptr<const OpenRun> first_look_;
  QString error_;
  LoadProgress progress_;
  std::shared_ptr<std::atomic<bool>> canceled_;  // the running load looks at it; null: none runs
  quint64 load_ = 0;
};

}  // namespace mansard::gui
