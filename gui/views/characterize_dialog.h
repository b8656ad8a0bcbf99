// SPDX-License-Identifier: Apache-2.0
// Dialog for `mansard characterize`: measures the ceilings of this machine.
#pragma once

#include "gui/views/tool_dialog.h"

class QCheckBox;
class QComboBox;
class QFormLayout;

namespace mansard::gui {

class PathField;

class CharacterizeDialog : public ToolDialog {
  Q_OBJECT

 public:
  explicit CharacterizeDialog(QWidget* parent = nullptr, const QString& program = {});

  CharacterizeSettings settings() const;
  void set_output(const QString& file);

 protected:
  ToolCommand command() const override { return command_of(settings()); }
  QString problem() const override { return problem_of(settings()); }
  QString hint() const override;

 private:
  void follow_output();

  PathField* output_;
  QCheckBox* replace_;
  QCheckBox* resume_;
  QComboBox* device_;
  QComboBox* effort_;
  QLineEdit* only_;
};

}  // namespace mansard::gui
