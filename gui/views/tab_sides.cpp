// SPDX-License-Identifier: Apache-2.0
#include "gui/views/tab_sides.h"

#include <QApplication>
#include <QTabWidget>

#include "gui/views/painting.h"

namespace mansard::gui {

TabSides::TabSides(QWidget* parent)
    : QSplitter(Qt::Horizontal, parent), sides_{make_side(), make_side()}, used_(sides_[0]) {
  setChildrenCollapsible(false);
  hide_empty();
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
    for (QTabWidget* side : sides_) {
      if (now != nullptr && side->isAncestorOf(now)) use(side);
    }
  });
}

TabSides::~TabSides() {
  disconnect(qApp, nullptr, this, nullptr);  // deleting the pages moves the focus
}

QTabWidget* TabSides::make_side() {
  auto* side = new QTabWidget(this);
  side->setTabsClosable(true);
  side->setMovable(true);
  side->setDocumentMode(true);
  addWidget(side);
  connect(side, &QTabWidget::currentChanged, this, [this, side] {
    if (side->count() == 0 || side == used_) Q_EMIT current_changed();
  });
  connect(side, &QTabWidget::tabBarClicked, this, [this, side] { use(side); });
  connect(side, &QTabWidget::tabCloseRequested, this,
          [this, side](int index) { Q_EMIT close_requested(side->widget(index)); });
  return side;
}

QTabWidget* TabSides::side_of(const QWidget* page) const {
  for (QTabWidget* side : sides_) {
    if (side->indexOf(page) >= 0) return side;
  }
  return nullptr;
}

void TabSides::use(QTabWidget* side) {
  if (side == used_ || side->count() == 0) return;
  used_ = side;
  Q_EMIT current_changed();
}

void TabSides::hide_empty() {
  if (used_->count() == 0) used_ = used_ == sides_[0] ? sides_[1] : sides_[0];
  if (used_->count() == 0) used_ = sides_[0];
  for (QTabWidget* side : sides_) side->setVisible(side->count() > 0);
}

void TabSides::add(QWidget* page, const QString& title, const QString& tooltip) {
  const int index = used_->addTab(page, without_mnemonic(title));
  used_->setTabToolTip(index, tooltip);
  hide_empty();
}

void TabSides::remove(QWidget* page) {
  QTabWidget* side = side_of(page);
  if (side == nullptr) return;
  side->removeTab(side->indexOf(page));
  hide_empty();
  Q_EMIT current_changed();
}

void TabSides::move_to_other_side(QWidget* page) {
  QTabWidget* from = side_of(page);
  if (from == nullptr || count() < 2) return;  // a single page has no other side
  const int index = from->indexOf(page);
  const QString title = from->tabText(index);
  const QString tooltip = from->tabToolTip(index);
  QTabWidget* to = from == sides_[0] ? sides_[1] : sides_[0];
  to->setCurrentIndex(to->addTab(page, title));  // also removes it from its old side
  to->setTabToolTip(to->indexOf(page), tooltip);
  used_ = to;
  hide_empty();
  const int half = width() / 2;
  setSizes({half, half});
  Q_EMIT current_changed();
}

bool TabSides::on_second_side(const QWidget* page) const { return side_of(page) == sides_[1]; }

int TabSides::count() const { return sides_[0]->count() + sides_[1]->count(); }

QWidget* TabSides::page(int index) const {
  const int first = sides_[0]->count();
  return index < first ? sides_[0]->widget(index) : sides_[1]->widget(index - first);
}

QWidget* TabSides::current() const { return used_->currentWidget(); }

void TabSides::set_current(QWidget* page) {
  QTabWidget* side = side_of(page);
  if (side == nullptr) return;
  side->setCurrentWidget(page);
  use(side);
}

void TabSides::set_title(QWidget* page, const QString& title) {
  if (QTabWidget* side = side_of(page))
    side->setTabText(side->indexOf(page), without_mnemonic(title));
}

}  // namespace mansard::gui
