// SPDX-License-Identifier: Apache-2.0
#include "gui/views/path_field.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QToolButton>

#include "gui/models/tool_command.h"

namespace mansard::gui {

PathField::PathField(Kind kind, const QString& name, const QString& files, QWidget* parent)
    : QWidget(parent), kind_(kind), name_(name), files_(files), field_(new QLineEdit(this)) {
  auto* choose_button = new QToolButton(this);
  choose_button->setText(tr("..."));
  choose_button->setToolTip(tr("Choose"));
  choose_button->setAccessibleName(tr("Choose: %1").arg(name));
  field_->setAccessibleName(name);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(field_, 1);
  layout->addWidget(choose_button);
  setFocusProxy(field_);
  connect(field_, &QLineEdit::textChanged, this, &PathField::changed);
  connect(choose_button, &QToolButton::clicked, this, &PathField::choose);
}

QString PathField::text() const { return field_->text().trimmed(); }
void PathField::set_text(const QString& text) { field_->setText(text); }

void PathField::choose() {
  const QString now = absolute_path(text(), folder_);
  // The form itself handles overwriting.
  const QString chosen =
      kind_ == Kind::folder
          ? QFileDialog::getExistingDirectory(this, name_, now)
          : QFileDialog::getSaveFileName(this, name_, now.isEmpty() ? folder_ : now, files_,
                                         nullptr, QFileDialog::DontConfirmOverwrite);
  if (!chosen.isEmpty()) set_text(chosen);
}

}  // namespace mansard::gui
