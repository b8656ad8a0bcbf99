// SPDX-License-Identifier: Apache-2.0
// Cells of the kernel table that show more than a number.
#pragma once

#include <QStyledItemDelegate>

#include "reports/figure/palette.h"

namespace mansard::gui {

// Draws a fraction as a bar below its text: the cell's kBarRole or, without one, its value.
class FractionDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  // `color`: the bar's; null: the color of GEMMs.
  explicit FractionDelegate(QObject* parent, figure::Rgb figure::Surface::*color = nullptr)
      : QStyledItemDelegate(parent), color_(color) {}
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  figure::Rgb figure::Surface::*color_;
};

// Draws an operation class with its mark from the roofline.
class ClassDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace mansard::gui
