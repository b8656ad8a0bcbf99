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
  label_->setTextFormat(Qt::PlainText);
  label_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
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

QString NotesBar::text() const {
  QStringList shown = all_ ? notes_ : notes_.mid(0, kShownAtOnce);
  for (QString& note : shown) note.prepend(QStringLiteral("\u2022 "));
  return shown.join(QLatin1Char('\n'));
}

void NotesBar::resizeEvent(QResizeEvent* event) {
  QFrame::resizeEvent(event);
  elide();
}

// A single line, of which the button shows the rest, leaves room for the figures.
void NotesBar::elide() {
  if (all_) return;
  label_->setText(label_->fontMetrics().elidedText(text(), Qt::ElideRight, label_->width()));
}

void NotesBar::show_notes() {
  label_->setWordWrap(all_);
  label_->setText(text());
  label_->setToolTip(all_ ? QString() : text());
  more_->setVisible(!notes_.isEmpty());
  const auto hidden = notes_.size() - kShownAtOnce;
  more_->setText(all_ ? tr("fewer") : hidden > 0 ? tr("%1 more").arg(hidden) : tr("more"));
  elide();
}

}  // namespace mansard::gui
