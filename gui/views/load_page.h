// SPDX-License-Identifier: Apache-2.0
// Shown while a page has no run: the progress of loading, or the error.
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
  // `document` must outlive this object.
  explicit LoadPage(RunDocument* document, QWidget* parent = nullptr);

  QString text() const;

 private:
  void show_state();
  void show_progress();

  RunDocument* document_;
  QLabel* message_;
  QProgressBar* bar_;
  QPushButton* button_;  // cancels or retries the load
};

}  // namespace mansard::gui
