// SPDX-License-Identifier: Apache-2.0
// Shown while a page has nothing to show: the progress of loading, or the error.
#pragma once

#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;

namespace mansard::gui {

class Document;

class LoadPage : public QWidget {
  Q_OBJECT

 public:
  // `document` must outlive this object.
  explicit LoadPage(Document* document, QWidget* parent = nullptr);

  QString text() const;

 private:
  void show_state();
  void show_progress();

  Document* document_;
  QLabel* message_;
  QProgressBar* bar_;
  QPushButton* button_;  // cancels or retries the load
};

}  // namespace mansard::gui
