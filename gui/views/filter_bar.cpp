// SPDX-License-Identifier: Apache-2.0
#include "gui/views/filter_bar.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

#include "gui/models/launch_matches.h"
#include "gui/models/row_facts.h"
#include "gui/views/painting.h"

namespace mansard::gui {
namespace {

// Range names may be of any length; the tooltip shows the full text.
constexpr qsizetype kPartLength = 32;

QString shortened(const QString& text) {
  return text.size() <= kPartLength ? text : text.left(kPartLength - 1) + QChar(0x2026);
}

std::vector<FilterPart> shown_parts(const SelectionModel& selection) {
  const auto& run = selection.run();
  std::vector<FilterPart> parts = parts_of(selection.filter(), run ? run->timeline.zero_ns : 0);
  std::erase_if(parts, [](const FilterPart& part) { return part.kind == FilterPart::Kind::words; });
  return parts;
}

}  // namespace

FilterBar::FilterBar(SelectionModel* selection, QWidget* parent)
    : QWidget(parent),
      selection_(selection),
      undo_(new QToolButton(this)),
      redo_(new QToolButton(this)),
      words_(new QLineEdit(this)),
      match_(new QLabel(this)),
      pin_(new QToolButton(this)),
      parts_(new QHBoxLayout),
      count_(new QLabel(this)) {
  undo_->setText(QStringLiteral("\u21b6"));
  undo_->setToolTip(tr("Undo the last change of selection, filter or visible time (Ctrl+Z)"));
  undo_->setAccessibleName(tr("Undo"));
  redo_->setText(QStringLiteral("\u21b7"));
  redo_->setToolTip(tr("Redo the change of selection, filter or visible time (Ctrl+Shift+Z)"));
  redo_->setAccessibleName(tr("Redo"));
  for (QToolButton* button : {undo_, redo_}) button->setAutoRaise(true);
  words_->setPlaceholderText(tr("Filter by name, class, precision or bound"));
  words_->setAccessibleName(tr("Filter"));
  words_->setClearButtonEnabled(true);
  words_->setMaximumWidth(340);
  words_->setToolTip(tr("Enter and Shift+Enter: next and previous match in the timeline"));
  words_->installEventFilter(this);
  match_->setToolTip(tr("The selected launch among those that pass the filter"));
  pin_->setText(tr("Pin view"));
  pin_->setToolTip(
      tr("Show only the time that the timeline shows in all views, also while it moves"));
  pin_->setCheckable(true);
  count_->setTextFormat(Qt::PlainText);
  count_->setToolTip(tr("A kernel signature is a kernel with its grid, block and shared memory."));

  connect(undo_, &QToolButton::clicked, selection_, &SelectionModel::undo);
  connect(redo_, &QToolButton::clicked, selection_, &SelectionModel::redo);
  connect(words_, &QLineEdit::textEdited, selection_, &SelectionModel::set_words);
  connect(words_, &QLineEdit::textChanged, this, [this](const QString& text) {
    // The field's clear button does not emit textEdited.
    if (text.isEmpty()) selection_->set_words(text);
  });
  connect(pin_, &QToolButton::toggled, this, [this](bool pinned) {
    if (pinned != selection_->state().pinned) selection_->set_pinned(pinned);
  });
  connect(selection_, &SelectionModel::visible_changed, this, &FilterBar::show_pin);
  connect(selection_, &SelectionModel::run_changed, this, &FilterBar::show_pin);
  connect(selection_, &SelectionModel::selected_changed, this, &FilterBar::show_match);
  connect(selection_, &SelectionModel::shown_changed, this, &FilterBar::show_match);
  connect(selection_, &SelectionModel::filter_changed, this, &FilterBar::show_filter);
  connect(selection_, &SelectionModel::shown_changed, this, &FilterBar::show_count);
  connect(selection_, &SelectionModel::history_changed, this, &FilterBar::show_history);

  auto* bar = new QHBoxLayout(this);
  bar->setContentsMargins(8, 2, 10, 4);
  bar->setSpacing(4);
  bar->addWidget(undo_);
  bar->addWidget(redo_);
  bar->addWidget(words_, 2);
  bar->addWidget(match_);
  bar->addWidget(pin_);
  bar->addLayout(parts_);
  bar->addStretch(1);
  bar->addWidget(count_);
  show_filter();
  show_history();
  show_match();
  show_pin();
}

void FilterBar::focus_words() {
  words_->setFocus(Qt::ShortcutFocusReason);
  words_->selectAll();
}

QString FilterBar::count_text() const { return count_->text(); }

QStringList FilterBar::part_texts() const {
  QStringList texts;
  for (const FilterPart& part : shown_parts(*selection_)) {
    texts << part.text;
  }
  return texts;
}

void FilterBar::show_filter() {
  const ViewFilter& filter = selection_->filter();
  if (words_->text() != filter.words) words_->setText(filter.words);
  while (QLayoutItem* item = parts_->takeAt(0)) {
    item->widget()->deleteLater();  // it may be the clicked button, in its signal
    delete item;
  }
  for (const FilterPart& part : shown_parts(*selection_)) {
    auto* button = new QToolButton(this);
    button->setText(without_mnemonic(shortened(part.text)) + QStringLiteral("  \u00d7"));
    button->setToolTip(QStringLiteral("<qt>%1</qt>")
                           .arg(tr("Filter: %1; click to remove").arg(part.text.toHtmlEscaped())));
    button->setAccessibleName(tr("Remove the filter %1").arg(part.text));
    connect(button, &QToolButton::clicked, this, [this, kind = part.kind] {
      selection_->set_filter(without(selection_->filter(), kind));
    });
    parts_->addWidget(button);
  }
}

namespace {

struct ShownCounts {
  std::int64_t kernels = 0;  // shown kernel signatures
  std::int64_t launches = 0;
  std::int64_t operations = 0;  // shown rows of memcpys and memsets
  std::int64_t transfers = 0;
};

ShownCounts counts_of(const analysis::RunAnalysis& run, const ShownLaunches& shown) {
  ShownCounts counts;
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    if (!shown.shows(i)) continue;
    const bool memory = analysis::is_memory_operation(run.rows[i]);
    ++(memory ? counts.operations : counts.kernels);
    (memory ? counts.transfers : counts.launches) += shown.launches[i];
  }
  return counts;
}

// "18 kernel signatures, 1411 launches; 968 memcpys and memsets"
QString launches_text(const ShownCounts& counts) {
  QString text =
      QObject::tr("%1, %2").arg(count_text(counts.kernels, "kernel signature", "kernel signatures"),
                                count_text(counts.launches, "launch", "launches"));
  if (counts.transfers > 0) {
    text += QStringLiteral("; ") +
            count_text(counts.transfers, "memcpy or memset", "memcpys and memsets");
  }
  return text;
}

}  // namespace

