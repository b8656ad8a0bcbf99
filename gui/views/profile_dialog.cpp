// SPDX-License-Identifier: Apache-2.0
#include "gui/views/profile_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>

#include "gui/models/shell_words.h"
#include "gui/views/path_field.h"

namespace mansard::gui {
namespace {

// Values of --counters, by index of the combo box.
const char* const kCounters[] = {"", "off", "roofline", "full"};

QDoubleSpinBox* seconds(const QString& when_zero, const QString& name, QWidget* parent) {
  auto* box = new QDoubleSpinBox(parent);
  box->setRange(0, 1e6);
  box->setDecimals(1);
  box->setSuffix(QObject::tr(" s"));
  box->setSpecialValueText(when_zero);
  box->setAccessibleName(name);
  return box;
}

QHBoxLayout* row_in(QWidget* widget) {
  auto* layout = new QHBoxLayout(widget);
  layout->setContentsMargins(0, 0, 0, 0);
  return layout;
}

}  // namespace

ProfileDialog::ProfileDialog(QWidget* parent, const QString& program)
    : ToolDialog(tr("Profile a program"), program, parent) {
  QWidget* form = make_form();
  folder_->set_text(QDir::currentPath());
  output_->set_text(
      QFileInfo(unused_file(QDir::currentPath(), QStringLiteral("run.sqlite"))).fileName());

  for (PathField* field : {folder_, output_}) {
    connect(field, &PathField::changed, this, &ProfileDialog::follow_output);
  }
  for (QLineEdit* field : {program_, steps_, step_range_, capture_range_, further_}) {
    connect(field, &QLineEdit::textChanged, this, &ProfileDialog::show_command);
  }
  for (QDoubleSpinBox* box : {delay_, duration_}) {
    connect(box, &QDoubleSpinBox::valueChanged, this, &ProfileDialog::show_command);
  }
  for (QCheckBox* box : {replace_, graphs_}) {
    connect(box, &QCheckBox::toggled, this, &ProfileDialog::show_command);
  }
  connect(metrics_, &QSpinBox::valueChanged, this, &ProfileDialog::show_command);
  connect(counters_, &QComboBox::currentIndexChanged, this, &ProfileDialog::show_command);
  connect(&run(), &ToolRun::state_changed, this, &ProfileDialog::follow_output);
  follow_output();
  add_form(form);
  program_->setFocus();
}

QWidget* ProfileDialog::make_form() {
  auto* form = new QWidget(this);
  program_ = new QLineEdit(form);
  program_->setPlaceholderText(tr("python3 train.py --steps 20"));
  folder_ = new PathField(PathField::Kind::folder, tr("Working folder"), {}, form);
  output_ =
      new PathField(PathField::Kind::file_to_write, tr("Profile"), tr("Profiles (*.sqlite)"), form);
  replace_ = new QCheckBox(tr("&Replace the existing file"), form);
  capture_range_ = new QLineEdit(form);
  capture_range_->setPlaceholderText(tr("whole program; or nvtx:NAME, cudaProfilerApi"));
  counters_ = new QComboBox(form);
  counters_->addItems({tr("Automatic: the kernels that take the most time, for a few seconds"),
                       tr("None: no slowdown by counter collection"),
                       tr("Roofline: bytes per memory tier, operations per precision"),
                       tr("Full: also unit utilization and warp stall reasons")});
  metrics_ = new QSpinBox(form);
  metrics_->setRange(0, 1'000'000);
  metrics_->setSingleStep(1000);
  metrics_->setSuffix(tr(" µs"));
  metrics_->setSpecialValueText(tr("never"));
  graphs_ = new QCheckBox(tr("Record CUDA &graphs as a whole, without their kernels"), form);
  further_ = new QLineEdit(form);
  further_->setPlaceholderText(tr("see mansard profile --help"));

  auto* layout = new QFormLayout(form);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  layout->addRow(tr("&Program"), program_);
  layout->addRow(tr("Working &folder"), folder_);
  layout->addRow(tr("&Write to"), output_);
  layout->addRow(QString(), replace_);
  layout->addRow(tr("&Delay"), make_time_row(form));
  layout->addRow(tr("St&eps"), make_steps_row(form));
  layout->addRow(tr("C&apture range"), capture_range_);
  layout->addRow(tr("Cou&nters"), counters_);
  layout->addRow(tr("Sample the GP&U every"), metrics_);
  layout->addRow(QString(), graphs_);
  layout->addRow(tr("&More options"), further_);
  return form;
}

QWidget* ProfileDialog::make_time_row(QWidget* form) {
  auto* row = new QWidget(form);
  delay_ = seconds(tr("none"), tr("Delay"), row);
  duration_ = seconds(tr("until it exits"), tr("Record for"), row);
  QHBoxLayout* layout = row_in(row);
  layout->addWidget(delay_, 1);
  layout->addWidget(new QLabel(tr("then record for"), row));
  layout->addWidget(duration_, 1);
  row->setFocusProxy(delay_);
  return row;
}

QWidget* ProfileDialog::make_steps_row(QWidget* form) {
  auto* row = new QWidget(form);
  steps_ = new QLineEdit(row);
  steps_->setPlaceholderText(tr("all; 10:15 is steps 10 to 14"));
  steps_->setAccessibleName(tr("Steps"));
  step_range_ = new QLineEdit(row);
  step_range_->setPlaceholderText(tr("step"));
  step_range_->setAccessibleName(tr("Name prefix of the step ranges"));
  QHBoxLayout* layout = row_in(row);
  layout->addWidget(steps_, 1);
  layout->addWidget(new QLabel(tr("of ranges with prefix"), row));
  layout->addWidget(step_range_, 1);
  row->setFocusProxy(steps_);
  return row;
}

ProfileSettings ProfileDialog::settings() const {
  ProfileSettings s;
  s.command = program_->text();
  s.folder = folder_->text();
  s.output = output_->text();
  s.replace = replace_->isVisibleTo(this) && replace_->isChecked();
  s.delay_s = delay_->value();
  s.duration_s = duration_->value();
  s.steps = steps_->text();
  s.step_range = step_range_->text();
  s.capture_range = capture_range_->text().trimmed();
  s.counters = QString::fromLatin1(kCounters[counters_->currentIndex()]);
  s.gpu_metrics_period_us = metrics_->value();
  s.graphs_as_a_whole = graphs_->isChecked();
  s.further = further_->text();
  return s;
}

void ProfileDialog::set_program(const QString& command_line) { program_->setText(command_line); }
void ProfileDialog::set_output(const QString& file) { output_->set_text(file); }

QString ProfileDialog::hint() const {
  const QString special = split_shell_words(program_->text()).not_interpreted;
  if (special.isEmpty()) return {};
  return tr("No shell is used: %1 is passed literally. To use a shell: sh -c '...'").arg(special);
}

void ProfileDialog::follow_output() {
  if (is_running()) return;
  const QString folder = absolute_path(folder_->text());
  output_->set_folder(folder);
  const bool exists = QFileInfo(absolute_path(output_->text(), folder)).isFile();
  if (!exists) replace_->setChecked(false);
  replace_->setVisible(exists);
  show_command();
}

}  // namespace mansard::gui
