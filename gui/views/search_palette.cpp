// SPDX-License-Identifier: Apache-2.0
#include "gui/views/search_palette.h"

#include <QAction>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMenuBar>
#include <QPainter>
#include <QPointer>
#include <QStyledItemDelegate>
#include <QTextLayout>
#include <QVBoxLayout>
#include <algorithm>

namespace mansard::gui {
namespace {

constexpr int kMaxWidth_px = 680;
constexpr int kPaletteRows = 12;
constexpr int kPaletteMargin_px = 8;

// Draws the text with matched characters in bold, and detail and kind on the right.
class EntryDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override {
    return {100, option.fontMetrics.height() + 10};
  }

  void paint(QPainter* painter, const QStyleOptionViewItem& given,
             const QModelIndex& index) const override {
    QStyleOptionViewItem option = given;
    option.state &= ~QStyle::State_HasFocus;
    const bool selected = (option.state & QStyle::State_Selected) != 0;
    const QPalette& colors = option.palette;
    if (selected) painter->fillRect(option.rect, colors.highlight());
    const QColor ink = colors.color(selected ? QPalette::HighlightedText : QPalette::Text);
    QColor pale = ink;
    pale.setAlphaF(0.7F);

    QRect area = option.rect.adjusted(kPaletteMargin_px, 0, -kPaletteMargin_px, 0);
    const QString kind = index.data(PaletteModel::kKindRole).toString();
    const QString detail = index.data(PaletteModel::kDetailRole).toString();
    const QString right = detail.isEmpty() ? kind : detail + QStringLiteral("   ") + kind;
    // Widths are rounded; a text that just fits must not be cut.
    const int right_width =
        std::min(option.fontMetrics.horizontalAdvance(right) + 2, area.width() / 2);
    painter->setPen(pale);
    painter->drawText(area, Qt::AlignRight | Qt::AlignVCenter,
                      option.fontMetrics.elidedText(right, Qt::ElideRight, right_width));
    area.setRight(area.right() - right_width - 2 * kPaletteMargin_px);
    painter->setPen(ink);
    draw_name(*painter, area, option.font, index);
  }

 private:
  // Clipped, not elided: matched letters may be anywhere.
  static void draw_name(QPainter& painter, const QRect& area, const QFont& font,
                        const QModelIndex& index) {
    QString text = index.data().toString();
    for (QChar& c : text) {
      if (c.category() == QChar::Other_Control) c = u' ';
    }
    QList<QTextLayout::FormatRange> bold;
    for (const int at : index.data(PaletteModel::kFoundRole).value<QList<int>>()) {
      QTextLayout::FormatRange range;
      range.start = at;
      range.length = 1;
      range.format.setFontWeight(QFont::Bold);
      range.format.setFontUnderline(true);
      bold << range;
    }
    QTextLayout layout(text, font);
    layout.setFormats(bold);
    layout.beginLayout();
    QTextLine line = layout.createLine();
    line.setNumColumns(static_cast<int>(text.size()));
    layout.endLayout();
    painter.save();
    painter.setClipRect(area);
    layout.draw(&painter, QPointF(area.left(), area.center().y() - line.height() / 2 + 1));
    painter.restore();
  }
};

// "File: Open" from "&Open..." of the menu "&File".
QString plain_text(const QString& text) {
  QString plain = text;
  plain.replace(QStringLiteral("&&"), QStringLiteral("\x01"));
  plain.remove(u'&');
  plain.replace(QChar(1), u'&');
  while (plain.endsWith(u'.')) plain.chop(1);
  return plain.section(u'\t', 0, 0);
}

void add_actions(const QMenu& menu, const QString& path, std::vector<PaletteEntry>& out) {
  for (QAction* action : menu.actions()) {
    const QString name = path + QStringLiteral(": ") + plain_text(action->text());
    if (const QMenu* below = action->menu()) {
      if (below->isEnabled()) add_actions(*below, name, out);
    } else if (!action->isSeparator() && action->isEnabled() && action->isVisible()) {
      out.push_back({name, action->shortcut().toString(QKeySequence::NativeText),
                     QObject::tr("Command"), [action = QPointer<QAction>(action)] {
                       if (action) action->trigger();
                     }});
    }
  }
}

}  // namespace

