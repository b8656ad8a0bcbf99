// SPDX-License-Identifier: Apache-2.0
// Input field for an output file or a folder, with a file dialog.
#pragma once

#include <QWidget>

class QLineEdit;

namespace mansard::gui {

class PathField : public QWidget {
  Q_OBJECT

 public:
  enum class Kind { file_to_write, folder };
  // `files`: name filter of the dialog, "Profiles (*.sqlite)"; empty for a folder.
  PathField(Kind kind, const QString& name, const QString& files, QWidget* parent);

  QString text() const;
  void set_text(const QString& text);
  // Initial folder of the dialog while the field is empty.
  void set_folder(const QString& folder) { folder_ = folder; }

 Q_SIGNALS:
  void changed();

 private:
  void choose();

  Kind kind_;
  QString name_;
  QString files_;
  QString folder_;
  QLineEdit* field_;
};

}  // namespace mansard::gui
