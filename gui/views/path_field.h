// SPDX-License-Identifier: Apache-2.0
// A file to write, or a folder: typed or chosen.
#pragma once

#include <QWidget>

class QLineEdit;

namespace mansard::gui {

class PathField : public QWidget {
  Q_OBJECT

 public:
  enum class Kind { file_to_write, folder };
  // `files`: the filter of the dialog, "Recorded runs (*.sqlite)"; of a folder nothing.
  PathField(Kind kind, const QString& name, const QString& files, QWidget* parent);

  QString text() const;
  void set_text(const QString& text);
  // In which the dialog begins while the field says nothing else.
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