std::vector<PaletteEntry> entries_of(const QMenuBar& menus) {
  std::vector<PaletteEntry> out;
  for (const QAction* action : menus.actions()) {
    if (const QMenu* menu = action->menu()) add_actions(*menu, plain_text(action->text()), out);
  }
  return out;
}

SearchPalette::SearchPalette(QWidget* window)
    : QFrame(window, Qt::Popup | Qt::FramelessWindowHint),
      model_(new PaletteModel(this)),
      field_(new QLineEdit(this)),
      list_(new QListView(this)),
      nothing_(new QLabel(tr("No matches."), this)) {
  setFrameShape(QFrame::StyledPanel);
  setAccessibleName(tr("Search"));
  field_->setPlaceholderText(
      tr("Search commands, kernels, ranges, classes, streams, tabs and help"));
  field_->setAccessibleName(tr("Search"));
  field_->installEventFilter(this);
  list_->setModel(model_);
  list_->setItemDelegate(new EntryDelegate(list_));
  list_->setUniformItemSizes(true);
  list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setFocusPolicy(Qt::NoFocus);  // typing goes to the field
  list_->setFrameShape(QFrame::NoFrame);
  nothing_->setMargin(kPaletteMargin_px);
  nothing_->setAlignment(Qt::AlignTop | Qt::AlignLeft);

  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(kPaletteMargin_px, kPaletteMargin_px, kPaletteMargin_px,
                             kPaletteMargin_px);
  layout->addWidget(field_);
  layout->addWidget(list_, 1);
  layout->addWidget(nothing_);
  connect(field_, &QLineEdit::textChanged, this, &SearchPalette::find);
  connect(list_, &QListView::clicked, this, [this](const QModelIndex& index) { run(index.row()); });
}

void SearchPalette::ask(std::vector<PaletteEntry> entries) {
  field_->clear();
  model_->set_entries(std::move(entries));
  find({});
  place();
  show();
  field_->setFocus();
}

void SearchPalette::place() {
  const QWidget* window = parentWidget();
  const int width = std::min(kMaxWidth_px, window->width() - 4 * kPaletteMargin_px);
  const int row =
      list_->sizeHintForRow(0) > 0 ? list_->sizeHintForRow(0) : fontMetrics().height() + 10;
  const int height =
      std::min(field_->sizeHint().height() + kPaletteRows * row + 5 * kPaletteMargin_px,
               window->height() - 4 * kPaletteMargin_px);
  resize(width, height);
  QFrame::move(window->mapToGlobal(QPoint((window->width() - width) / 2, window->height() / 10)));
}

void SearchPalette::find(const QString& typed) {
  model_->set_query(typed);
  const bool any = model_->rowCount() > 0;
  list_->setVisible(any);
  nothing_->setVisible(!any);
  if (any) list_->setCurrentIndex(model_->index(0));
}

void SearchPalette::move(int step) {
  const int rows = model_->rowCount();
  if (rows == 0) return;
  // Single steps wrap around; page steps stop at the ends.
  const int row = list_->currentIndex().row() + step;
  const int to = std::abs(step) == 1 ? (row + rows) % rows : std::clamp(row, 0, rows - 1);
  list_->setCurrentIndex(model_->index(to));
}

void SearchPalette::run(int row) {
  const std::function<void()> action = model_->action(row);
  hide();  // before running the command, which may open a window
  if (action) action();
}

// Entries are built on each opening: do not keep them in memory.
void SearchPalette::hideEvent(QHideEvent* event) {
  model_->set_entries({});
  QFrame::hideEvent(event);
}

bool SearchPalette::press(const QKeyEvent& key) {
  switch (key.key()) {
    case Qt::Key_Down:
      move(1);
      return true;
    case Qt::Key_Up:
      move(-1);
      return true;
    case Qt::Key_PageDown:
      move(kPaletteRows);
      return true;
    case Qt::Key_PageUp:
      move(-kPaletteRows);
      return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (model_->rowCount() > 0) run(list_->currentIndex().row());
      return true;
    case Qt::Key_Escape:
      hide();
      return true;
    default:
      return false;
  }
}

bool SearchPalette::eventFilter(QObject* watched, QEvent* event) {
  if (watched == field_ && event->type() == QEvent::KeyPress &&
      press(*static_cast<const QKeyEvent*>(event))) {
    return true;
  }
  return QFrame::eventFilter(watched, event);
}

}  // namespace mansard::gui
