// SPDX-License-Identifier: Apache-2.0
// What a reader can choose in a plane: a slim row in its corner, of one button where there is
// little room, and the same as one menu.
#pragma once

#include <QWidget>
#include <functional>

#include "gui/views/plane_options.h"
#include "gui/views/plane_scene.h"

class QMenu;
class QToolButton;

namespace mansard::gui {

class PlaneControls : public QWidget {
  Q_OBJECT

 public:
  // Reads the scene, which outlives it, whenever a menu opens; what is chosen is emitted.
  PlaneControls(const PlaneScene& scene, QWidget* parent);

  void follow();                  // the scene shows something else
  void fit(int width);            // of the view: decides between the row and the one button
  QMenu* menu() { return all_; }  // filled, for a key or the right button
  // Of a submenu, as its title says, filled. Null: there is none.
  QMenu* submenu(const QString& title);

 Q_SIGNALS:
  void chosen(const PlaneOptions& options);
  void machine_wanted();

 private:
  QMenu* add_menu(const QString& title, void (PlaneControls::*fill)(QMenu*));
  void fill_tiers(QMenu* menu);
  void fill_precisions(QMenu* menu);
  void fill_marks(QMenu* menu);
  void fill_machines(QMenu* menu);
  void add_choice(QMenu* menu, const QString& text, bool checked, bool exclusive,
                  const std::function<void(PlaneOptions&)>& choose);

  const PlaneScene& scene_;
  QMenu* all_;
  QMenu* tiers_;
  QMenu* precisions_;
  QMenu* marks_;
  QMenu* machines_;
  QToolButton* whole_;  // opens all_
  std::vector<std::pair<QMenu*, QToolButton*>> buttons_;
};

}  // namespace mansard::gui
