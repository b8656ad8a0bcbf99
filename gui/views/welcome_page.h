// SPDX-License-Identifier: Apache-2.0
// The start page, shown while no file is open: recent files, examples, and the tools.
#pragma once

#include <QScrollArea>
#include <QStringList>
#include <vector>

#include "gui/models/examples.h"

class QLabel;

namespace mansard::gui {

class WelcomePage : public QScrollArea {
  Q_OBJECT

 public:
  explicit WelcomePage(QWidget* parent = nullptr);
  void set_recent(const QStringList& files);
  void set_examples(std::vector<Example> examples);
  QString text() const;  // rich text

 Q_SIGNALS:
  void chosen(const QString& file);
  void example_chosen(const Example& example);
  void characterize_asked();
  void profile_asked();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void follow(const QString& link);
  void write();

  QLabel* text_;
  QStringList recent_;
  std::vector<Example> examples_;
};

}  // namespace mansard::gui
