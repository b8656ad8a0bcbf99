// SPDX-License-Identifier: Apache-2.0
#include "gui/views/notes_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

namespace mansard::gui {
namespace {

// Leaves room for the figures; a button shows the rest.
constexpr qsizetype kShownAtOnce = 1;

}  // namespace

NotesBar::NotesBar(QWidget* parent)
    : QFrame(parent), label_(new QLabel(this)), more_(new QToolButton(this)) {
  setFrameShape(QFrame::NoFrame);
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::AlternateBase);
  label_->setWordWrap(true);
  label_->setTextFormat(Qt::PlainText);
  label_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  more_->setAutoRaise(true);
  connect(more_, &QToolButton::clicked, this, [this] {
    all_ = !all_;
    show_notes();
  });
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(10, 3, 10, 3);
  layout->addWidget(label_, 1);
  layout->addWidget(more_, 0, Qt::AlignTop);
  hide();
}

void NotesBar::set_notes(const QStringList& notes) {
  notes_ = notes;
  all_ = false;
  setVisible(!notes_.isEmpty());
  show_notes();
}

QString NotesBar::text() const { return label_->text(); }

void NotesBar::show_notes() {
  QStringList shown = all_ ? notes_ : notes_.mid(0, kShownAtOnce);
  for (QString& note : shown) note.prepend(QStringLiteral("\u2022 "));
  label_->setText(shown.join(QLatin1Char('\n')));
  more_->setVisible(notes_.size() > kShownAtOnce);
  more_->setText(all_ ? tr("fewer") : tr("%1 more").arg(notes_.size() - kShownAtOnce));
}

}  // namespace mansard::gui
