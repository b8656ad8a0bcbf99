// SPDX-License-Identifier: Apache-2.0
// Display options of a plane: a row of menu buttons in its corner, or one button if there is little
// room; also one context menu.
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
  // Reads `scene`, which must outlive this object, whenever a menu opens; emits the chosen options.
  PlaneControls(const PlaneScene& scene, QWidget* parent);

  void follow();        // call when the scene has changed
  void fit(int width);  // `width` of the view: decides between the row and the single button
  QMenu* menu() { return all_; }  // with all submenus, for a key or the right button
  // The submenu with this title, filled. Null if there is none.
  QMenu* submenu(const QString& title);

 Q_SIGNALS:
  void chosen(const PlaneOptions& options);
  void machine_wanted();

 private:
  QMenu* add_menu(const QString& title, const QString& tooltip,
                  void (PlaneControls::*fill)(QMenu*));
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
