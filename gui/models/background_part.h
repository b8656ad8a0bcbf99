// SPDX-License-Identifier: Apache-2.0
// Findings worked out away from the window's thread, with what is said meanwhile and where they
// cannot be had.
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
  // Runs in another thread, so it must own what it reads. What it throws becomes error().
  using Work = std::function<reports::ReportPart()>;

  explicit BackgroundPart(QObject* parent = nullptr);
  // Does not wait for work that goes on; its result is dropped.
  ~BackgroundPart() override;

  // Work that still goes on is superseded: only the last one is heard of.
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
  quint64 number_ = 0;  // of what was started or cleared last
};

}  // namespace mansard::gui
