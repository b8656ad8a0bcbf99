// SPDX-License-Identifier: Apache-2.0
// A tab loads a document in the background: a file, or a job of many files.
#pragma once

#include <QObject>
#include <QString>

namespace mansard::gui {

// Progress of a load.
struct LoadProgress {
  QString stage;        // for example "Reading the trace"
  double fraction = 0;  // over all stages
};

class Document : public QObject {
  Q_OBJECT

 public:
  enum class State { empty, loading, ready, failed, canceled };
  using QObject::QObject;

  virtual State state() const = 0;
  virtual QString title() const = 0;  // short, for a tab
  // Why the last load failed; empty if it did not. The state is then failed or, after a failed
  // reload, ready with the previous data.
  virtual QString error() const = 0;
  virtual LoadProgress progress() const = 0;  // of the running load
  virtual void reload() = 0;
  // Cancels the running load, if any. Data that was shown before stays; without any, the state
  // becomes canceled.
  virtual void cancel() = 0;

 Q_SIGNALS:
  void changed();           // the state or the data changed
  void progress_changed();  // at most 20 times per second
};

}  // namespace mansard::gui
