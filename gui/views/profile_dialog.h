// SPDX-License-Identifier: Apache-2.0
// Dialog for `mansard profile`: runs a program and records a profile.
#pragma once

#include "gui/views/tool_dialog.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QSpinBox;

namespace mansard::gui {

class PathField;

class ProfileDialog : public ToolDialog {
  Q_OBJECT

 public:
  explicit ProfileDialog(QWidget* parent = nullptr, const QString& program = {});

  ProfileSettings settings() const;
  void set_program(const QString& command_line);
  void set_output(const QString& file);

 protected:
  ToolCommand command() const override { return command_of(settings()); }
  QString problem() const override { return problem_of(settings()); }
  QString hint() const override;

 private:
  QWidget* make_form();
  QWidget* make_time_row(QWidget* form);
  QWidget* make_steps_row(QWidget* form);
  void follow_output();

  QLineEdit* program_;
  PathField* folder_;
  PathField* output_;
  QCheckBox* replace_;
  QDoubleSpinBox* delay_;
  QDoubleSpinBox* duration_;
  QLineEdit* steps_;
  QLineEdit* step_range_;
  QLineEdit* capture_range_;
  QComboBox* counters_;
  QSpinBox* metrics_;
  QCheckBox* graphs_;
  QLineEdit* further_;
};

}  // namespace mansard::gui
