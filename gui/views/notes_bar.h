// SPDX-License-Identifier: Apache-2.0
// The notes of a run: caveats such as an interrupted profile or published ceilings.
#pragma once

#include <QFrame>
#include <QStringList>

class QLabel;
class QToolButton;

namespace mansard::gui {

class NotesBar : public QFrame {
  Q_OBJECT

 public:
  explicit NotesBar(QWidget* parent = nullptr);
  void set_notes(const QStringList& notes);  // none: the bar hides itself
  QString text() const;                      // the shown notes, unabridged
  const QStringList& notes() const { return notes_; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void show_notes();
  void elide();

  QStringList notes_;
  bool all_ = false;
  QLabel* label_;
  QToolButton* more_;
};

}  // namespace mansard::gui
