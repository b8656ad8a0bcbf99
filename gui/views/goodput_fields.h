// SPDX-License-Identifier: Apache-2.0
// The inputs of a goodput study as fields. A field that was not edited shows the value that the
// study took, and where that is from.
#pragma once

#include <QWidget>
#include <vector>

#include "analyzer/goodput/goodput_inputs.h"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QToolButton;

namespace mansard::gui {

class GoodputFields : public QWidget {
  Q_OBJECT

 public:
  explicit GoodputFields(QWidget* parent = nullptr);

  // Has the edited values; all else is empty.
  const analysis::GoodputInputs& inputs() const { return inputs_; }
  // Fills in the values and sources that were used.
  void show_used(const std::vector<analysis::GoodputInput>& used);
  void reset();  // forgets all edits

  // Null for a name that is not in GoodputStudy::inputs.
  QDoubleSpinBox* field(std::string_view input) const;
  QString source(std::string_view input) const;  // as shown beside the field
  QComboBox* recovery() { return recovery_; }
  QComboBox* synchronization() { return synchronization_; }
  QComboBox* without_spare() { return without_spare_; }

 Q_SIGNALS:
  void edited();

 private:
  struct Kind;
  struct Field {
    const Kind* kind;
    QDoubleSpinBox* box;
    QLabel* source;
    QToolButton* undo;
  };
  static const std::vector<Kind>& kinds();
  void edit(const Field& field);
  void undo(const Field& field);

  analysis::GoodputInputs inputs_;
  std::vector<Field> fields_;
  QComboBox* synchronization_;
  QComboBox* recovery_;
  QComboBox* without_spare_;
};

}  // namespace mansard::gui
