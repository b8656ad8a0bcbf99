// SPDX-License-Identifier: Apache-2.0
// Type a part of a name, press Enter: commands, kernels, ranges, pages of help.
#pragma once

#include <QFrame>

#include "gui/models/palette_model.h"

class QLabel;
class QLineEdit;
class QListView;
class QMenuBar;

namespace mansard::gui {

// The commands of the menus that can be used now, with their shortcuts.
std::vector<PaletteEntry> entries_of(const QMenuBar& menus);

class SearchPalette : public QFrame {
  Q_OBJECT

 public:
  // Over `window`, which keeps the palette.
  explicit SearchPalette(QWidget* window);

  // Shows itself with nothing typed; Esc, a click beside it or Enter close it.
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
