// SPDX-License-Identifier: Apache-2.0
#include "gui/views/cell_delegates.h"

#include <QPainter>
#include <algorithm>

#include "gui/models/table_cells.h"
#include "gui/views/drawing_painter.h"
#include "gui/views/theme.h"

namespace mansard::gui {
namespace {

bool is_selected(const QStyleOptionViewItem& option) {
  return option.state & QStyle::State_Selected;
}

QColor text_color(const QStyleOptionViewItem& option) {
  const bool active = option.state & QStyle::State_Active;
  return option.palette.color(active ? QPalette::Active : QPalette::Inactive,
                              is_selected(option) ? QPalette::HighlightedText : QPalette::Text);
}

constexpr int kMark_px = 20;

}  // namespace

void FractionDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                             const QModelIndex& index) const {
  QStyledItemDelegate::paint(painter, option, index);
  const QVariant bar_length = index.data(kBarRole);
  const QVariant value = bar_length.isValid() ? bar_length : index.data(kCellValueRole);
  if (!value.isValid()) return;
  // Below the text, not behind it, so that the text keeps its contrast.
  const double fraction = std::clamp(value.toDouble(), 0.0, 1.0);
  const QRectF cell = QRectF(option.rect).adjusted(6, 0, -4, 0);
  const QRectF track(cell.left(), cell.bottom() - 4, cell.width(), 2);
  const figure::Surface& colors = figure::surface(theme_of(option.palette));
  painter->fillRect(track, to_qcolor(colors.grid));
  // The bar's own color has too little contrast on a selected row.
  const QColor bar =
      is_selected(option)
          ? text_color(option)
          : to_qcolor(color_ != nullptr
                          ? colors.*color_
                          : figure::mark_style("gemm", theme_of(option.palette)).color);
  painter->fillRect(QRectF(track.left(), track.top(), track.width() * fraction, track.height()),
                    bar);
}

QSize FractionDelegate::sizeHint(const QStyleOptionViewItem& option,
                                 const QModelIndex& index) const {
  constexpr int kRoomForBar_px = 9;
  return QStyledItemDelegate::sizeHint(option, index) + QSize(0, kRoomForBar_px);
}

void ClassDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
  QStyleOptionViewItem item = option;
  initStyleOption(&item, index);
  item.text.clear();
  item.widget->style()->drawControl(QStyle::CE_ItemViewItem, &item, painter, item.widget);

  const QString name = index.data().toString();
  const figure::MarkStyle style = figure::mark_style(name.toStdString(), theme_of(option.palette));
  const QRectF cell(option.rect);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(is_selected(option) ? QPen(text_color(option), 1.5) : QPen(Qt::NoPen));
  painter->setBrush(to_qcolor(style.color));
  painter->drawPath(mark_path(style.shape, {cell.left() + kMark_px / 2.0, cell.center().y()}, 5));
  painter->setPen(text_color(option));
  painter->drawText(cell.adjusted(kMark_px, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, name);
  painter->restore();
}

QSize ClassDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  return QStyledItemDelegate::sizeHint(option, index) + QSize(kMark_px, 0);
}

}  // namespace mansard::gui
