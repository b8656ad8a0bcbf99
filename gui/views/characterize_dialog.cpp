// SPDX-License-Identifier: Apache-2.0
#include "gui/views/characterize_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFileInfo>
#include <QFormLayout>
#include <QLineEdit>

#include "gui/views/path_field.h"

namespace mansard::gui {

CharacterizeDialog::CharacterizeDialog(QWidget* parent, const QString& program)
    : ToolDialog(tr("Measure this machine"), program, parent) {
  auto* form = new QWidget(this);
  output_ = new PathField(PathField::Kind::file_to_write, tr("Machine model"),
                          tr("Machine models (*.json)"), form);
  output_->set_folder(QDir::currentPath());
  replace_ = new QCheckBox(tr("&Replace the existing file"), form);
  resume_ = new QCheckBox(tr("Resume the &interrupted measurement"), form);
  device_ = new QComboBox(form);
  device_->addItems({tr("GPUs and CPU"), tr("GPUs"), tr("CPU")});
  effort_ = new QComboBox(form);
  effort_->addItems({tr("Quick: one short campaign per ceiling, no working-set curves"),
                     tr("Standard: three campaigns per ceiling, with working-set curves"),
                     tr("Full: also all data patterns and seconds of sustained load")});
  effort_->setCurrentIndex(static_cast<int>(CharacterizeSettings::Effort::standard));
  only_ = new QLineEdit(form);
  only_->setPlaceholderText(tr("all; or names listed by mansard list ceilings"));

  auto* layout = new QFormLayout(form);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  layout->addRow(tr("&Write to"), output_);
  layout->addRow(QString(), replace_);
  layout->addRow(QString(), resume_);
  layout->addRow(tr("&Measure"), device_);
  layout->addRow(tr("E&ffort"), effort_);
  layout->addRow(tr("Cei&lings"), only_);

  connect(output_, &PathField::changed, this, &CharacterizeDialog::follow_output);
  for (QCheckBox* box : {replace_, resume_}) {
    connect(box, &QCheckBox::toggled, this, &CharacterizeDialog::show_command);
  }
  for (QComboBox* box : {device_, effort_}) {
    connect(box, &QComboBox::currentIndexChanged, this, &CharacterizeDialog::show_command);
  }
  connect(only_, &QLineEdit::textChanged, this, &CharacterizeDialog::show_command);
  connect(&run(), &ToolRun::state_changed, this, &CharacterizeDialog::follow_output);
  output_->set_text(unused_file(QDir::currentPath(), QStringLiteral("machine.json")));
  add_form(form);
}

CharacterizeSettings CharacterizeDialog::settings() const {
  CharacterizeSettings s;
  s.output = output_->text();
  s.replace = replace_->isVisibleTo(this) && replace_->isChecked();
  s.resume = resume_->isVisibleTo(this) && resume_->isChecked();
  s.device = static_cast<CharacterizeSettings::Device>(device_->currentIndex());
  s.effort = static_cast<CharacterizeSettings::Effort>(effort_->currentIndex());
  s.only = only_->text();
  return s;
}

void CharacterizeDialog::set_output(const QString& file) { output_->set_text(file); }

QString CharacterizeDialog::hint() const {
  return tr("Keep the machine idle otherwise: other load makes the measured values too low.");
}

// Shows the checkboxes about existing files only if there are any.
void CharacterizeDialog::follow_output() {
  if (is_running()) return;
  const QString file = absolute_path(output_->text());
  const bool interrupted = !interrupted_measurement(file).isEmpty();
  const bool in_the_way = interrupted || QFileInfo(file).isFile();
  if (!in_the_way) replace_->setChecked(false);
  replace_->setVisible(in_the_way);
  // Resuming is the more common choice.
  if (interrupted && !resume_->isVisibleTo(this)) resume_->setChecked(true);
  resume_->setVisible(interrupted);
  show_command();
}

}  // namespace mansard::gui
