// SPDX-License-Identifier: Apache-2.0
// The start page, shown while no file is open.
#pragma once

#include <QScrollArea>
#include <QStringList>

class QLabel;

namespace mansard::gui {

class WelcomePage : public QScrollArea {
  Q_OBJECT

 public:
  explicit WelcomePage(QWidget* parent = nullptr);
  void set_recent(const QStringList& files);

 Q_SIGNALS:
  void chosen(const QString& file);
  void characterize_asked();
  void profile_asked();

 private:
  void follow(const QString& link);

  QLabel* text_;
  QStringList recent_;
};

}  // namespace mansard::gui
