// SPDX-License-Identifier: Apache-2.0
// A job of many ranks. Summarizes its profiles in the background.
#pragma once

#include <QStringList>
#include <QTimer>
#include <atomic>

#include "gui/models/background.h"
#include "gui/models/document.h"
#include "gui/models/open_job.h"

namespace mansard::gui {

class JobDocument : public Document {
  Q_OBJECT

 public:
  explicit JobDocument(QObject* parent = nullptr);
  ~JobDocument() override;

  // `files`: files, patterns, or one folder. `summaries`: folder of the summaries; may be empty.
  void open(const QStringList& files, const QString& summaries);

  QStringList files() const { return files_; }  // as given
  QString summaries() const { return summaries_; }
  // Null unless ready.
  std::shared_ptr<const OpenJob> job() const { return job_; }

  State state() const override { return state_; }
  QString title() const override;
  QString error() const override { return error_; }
  LoadProgress progress() const override;
  void reload() override;
  void cancel() override;

 private:
  struct Outcome {
    std::shared_ptr<const OpenJob> job;
    QString error;
  };
  void finish(Outcome outcome);

  QStringList files_;
  QString summaries_;
  State state_ = State::empty;
  std::shared_ptr<const OpenJob> job_;
  QString error_;
  std::shared_ptr<std::atomic<double>> fraction_;  // written by the running load
  QTimer report_;                                  // runs while a load does
  Background load_;
};

}  // namespace mansard::gui
