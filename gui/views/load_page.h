// SPDX-License-Identifier: Apache-2.0
// What a page shows while it has no run: how far it is loaded, or why it is not.
#pragma once

#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;

namespace mansard::gui {

class RunDocument;

class LoadPage : public QWidget {
  Q_OBJECT

 public:
  // `document` must outlive it.
  explicit LoadPage(RunDocument* document, QWidget* parent = nullptr);

  QString text() const;

 private:
  void show_state();
  void show_progress();

  RunDocument* document_;
  QLabel* message_;
  QProgressBar* bar_;
  QPushButton* button_;  // cancels a load, or tries again
};

}  // namespace mansard::gui
