// SPDX-License-Identifier: Apache-2.0
#include "gui/views/load_page.h"

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>
#include <cmath>

#include "gui/models/document.h"

namespace mansard::gui {

LoadPage::LoadPage(Document* document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      message_(new QLabel(this)),
      bar_(new QProgressBar(this)),
      button_(new QPushButton(this)) {
  message_->setAlignment(Qt::AlignCenter);
  message_->setWordWrap(true);
  message_->setTextFormat(Qt::PlainText);
  message_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  message_->setMargin(20);
  bar_->setRange(0, 1000);
  bar_->setFixedWidth(320);
  auto* layout = new QVBoxLayout(this);
  layout->addStretch(2);
  layout->addWidget(message_);
  layout->addWidget(bar_, 0, Qt::AlignHCenter);
  layout->addSpacing(12);
  layout->addWidget(button_, 0, Qt::AlignHCenter);
  layout->addStretch(3);
  connect(document_, &Document::changed, this, &LoadPage::show_state);
  connect(document_, &Document::progress_changed, this, &LoadPage::show_progress);
  connect(button_, &QPushButton::clicked, this, [this] {
    if (document_->state() == Document::State::loading) return document_->cancel();
    document_->reload();
  });
  show_state();
}

QString LoadPage::text() const { return message_->text(); }

void LoadPage::show_state() {
  using State = Document::State;
  const QString title = document_->title();
  switch (document_->state()) {
    case State::failed:
      message_->setText(tr("Cannot open %1\n\n%2").arg(title, document_->error()));
      break;
    case State::canceled:
      message_->setText(tr("Loading of %1 was canceled").arg(title));
      break;
    default:
      message_->setText(tr("Loading %1").arg(title));
  }
  const bool loading = document_->state() == State::loading;
  bar_->setVisible(loading);
  button_->setText(loading ? tr("&Cancel") : tr("&Try again (F5)"));
  button_->setVisible(document_->state() != State::empty);
  show_progress();
}

void LoadPage::show_progress() {
  const LoadProgress progress = document_->progress();
  bar_->setValue(static_cast<int>(std::lround(1000 * progress.fraction)));
  bar_->setFormat(progress.stage.isEmpty() ? QString() : progress.stage + QStringLiteral(" %p %"));
}

}  // namespace mansard::gui
