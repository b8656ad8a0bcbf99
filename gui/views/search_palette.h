// SPDX-License-Identifier: Apache-2.0
// Search palette: type a part of a name and press Enter to run a command, or to open a kernel,
// range or help page.
#pragma once

#include <QFrame>

#include "gui/models/palette_model.h"

class QLabel;
class QLineEdit;
class QListView;
class QMenuBar;

namespace mansard::gui {

// The enabled menu commands, with their shortcuts.
std::vector<PaletteEntry> entries_of(const QMenuBar& menus);

class SearchPalette : public QFrame {
  Q_OBJECT

 public:
  // Child of `window`, shown over it.
  explicit SearchPalette(QWidget* window);

  // Opens with an empty field; Esc, Enter or a click outside closes it.
  void ask(std::vector<PaletteEntry> entries);
  PaletteModel* model() { return model_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void place();
  void find(const QString& typed);
  void run(int row);
  void move(int step);
  bool press(const QKeyEvent& key);

  PaletteModel* model_;
  QLineEdit* field_;
  QListView* list_;
  QLabel* nothing_;
};

}  // namespace mansard::gui