void FilterBar::show_count() {
  const auto& run = selection_->run();
  if (!run || run->analysis.rows.empty()) return count_->clear();
  const ShownLaunches& shown = *selection_->shown();
  const ShownCounts counts = counts_of(run->analysis, shown);
  if (shown.all()) return count_->setText(launches_text(counts));
  double all_s = 0;
  for (const analysis::KernelRow& row : run->analysis.rows) all_s += row.time_s;
  const auto of_time = all_s > 0 ? std::optional(shown.total_s / all_s) : std::nullopt;
  const auto rows = static_cast<std::int64_t>(run->analysis.rows.size());
  count_->setText(tr("%1 of %2: %3, %4 (%5 of the time)")
                      .arg(counts.kernels + counts.operations)
                      .arg(gui::count_text(rows, "row", "rows"), launches_text(counts),
                           quantity_text(shown.total_s, "s"), percent_text(of_time)));
}

QString FilterBar::match_text() const { return match_->text(); }

bool FilterBar::eventFilter(QObject* watched, QEvent* event) {
  if (watched == words_ && event->type() == QEvent::KeyPress) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
      Q_EMIT step_asked(key->modifiers() & Qt::ShiftModifier ? -1 : 1);
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

void FilterBar::show_match() {
  const auto position = match_position(*selection_);
  QString text;
  if (position && position->number > 0) {
    text = tr("%1 of %2").arg(position->number).arg(position->count);
  }
  match_->setText(text);
  match_->setVisible(!text.isEmpty());
}

void FilterBar::show_pin() {
  pin_->setChecked(selection_->state().pinned);
  pin_->setVisible(selection_->run() && !selection_->run()->timeline.empty());
}

void FilterBar::show_history() {
  undo_->setEnabled(selection_->can_undo());
  redo_->setEnabled(selection_->can_redo());
}

}  // namespace mansard::gui
