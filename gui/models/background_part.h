// SPDX-License-Identifier: Apache-2.0
// Findings computed in a background thread, with the state and error that views show meanwhile.
#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <memory>

#include "reports/report.h"

namespace mansard::gui {

class BackgroundPart : public QObject {
  Q_OBJECT

 public:
  enum class State { empty, working, ready, failed };
  // Runs in another thread, so it must own the data it reads. The message of an exception becomes
  // error().
  using Work = std::function<reports::ReportPart()>;

  explicit BackgroundPart(QObject* parent = nullptr);
  // Does not wait for running work; its result is dropped.
  ~BackgroundPart() override;

  // Supersedes running work: only the latest result is delivered.
  void start(Work work);
  void clear();

  State state() const { return state_; }
  // Null unless ready.
  const std::shared_ptr<const reports::ReportPart>& part() const { return part_; }
  QString error() const { return error_; }  // empty unless failed

 Q_SIGNALS:
  void changed();

 private:
  struct Mailbox;
  void finish(quint64 number, std::shared_ptr<const reports::ReportPart> part,
              const QString& error);

  std::shared_ptr<Mailbox> mailbox_;
  State state_ = State::empty;
  std::shared_ptr<const reports::ReportPart> part_;
  QString error_;
  quint64 number_ = 0;  // of the latest start() or clear()
};

}  // namespace mansard::gui
